import { decodeDecimals, decodeTokenText, decodeUint } from '../../chain-data/decode/decode-metadata.ts';
import type { Hex } from '../../chain-data/decode/raw-block.ts';
import { readData, ShapeError } from '../blocks/json-shape.ts';
import { type CalledBlock, callInBatches, contractBatches, contractCall } from './call-in-batches.ts';
import type { NodeErrorKind } from './node-error.ts';
import type { RetryingClient } from './retrying-client.ts';
import type { BatchOptions, NodeResponse } from './send-batch.ts';

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

const DECIMALS = '0x313ce567';
/** `name()`, `symbol()` and `totalSupply()`. */
const OTHERS = ['0x06fdde03', '0x95d89b41', '0x18160ddd'];
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
  const answers = await askTokens(node, tokens, { word: DECIMALS, others: OTHERS, block }, options);
  return tokens.map((token, index) => metadataOf(token, answers[index] ?? []));
}

/** What tokens are asked. */
interface Questions {
  /** Selector of the method whose answer is held against what another node says. */
  readonly word: string;
  readonly others: readonly string[];
  /** @default the newest */
  readonly block?: CalledBlock;
}

/**
 * What each token answers to some methods: the word first.
 * @throws {NodeError} where the node cannot be asked
 */
export async function askTokens(
  node: RetryingClient,
  tokens: readonly Pick<AskedToken, 'address'>[],
  { word, others, block }: Questions,
  options: BatchOptions,
): Promise<readonly (readonly NodeResponse[])[]> {
  const callsOf = (selectors: readonly string[]) =>
    tokens.flatMap(({ address }) => selectors.map((selector) => contractCall(address, selector, block)));
  const words = callsOf([word]);
  const told = await callInBatches(node, [...words, ...callsOf(others)], contractBatches(), options);
  const first = told.slice(0, words.length);
  const confirmed = (await node.confirm?.(words, first, options)) ?? first;
  const rest = told.slice(words.length);
  return confirmed.map((answer, index) => [
    answer,
    ...rest.slice(index * others.length, (index + 1) * others.length),
  ]);
}

/** What a token's four answers say. */
function metadataOf({ address, standard }: AskedToken, answers: readonly NodeResponse[]): TokenMetadata {
  const [decimals, name, symbol, supply] = answers.map(returnedOf);
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

/** The number of 256 bits that a call returned; null where it did not. */
export function uintOf(answer: NodeResponse): bigint | null {
  return decoded(returnedOf(answer), decodeUint);
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
