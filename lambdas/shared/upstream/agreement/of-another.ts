import type { Call } from '../../jsonrpc/calls.ts';
import { hashOfJson, jsonOf, quantityOfJson, readJson } from '../../jsonrpc/json-values.ts';
import { readLogsRange } from '../../jsonrpc/logs-range.ts';
import { elementAt } from '../../jsonrpc/required-block.ts';
import { methodFacts, placeOfBlock } from '../../methods/method-facts.ts';

/** A result says at its beginning or its end of what it is: so many bytes of each are read. */
export const SHOWN_WITHIN_BYTES = 4_096;
const NUMBERS = /"(?:blockNumber|number)"\s*:\s*("0x[0-9a-f]{1,16}")/gi;
/** The hash of a block itself: ahead of all objects in it, as its transactions have hashes of their own. */
const OWN_HASH = /^\s*\{[^{}]*?"hash"\s*:\s*("0x[0-9a-f]{64}")/i;
const HASHES_OF_BLOCK = /"blockHash"\s*:\s*("0x[0-9a-f]{64}")/gi;
const TRANSACTION_HASHES = /"(?:hash|transactionHash)"\s*:\s*("0x[0-9a-f]{64}")/gi;
const PLACE = /"transactionIndex"\s*:\s*("0x[0-9a-f]{1,16}")/i;
const LOG_ADDRESS = /"address"\s*:\s*"(0x[0-9a-f]{40})"/i;
const LOG_TOPICS = /"topics"\s*:\s*(\[[^\]]{0,512}\])/i;
/** An uncle is asked for by the block that it is beside. */
const UNCLE = /Uncle/;
const BY_INDEX = /AndIndex$/;
const BY_BLOCK = /Block/;
const BY_NUMBER = /Number/;
/** What some nodes take for a number of 64 bits. */
const PADDED_NUMBER = /^"0x0{48}/;
/** Words of a filter that every node reads alike. */
const ADDRESS = /^0x[0-9a-f]{40}$/i;
const TOPIC = /^0x[0-9a-f]{64}$/i;
const ADDRESS_NAME = /"address"/giu;
const TOPICS_NAME = /"topics"/giu;

/**
 * Whether a result shows that it is of something else than its call names: another block, transaction or place, or logs that the
 * filter leaves out. A list is looked at where it begins and ends; what shows nothing is of what was asked for.
 */
export function isOfAnother(
  { method, params }: Pick<Call, 'method' | 'params'>,
  result: Uint8Array,
): boolean {
  const { fixed, needs } = methodFacts(method);
  if (fixed === undefined || UNCLE.test(method)) return false;
  const bytes = Buffer.from(result.buffer, result.byteOffset, result.length);
  const head = bytes.toString('latin1', 0, SHOWN_WITHIN_BYTES);
  const tail = bytes.toString('latin1', Math.max(head.length, bytes.length - SHOWN_WITHIN_BYTES));
  if (needs === 'logs') return params !== undefined && isOutside(params, head, tail);
  const asked = elementAt(params, typeof needs === 'object' ? placeOfBlock(needs) : 0);
  if (BY_INDEX.test(method) && isOther(quantityOfJson(elementAt(params, 1)), placesOf(head, tail)))
    return true;
  const number = typeof needs === 'object' ? quantityOfJson(asked) : undefined;
  if (number !== undefined) return isOther(number, numbersOf(head));
  if (BY_NUMBER.test(method) || PADDED_NUMBER.test(asked ?? '')) return false;
  const isBlock = fixed === 'block' || fixed === 'header';
  const members = isBlock || BY_BLOCK.test(method) ? HASHES_OF_BLOCK : TRANSACTION_HASHES;
  const own = isBlock ? hashOfJson(OWN_HASH.exec(head)?.[1]) : undefined;
  const shown = [...hashesOf(head, members), ...hashesOf(tail, members)];
  return isOther(hashOfJson(asked), own === undefined ? shown : [own, ...shown]);
}

/** Whether the first or the last of some logs is outside of the blocks, addresses and topics of a filter. */
function isOutside(params: Uint8Array, head: string, tail: string): boolean {
  const text = jsonOf(params);
  const [filter] = JSON.parse(text) as readonly unknown[];
  const { fromBlock, toBlock, blockHash, ...others } = Object(filter) as Readonly<Record<string, unknown>>;
  const { kind } = readLogsRange(params);
  const isRange = kind === 'range' && (blockHash ?? null) === null;
  const [from, to] = [fromBlock, toBlock].map((block) =>
    isRange ? quantityOfJson(JSON.stringify(block)) : undefined,
  );
  const isBeside = (number: bigint) =>
    (from !== undefined && number < from) || (to !== undefined && number > to);
  if ([...numbersOf(head), ...numbersOf(tail)].some(isBeside)) return true;
  const hash = kind === 'by_hash' ? hashOfJson(JSON.stringify(blockHash)) : undefined;
  if (isOther(hash, hashesOf(head, HASHES_OF_BLOCK))) return true;
  const isLeftOut = (word: unknown, wanted: unknown, strict: RegExp) =>
    isOther(String(word).toLowerCase(), strictWords(wanted, strict));
  const address = LOG_ADDRESS.exec(head)?.[1];
  if (address !== undefined && isOnce(text, ADDRESS_NAME) && isLeftOut(address, others.address, ADDRESS))
    return true;
  const topics = readJson(LOG_TOPICS.exec(head)?.[1] ?? '');
  if (!Array.isArray(topics) || !Array.isArray(others.topics) || !isOnce(text, TOPICS_NAME)) return false;
  return others.topics.some((wanted, place) => isLeftOut(topics[place], wanted, TOPIC));
}

/** Whether a member is there once, in whatever case: of two, nodes differ in which one they read. */
function isOnce(text: string, name: RegExp): boolean {
  return !text.includes('\\') && text.match(name)?.length === 1;
}

/** The words of which a filter wants one; none where it wants any, or where one of them is not as every node reads it. */
function strictWords(wanted: unknown, strict: RegExp): readonly string[] {
  const words = Array.isArray(wanted) ? wanted : [wanted];
  return words.every((word) => typeof word === 'string' && strict.test(word))
    ? words.map((word) => String(word).toLowerCase())
    : [];
}

function isOther<T extends bigint | string>(asked: T | undefined, shown: readonly T[]): boolean {
  return asked !== undefined && shown.length > 0 && !shown.includes(asked);
}

/** The numbers of blocks that a part of a result shows, in their order. */
export function numbersOf(text: string): readonly bigint[] {
  return [...text.matchAll(NUMBERS)].flatMap(([, json]) => quantityOfJson(json) ?? []);
}

function hashesOf(text: string, members: RegExp): readonly string[] {
  return [...text.matchAll(members)].flatMap(([, json]) => hashOfJson(json) ?? []);
}

function placesOf(head: string, tail: string): readonly bigint[] {
  return [head, tail].flatMap((text) => quantityOfJson(PLACE.exec(text)?.[1]) ?? []);
}
