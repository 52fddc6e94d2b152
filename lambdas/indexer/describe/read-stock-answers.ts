import { decodeUint } from '../../chain-data/decode/decode-metadata.ts';
import type { Hex } from '../../chain-data/decode/raw-block.ts';
import { readData, ShapeError } from '../blocks/json-shape.ts';
import { BatchSize } from '../fetch/batch-size.ts';
import { callInBatches } from '../fetch/call-in-batches.ts';
import type { AskedToken } from '../fetch/read-token-metadata.ts';
import type { RetryingClient } from '../fetch/retrying-client.ts';
import type { BatchOptions, NodeResponse } from '../fetch/send-batch.ts';

/** What ERC-8056 has a tokenised stock answer; null where it does not. */
export interface StockAnswers {
  readonly address: Hex;
  /** `uiMultiplier()`, 18 decimals; a token without it is no stock. */
  readonly multiplier: bigint | null;
  readonly uid: Hex | null;
  readonly oraclePaused: boolean | null;
}

/** `uiMultiplier()`, `uid()` and `oraclePaused()`. */
const SELECTORS = ['0xa60bf13d', '0xf514ce36', '0x7706ba52'] as const;
const CALL_GAS = '0x1e8480';
const WORD_LENGTH = 66;
const START_BATCH_CALLS = 40;
const MAX_BATCH_CALLS = 200;

/**
 * Asks tokens for what makes a tokenised stock.
 * @throws {NodeError} where the node cannot be asked
 */
export async function readStockAnswers(
  node: RetryingClient,
  tokens: readonly Pick<AskedToken, 'address'>[],
  options: BatchOptions,
): Promise<StockAnswers[]> {
  const calls = tokens.flatMap(({ address: to }) =>
    SELECTORS.map((data) => ({ method: 'eth_call', params: [{ to, data, gas: CALL_GAS }, 'latest'] })),
  );
  const size = new BatchSize(START_BATCH_CALLS, MAX_BATCH_CALLS);
  const answers = await callInBatches(node, calls, size, options);
  return tokens.map(({ address }, index) => {
    const first = index * SELECTORS.length;
    const [multiplier, uid, paused] = answers.slice(first, first + SELECTORS.length).map(wordOf);
    const value = multiplier === null || multiplier === undefined ? null : decodeUint(multiplier);
    return {
      address,
      multiplier: value === null || value === 0n ? null : value,
      uid: uid ?? null,
      oraclePaused: paused === null || paused === undefined ? null : BigInt(paused) !== 0n,
    };
  });
}

/** A returned word; null for anything else. */
function wordOf(answer: NodeResponse): Hex | null {
  if ('error' in answer) return null;
  try {
    const returned = readData(answer.result, 'returned');
    return returned.length === WORD_LENGTH ? returned : null;
  } catch (error) {
    if (error instanceof ShapeError) return null;
    throw error;
  }
}
