import type { Call } from '../../shared/jsonrpc/calls.ts';
import {
  hashOfJson,
  jsonOf,
  quantityJson,
  quantityOfJson,
  readMembers,
} from '../../shared/jsonrpc/json-values.ts';
import { hasFailedTrace, readFacts } from '../../shared/jsonrpc/response-facts.ts';
import { elementSpans, isNull, isObject, jsonText, MAX_JSON_DEPTH } from '../../shared/jsonrpc/scan-json.ts';
import { methodFacts, placeOfBlock } from '../../shared/methods/method-facts.ts';
import type { MethodNeed, ShownMember } from '../../shared/methods/method-table.ts';

/** A number of a block that is not written as nodes write it: `0x05`, `0xAB`. Offsets are in the params. */
export interface Spelling {
  readonly start: number;
  readonly end: number;
  readonly number: bigint;
}

/** What would make the response of one call final. */
export type CacheCondition =
  | { readonly kind: 'constant' }
  /** The block is named by its number. A response that shows another is not believed. */
  | {
      readonly kind: 'number';
      readonly number: bigint;
      readonly shown: ShownMember | undefined;
      readonly traces: boolean;
      readonly spellings?: readonly Spelling[];
    }
  /** Logs up to a block. */
  | { readonly kind: 'range'; readonly to: bigint; readonly spellings?: readonly Spelling[] }
  /** The response must show its block, and the hash that was asked for, in lower case. One that shows another is not believed. */
  | { readonly kind: 'shown'; readonly shown: ShownMember; readonly hash: string }
  /** The hash, in lower case, must be known to be in a final block. */
  | { readonly kind: 'hash'; readonly hash: string; readonly traces: boolean };

const NO_PARAMS = Buffer.from('[]');

/**
 * The condition of a valid, screened call; undefined if its response is never kept. A tag pins nothing: behind it the block
 * changes, behind `earliest` too, which is the first block that the node still has.
 */
export function cacheCondition({
  method,
  params = NO_PARAMS,
}: Pick<Call, 'method' | 'params'>): CacheCondition | undefined {
  const { needs, cache } = methodFacts(method);
  if (cache === undefined) return undefined;
  if (needs === 'nothing') return { kind: 'constant' };
  const values = splitList(params);
  if (needs === 'logs') return conditionOfFilter(values[0], params);
  const { shown, traces = false } = cache === true ? {} : cache;
  return (
    conditionOfNumber(needs, values, params, { shown, traces }) ??
    conditionOfHash(needs, values[0], { shown, traces })
  );
}

/** What the result shows of its block. */
interface Shown {
  readonly shown: ShownMember | undefined;
  readonly traces: boolean;
}

function conditionOfNumber(
  needs: MethodNeed,
  values: readonly Uint8Array[],
  params: Uint8Array,
  result: Shown,
): CacheCondition | undefined {
  if (typeof needs !== 'object') return undefined;
  const value = values[placeOfBlock(needs)];
  const number = value && quantityOfJson(jsonOf(value, 'latin1'));
  if (value === undefined || number === undefined) return undefined;
  return { kind: 'number', number, ...result, ...spelled([spellingOf(value, number, params)]) };
}

/** A block or transaction by its hash: the result shows the block, or the hash must be known to be final. */
function conditionOfHash(
  needs: MethodNeed,
  value: Uint8Array | undefined,
  { shown, traces }: Shown,
): CacheCondition | undefined {
  const hash = value && hashOfJson(jsonOf(value, 'latin1'));
  if (hash === undefined) return undefined;
  if (shown !== undefined) return { kind: 'shown', shown, hash };
  return needs === 'hash' ? { kind: 'hash', hash, traces } : undefined;
}

/** Screening has refused filters that name a member of the range twice or in another case. */
function conditionOfFilter(filter: Uint8Array | undefined, params: Uint8Array): CacheCondition | undefined {
  if (filter === undefined || !isObject(filter, 0)) return undefined;
  const { members } = readMembers(jsonText(filter), 0, MAX_JSON_DEPTH);
  const find = (member: string) => members.find(({ name }) => name === `"${member}"`);
  const blockHash = find('blockHash')?.value();
  if (blockHash !== undefined) {
    const hash = hashOfJson(blockHash);
    return hash === undefined ? undefined : { kind: 'shown', shown: 'blockNumber', hash };
  }
  const [fromBlock, toBlock] = [find('fromBlock'), find('toBlock')];
  const [from, to] = [quantityOfJson(fromBlock?.value()), quantityOfJson(toBlock?.value())];
  if (from === undefined || to === undefined) return undefined;
  const spellings = [
    spellingOf(filter.subarray(fromBlock?.start, fromBlock?.end), from, params),
    spellingOf(filter.subarray(toBlock?.start, toBlock?.end), to, params),
  ];
  return { kind: 'range', to, ...spelled(spellings) };
}

function spelled(found: readonly (Spelling | undefined)[]): { readonly spellings?: readonly Spelling[] } {
  const spellings = found.filter((one) => one !== undefined);
  return spellings.length === 0 ? {} : { spellings };
}

/** How a quantity is spelled, unless as every node would. `value`: its JSON, a part of the bytes of `params`. */
function spellingOf(value: Uint8Array, number: bigint, params: Uint8Array): Spelling | undefined {
  if (jsonOf(value, 'latin1') === quantityJson(number)) return undefined;
  const start = value.byteOffset - params.byteOffset;
  return { start, end: start + value.length, number };
}

/** The elements of a list, as parts of its bytes. */
function splitList(list: Uint8Array): Uint8Array[] {
  const text = jsonText(list);
  return elementSpans(text).map(([start, end]) => text.bytes.subarray(start, end));
}

/** What is known of a chain when a response is judged. */
export interface KnownFinality {
  /** The newest block that was final before the node was asked: a block can be replaced while its response is under way. */
  readonly finalized: bigint | undefined;
  /** Whether a hash, in lower case, is of a final block or of a transaction in one. */
  isFinalHash(hash: string): boolean;
}

/**
 * A node that lags returns the logs that it has of a range, without saying that some are missing. This many blocks
 * below the finalized one, a node that lacks part of the range lags too far to be used at all.
 */
export const LOGS_MARGIN_BLOCKS = 1_024n;

/** The block that must be final before the result can be, as far as the call itself shows. */
export function decidingBlock(condition: CacheCondition): bigint | undefined {
  switch (condition.kind) {
    case 'number':
      return condition.number;
    case 'range':
      return condition.to + LOGS_MARGIN_BLOCKS;
    default:
      return undefined;
  }
}

/** Whether a block is certainly final: not if either of the two is not known. */
export function isAtOrBelow(finalized: bigint | undefined, block: bigint | undefined): boolean {
  return finalized !== undefined && block !== undefined && block <= finalized;
}

/** Whether a result can never change. */
export function isFinalResult(
  condition: CacheCondition,
  result: Uint8Array,
  finality: KnownFinality,
): boolean {
  if (isNull(result, 0)) return false;
  const { finalized } = finality;
  switch (condition.kind) {
    case 'constant':
      return true;
    case 'range':
      return isAtOrBelow(finalized, decidingBlock(condition));
    case 'number':
      return (
        isAtOrBelow(finalized, condition.number) && isOfBlock(condition, result) && isWhole(condition, result)
      );
    case 'shown': {
      const { block, hashes } = readFacts(result, condition.shown);
      return hashes.includes(condition.hash) && isAtOrBelow(finalized, block);
    }
    case 'hash':
      return finality.isFinalHash(condition.hash) && isWhole(condition, result);
  }
}

/** What shows its block must show the one that was asked for. An empty list of receipts shows none: a node can lack them. */
function isOfBlock(condition: Extract<CacheCondition, { kind: 'number' }>, result: Uint8Array): boolean {
  if (condition.shown === undefined) return true;
  return readFacts(result, condition.shown).block === condition.number;
}

/** Of a list of traces: whether the node has made all of them. */
function isWhole({ traces }: { readonly traces: boolean }, result: Uint8Array): boolean {
  return !traces || !hasFailedTrace(result);
}
