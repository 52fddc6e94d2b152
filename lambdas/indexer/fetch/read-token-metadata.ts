import { decodeDecimals, decodeTokenText, decodeUint } from '../../chain-data/decode/decode-metadata.ts';
import type { Hex } from '../../chain-data/decode/raw-block.ts';
import { readData, ShapeError } from '../blocks/json-shape.ts';
import { BatchSize, type CalledBlock, callInBatches, contractCall } from './call-in-batches.ts';
import type { NodeErrorKind } from './node-error.ts';
import type { RetryingClient } from './retrying-client.ts';
import type { BatchOptions, NodeCall, NodeResponse } from './send-batch.ts';

/** What a token says of itself; null where it says nothing that can be read. */
export interface TokenMetadata {
  readonly address: Hex;
  readonly name: string | null;
  readonly symbol: string | null;
  readonly decimals: number | null;
  readonly total_supply: bigint | null;
  /** `pending`: the node did not answer for the token, which is worth asking again. */
  readonly metadata_status: 'pending' | 'complete' | 'partial' | 'absent';
  /** Whether it is pending as operators say different decimals. @default false */
  readonly isContradicted?: boolean;
}

/** A token to be asked; its standard says what it is expected to answer. */
export interface AskedToken {
  readonly address: Hex;
  readonly standard: 20 | 721 | 1155;
}

const START_BATCH_CALLS = 40;
const MAX_BATCH_CALLS = 200;
const DECIMALS = '0x313ce567';
/** `name()`, `symbol()`, `decimals()` and `totalSupply()`. */
const SELECTORS = ['0x06fdde03', '0x95d89b41', DECIMALS, '0x18160ddd'] as const;
/** Failures that are the node's, not the token's. */
const OF_NODE: ReadonlySet<NodeErrorKind> = new Set([
  'rate_limited',
  'unavailable',
  'unsupported',
  'pruned',
  'timeout',
  'contradicted',
]);

/**
 * Asks tokens what they say of themselves at a block. Nothing that a token does fails.
 * @throws {NodeError} where the node cannot be asked
 */
export async function readTokenMetadata(
  node: RetryingClient,
  tokens: readonly AskedToken[],
  block: CalledBlock,
  options: BatchOptions,
): Promise<TokenMetadata[]> {
  const calls = tokens.flatMap(({ address }) =>
    SELECTORS.map((selector) => contractCall(address, selector, block)),
  );
  const size = new BatchSize(START_BATCH_CALLS, MAX_BATCH_CALLS);
  const told = await callInBatches(node, calls, size, options);
  const answers = await confirmed(node, calls, told, { selector: DECIMALS, ...options });
  return tokens.map((token, index) =>
    metadataOf(token, answers.slice(index * SELECTORS.length, (index + 1) * SELECTORS.length)),
  );
}

/** The answers, of which those with a selector are held against what another node says. */
export async function confirmed(
  { confirm }: Pick<RetryingClient, 'confirm'>,
  calls: readonly NodeCall[],
  answers: readonly NodeResponse[],
  { selector, ...options }: BatchOptions & { readonly selector: string },
): Promise<readonly NodeResponse[]> {
  if (confirm === undefined) return answers;
  const isMeant = ({ params: [call] }: NodeCall) => (call as { data?: string }).data === selector;
  const places = calls.flatMap((call, place) => (isMeant(call) ? [place] : []));
  const at = <T>(all: readonly T[]) => places.map((place) => all[place] as T);
  const words = await confirm(at(calls), at(answers), options);
  const byPlace = new Map(places.map((place, index) => [place, words[index]]));
  return answers.map((answer, place) => byPlace.get(place) ?? answer);
}

/** What a token's four answers say. */
function metadataOf({ address, standard }: AskedToken, answers: readonly NodeResponse[]): TokenMetadata {
  const [name, symbol, decimals, supply] = answers.map(returnedOf);
  const said = {
    name: decoded(name, decodeTokenText),
    symbol: decoded(symbol, decodeTokenText),
    decimals: decoded(decimals, decodeDecimals),
    total_supply: decoded(supply, decodeUint),
  };
  const expected = standard === 20 ? Object.values(said) : [said.name, said.symbol];
  const asked = !answers.some(isOfNode);
  return {
    ...{ address, ...said, metadata_status: asked ? statusOf(expected) : 'pending' },
    ...(answers.some(isContradiction) && { isContradicted: true }),
  };
}

/** Whether an answer tells nothing of the contract, as the node failed. */
export function isOfNode(answer: NodeResponse): boolean {
  return 'error' in answer && OF_NODE.has(answer.error.kind);
}

/** Whether operators answer otherwise, and no two alike. */
export function isContradiction(answer: NodeResponse | undefined): boolean {
  return answer !== undefined && 'error' in answer && answer.error.kind === 'contradicted';
}

function statusOf(values: readonly unknown[]): TokenMetadata['metadata_status'] {
  if (values.every((value) => value !== null)) return 'complete';
  return values.every((value) => value === null) ? 'absent' : 'partial';
}

function decoded<T>(returned: Hex | null | undefined, decode: (returned: Hex) => T | null): T | null {
  return returned === null || returned === undefined ? null : decode(returned);
}

/** The bytes that a call returned; null where it did not. */
export function returnedOf(answer: NodeResponse): Hex | null {
  if ('error' in answer) return null;
  try {
    return readData(answer.result, 'returned');
  } catch (error) {
    if (error instanceof ShapeError) return null;
    throw error;
  }
}
