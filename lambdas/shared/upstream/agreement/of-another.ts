import type { Call } from '../../jsonrpc/calls.ts';
import { hashOfJson, jsonOf, quantityOfJson } from '../../jsonrpc/json-values.ts';
import { readLogsRange } from '../../jsonrpc/logs-range.ts';
import { elementAt } from '../../jsonrpc/required-block.ts';
import { methodFacts, placeOfBlock } from '../../methods/method-facts.ts';

/** A result says at its beginning or its end of what it is: so many bytes of each are read. */
const SHOWN_WITHIN_BYTES = 4_096;
const NUMBERS = /"(?:blockNumber|number)"\s*:\s*("0x[0-9a-f]{1,16}")/gi;
/** Hashes of blocks: what is in one names it as well. */
const BLOCK_HASHES = /"(?:hash|blockHash)"\s*:\s*("0x[0-9a-f]{64}")/gi;
const HASHES_OF_BLOCK = /"blockHash"\s*:\s*("0x[0-9a-f]{64}")/gi;
const TRANSACTION_HASHES = /"(?:hash|transactionHash)"\s*:\s*("0x[0-9a-f]{64}")/gi;
const PLACE = /"transactionIndex"\s*:\s*("0x[0-9a-f]{1,16}")/i;
const LOG_ADDRESS = /"address"\s*:\s*"(0x[0-9a-f]{40})"/i;
const LOG_TOPICS = /"topics"\s*:\s*(\[[^\]]{0,512}\])/i;
/** An uncle is asked for by the block that it is beside. */
const UNCLE = /Uncle/;
const BY_INDEX = /AndIndex$/;
const BY_BLOCK = /Block/;

/**
 * Whether a result shows that it is of something else than its call names: another block, transaction or place, or logs that the
 * filter leaves out. A list is looked at where it begins and ends; what shows nothing is of what was asked for.
 */
export function isOfAnother(
  { method, params }: Pick<Call, 'method' | 'params'>,
  result: Uint8Array,
): boolean {
  const { fixed, needs } = methodFacts(method);
  if (fixed === undefined || fixed === 'bytes' || fixed === 'quantity' || UNCLE.test(method)) return false;
  const bytes = Buffer.from(result.buffer, result.byteOffset, result.length);
  const head = bytes.toString('latin1', 0, SHOWN_WITHIN_BYTES);
  const tail = bytes.toString('latin1', Math.max(head.length, bytes.length - SHOWN_WITHIN_BYTES));
  if (needs === 'logs') return isOutside(params, head, tail);
  const asked = elementAt(params, typeof needs === 'object' ? placeOfBlock(needs) : 0);
  if (BY_INDEX.test(method) && isOther(quantityOfJson(elementAt(params, 1)), placesOf(head, tail)))
    return true;
  const hash = hashOfJson(asked);
  if (hash === undefined) return isOther(quantityOfJson(asked), numbersOf(head).slice(0, 1));
  const isBlock = fixed === 'block' || fixed === 'header';
  const hashes = isBlock ? BLOCK_HASHES : BY_BLOCK.test(method) ? HASHES_OF_BLOCK : TRANSACTION_HASHES;
  return isOther(hash, [...hashesOf(head, hashes), ...hashesOf(tail, hashes)]);
}

/** Whether the first or the last of some logs is outside of the blocks, addresses and topics of a filter. */
function isOutside(params: Uint8Array | undefined, head: string, tail: string): boolean {
  const range = readLogsRange(params);
  const [from, to] =
    range.kind !== 'range'
      ? []
      : [range.from, range.to].map((block) => ('number' in block ? block.number : undefined));
  const shown = [...numbersOf(head), ...numbersOf(tail)];
  if (shown.some((number) => (from !== undefined && number < from) || (to !== undefined && number > to)))
    return true;
  const address = LOG_ADDRESS.exec(head)?.[1];
  if (address === undefined || params === undefined) return false;
  const [filter] = JSON.parse(jsonOf(params)) as readonly Readonly<Record<string, unknown>>[];
  const topics = LOG_TOPICS.exec(head)?.[1];
  const { blockHash } = filter ?? {};
  const hash = typeof blockHash === 'string' ? hashOfJson(`"${blockHash}"`) : undefined;
  return (
    !isAmong(filter?.address, address) ||
    isOther(hash, hashesOf(head, HASHES_OF_BLOCK)) ||
    (topics !== undefined && !hasTopics(filter?.topics, JSON.parse(topics) as readonly string[]))
  );
}

function hasTopics(wanted: unknown, topics: readonly string[]): boolean {
  return !Array.isArray(wanted) || wanted.every((one, place) => one === null || isAmong(one, topics[place]));
}

/** Whether a value is the one, or among those, that a filter asks for: none, or none of a list, is any. */
function isAmong(wanted: unknown, value: string | undefined): boolean {
  const all = Array.isArray(wanted) ? wanted : wanted === undefined || wanted === null ? [] : [wanted];
  return (
    all.length === 0 || all.some((one) => one === null || String(one).toLowerCase() === value?.toLowerCase())
  );
}

function isOther<T extends bigint | string>(asked: T | undefined, shown: readonly T[]): boolean {
  return asked !== undefined && shown.length > 0 && !shown.includes(asked);
}

function numbersOf(text: string): readonly bigint[] {
  return [...text.matchAll(NUMBERS)].flatMap(([, json]) => quantityOfJson(json) ?? []);
}

function hashesOf(text: string, members: RegExp): readonly string[] {
  return [...text.matchAll(members)].flatMap(([, json]) => hashOfJson(json) ?? []);
}

function placesOf(head: string, tail: string): readonly bigint[] {
  return [head, tail].flatMap((text) => quantityOfJson(PLACE.exec(text)?.[1]) ?? []);
}
