import type { Call } from '../calls.ts';
import { isObject, jsonText, MAX_JSON_DEPTH, scanElements, skipSpace, skipValue } from '../scan-json.ts';
import { CACHE_RULES, type CacheRule, type ShownMember } from './cache-rules.ts';
import { readHash, readQuantity } from './quantity.ts';
import { readMembers } from './read-members.ts';

/** What would make the answer of one call final. */
export type Pin =
  | { readonly kind: 'constant' }
  /** The block is named by its number. An answer that shows another is not believed. */
  | {
      readonly kind: 'number';
      readonly number: bigint;
      readonly shown: ShownMember | undefined;
      readonly traces: boolean;
    }
  /** Logs up to a block. */
  | { readonly kind: 'range'; readonly to: bigint }
  /** The answer must show its block. */
  | { readonly kind: 'shown'; readonly shown: ShownMember }
  /** The hash, in lower case, must be known to be in a final block. */
  | { readonly kind: 'hash'; readonly hash: string; readonly traces: boolean };

const NO_PARAMS = Buffer.from('[]');

/**
 * The pin of a valid, screened call; undefined if its answer is never kept. A tag pins nothing: behind it the block
 * changes, behind `earliest` too, which is the first block that the node still has.
 */
export function pinCall({ method, params = NO_PARAMS }: Pick<Call, 'method' | 'params'>): Pin | undefined {
  const rule = CACHE_RULES.get(method);
  if (rule === undefined) return undefined;
  if (rule.constant === true) return { kind: 'constant' };
  const values = splitList(params);
  return rule.filter === true ? pinFilter(values[0]) : pinParameters(values, rule);
}

function pinParameters(values: readonly Uint8Array[], rule: CacheRule): Pin | undefined {
  const { numberAt, hashAt, shown, traces = false } = rule;
  const json = (at: number | undefined) => (at === undefined ? undefined : textOf(values[at]));
  const number = readQuantity(json(numberAt));
  if (number !== undefined) return { kind: 'number', number, shown, traces };
  const hash = readHash(json(hashAt));
  if (hash !== undefined) return { kind: 'hash', hash, traces };
  return shown !== undefined && readHash(json(0)) !== undefined ? { kind: 'shown', shown } : undefined;
}

/** Screening has refused filters that name a member of the range twice or in another case. */
function pinFilter(filter: Uint8Array | undefined): Pin | undefined {
  if (filter === undefined || !isObject(filter, 0)) return undefined;
  const { members } = readMembers(jsonText(filter), 0, MAX_JSON_DEPTH);
  const json = (member: string) => members.find(({ name }) => name === `"${member}"`)?.value();
  const blockHash = json('blockHash');
  if (blockHash !== undefined) {
    return readHash(blockHash) === undefined ? undefined : { kind: 'shown', shown: 'blockNumber' };
  }
  const from = readQuantity(json('fromBlock'));
  const to = readQuantity(json('toBlock'));
  return from === undefined || to === undefined ? undefined : { kind: 'range', to };
}

/** The elements of a list, as parts of its bytes. */
function splitList(list: Uint8Array): Uint8Array[] {
  const text = jsonText(list);
  const elements: Uint8Array[] = [];
  scanElements(text, skipSpace(text.bytes, 0), (start) => {
    const end = skipValue(text, start, MAX_JSON_DEPTH);
    elements.push(text.bytes.subarray(start, end));
    return end;
  });
  return elements;
}

function textOf(json: Uint8Array | undefined): string | undefined {
  return json === undefined
    ? undefined
    : Buffer.from(json.buffer, json.byteOffset, json.length).toString('latin1');
}
