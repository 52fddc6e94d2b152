import { decodeUint } from '../chain-data/decode/decode-metadata.ts';
import type { Hex } from '../chain-data/decode/raw-block.ts';
import { readData, ShapeError } from '../indexer/blocks/json-shape.ts';
import { BatchSize, callInBatches } from '../indexer/fetch/call-in-batches.ts';
import type { RetryingClient } from '../indexer/fetch/retrying-client.ts';
import type { BatchOptions, NodeResponse } from '../indexer/fetch/send-batch.ts';
import { hexDigits } from '../shared/chain-database/hex.ts';
import { CALL_GAS } from '../shared/jsonrpc/contract-call.ts';

/** A holder and its token. Both 0x-prefixed. */
interface Holding {
  readonly token: string;
  readonly holder: string;
  /** What its transfers add up to. */
  readonly ledger: string;
}

/** `balanceOf(address)` */
const BALANCE_OF = '0x70a08231';
const ADDRESS_PADDING = '0'.repeat(24);
const START_BATCH_CALLS = 50;
const MAX_BATCH_CALLS = 400;

/**
 * Balances at a block, in the order of the holdings; null where the token or the node returns none, and where another node
 * contradicts one that its transfers do not add up to. The block is named by
 * its hash (EIP-1898): a node on another chain then returns an error, and never the balance at another block.
 * @throws {NodeError} where the node cannot be asked
 */
export async function readBalances(
  node: RetryingClient,
  holdings: readonly Holding[],
  blockHash: string,
  options: BatchOptions,
): Promise<(bigint | null)[]> {
  const calls = holdings.map(({ token, holder }) => ({
    method: 'eth_call',
    params: [
      { to: token, data: `${BALANCE_OF}${ADDRESS_PADDING}${hexDigits(holder)}`, gas: CALL_GAS },
      { blockHash },
    ],
  }));
  const size = new BatchSize(START_BATCH_CALLS, MAX_BATCH_CALLS);
  const answers = await callInBatches(node, calls, size, options);
  const amounts = answers.map(amountOf);
  const { confirm } = node;
  if (confirm === undefined) return amounts;
  const strange = amounts.flatMap((amount, place) =>
    amount === null || amount === BigInt(holdings[place]?.ledger ?? '0') ? [] : [place],
  );
  const at = <T>(all: readonly T[]) => strange.map((place) => all[place] as T);
  const words = await confirm(at(calls), at(answers), options);
  for (const [index, place] of strange.entries()) amounts[place] = amountOf(words[index] as NodeResponse);
  return amounts;
}

function amountOf(response: NodeResponse): bigint | null {
  if ('error' in response) return null;
  try {
    const returned: Hex = readData(response.result, 'returned');
    return decodeUint(returned);
  } catch (error) {
    if (error instanceof ShapeError) return null;
    throw error;
  }
}
