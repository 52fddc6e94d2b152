import { decodeString, foldName } from './json-values.ts';
import {
  isString,
  jsonText,
  MAX_JSON_DEPTH,
  type MemberOffsets,
  scanMembers,
  skipSpace,
} from './scan-json.ts';

const BLOCK_TAGS = ['latest', 'earliest', 'pending', 'safe', 'finalized'] as const;

/** A block that moves with the chain. */
type BlockTag = (typeof BLOCK_TAGS)[number];

/** Tags of blocks that lie as far behind the head as the chain's finality does, which only nodes know. */
export type FinalityTag = 'safe' | 'finalized';

/** A block that only the chain's present can tell the number of. */
export type MovingBlock = 'latest' | FinalityTag;

/** A block as a filter names it. */
export type BlockRef = { readonly number: bigint } | { readonly tag: BlockTag };

/**
 * What the filter of an `eth_getLogs` call asks for. `ambiguous`: parsers that do or do not ignore case would read
 * different ranges. `unreadable`: no node reads a range out of it, so the node may say so.
 */
export type LogsRange =
  | { readonly kind: 'by_hash' }
  | { readonly kind: 'range'; readonly from: BlockRef; readonly to: BlockRef }
  | { readonly kind: 'ambiguous' }
  | { readonly kind: 'unreadable' };

const LATEST: BlockRef = { tag: 'latest' };
/** Longest number that is read, in digits without leading zeros: 2^256 has 78. */
const MAX_DIGITS = 78;
/** Hexadecimal, with the plus sign and underscores that some number parsers let pass. */
const HEX_NUMBER = /^0x\+?[\da-f_]*$/;
const DECIMAL_NUMBER = /^\+?\d+$/;

type RangeMember = 'fromBlock' | 'toBlock' | 'blockHash';
type RangeMembers = { [Name in RangeMember]?: string };
const RANGE_MEMBERS: ReadonlyMap<string, RangeMember> = new Map([
  ['fromblock', 'fromBlock'],
  ['toblock', 'toBlock'],
  ['blockhash', 'blockHash'],
]);

/** Reads the range of an `eth_getLogs` call from its valid params, as the most lenient of nodes would. */
export function readLogsRange(params: Uint8Array | undefined): LogsRange {
  if (params === undefined) return { kind: 'unreadable' };
  const text = jsonText(params);
  const scanned: MemberOffsets[] = [];
  const filter = skipSpace(text.bytes, 1);
  if (scanMembers(text, filter, MAX_JSON_DEPTH, scanned) < 0) return { kind: 'unreadable' };
  const members = readRangeMembers(text.bytes, scanned);
  if (members === undefined) return { kind: 'ambiguous' };
  const { fromBlock, toBlock, blockHash } = members;
  if (blockHash !== undefined && fromBlock === undefined && toBlock === undefined) return { kind: 'by_hash' };
  const from = fromBlock === undefined ? LATEST : readBlock(fromBlock);
  const to = toBlock === undefined ? LATEST : readBlock(toBlock);
  return from === undefined || to === undefined ? { kind: 'unreadable' } : { kind: 'range', from, to };
}

/** The blocks whose numbers it takes to tell how many blocks the range has. */
export function movingBlocks(range: LogsRange): ReadonlySet<MovingBlock> {
  if (range.kind !== 'range' || isOneTag(range)) return new Set();
  return new Set([range.from, range.to].flatMap((block) => movingBlock(block) ?? []));
}

/**
 * Whether the range has more than `max` blocks. A range that ends before it starts has none.
 * `numbers`: block numbers of its tags; a missing one counts as zero.
 */
export function exceedsRange(
  range: LogsRange,
  numbers: ReadonlyMap<MovingBlock, bigint>,
  max: number,
): boolean {
  if (range.kind !== 'range') return false;
  const blocks = isOneTag(range) ? 1n : resolve(range.to, numbers) - resolve(range.from, numbers) + 1n;
  return blocks > BigInt(max);
}

function isOneTag({ from, to }: Extract<LogsRange, { kind: 'range' }>): boolean {
  return 'tag' in from && 'tag' in to && from.tag === to.tag;
}

function movingBlock(block: BlockRef): MovingBlock | undefined {
  if ('number' in block || block.tag === 'earliest') return undefined;
  return block.tag === 'pending' ? 'latest' : block.tag;
}

function resolve(block: BlockRef, numbers: ReadonlyMap<MovingBlock, bigint>): bigint {
  if ('number' in block) return block.number;
  const moving = movingBlock(block);
  return (moving === undefined ? undefined : numbers.get(moving)) ?? 0n;
}

/**
 * The filter's members that make its range, as text (strings decoded); one that is null is absent. Undefined if
 * one is there twice or in another case.
 */
function readRangeMembers(bytes: Buffer, scanned: readonly MemberOffsets[]): RangeMembers | undefined {
  const members: RangeMembers = {};
  const seen = new Set<RangeMember>();
  for (const [nameStart, nameEnd, start, end] of scanned) {
    const name = decodeString(bytes, nameStart, nameEnd);
    const member = RANGE_MEMBERS.get(foldName(name));
    if (member === undefined) continue;
    if (name !== member || seen.has(member)) return undefined;
    seen.add(member);
    const value = isString(bytes, start)
      ? decodeString(bytes, start, end)
      : bytes.toString('utf8', start, end);
    if (isString(bytes, start) || value !== 'null') members[member] = value;
  }
  return members;
}

function readBlock(value: string): BlockRef | undefined {
  const word = value.trim().toLowerCase();
  const tag = BLOCK_TAGS.find((known) => known === word);
  if (tag !== undefined) return { tag };
  if (HEX_NUMBER.test(word)) return readDigits(word.slice(2), '0x');
  if (DECIMAL_NUMBER.test(word)) return readDigits(word, '');
  return readFloat(word);
}

function readDigits(word: string, prefix: '0x' | ''): BlockRef | undefined {
  const digits = word.replace(/^\+?[0_]*/, '').replaceAll('_', '');
  return digits.length > MAX_DIGITS ? undefined : { number: BigInt(`${prefix}${digits || '0'}`) };
}

/** A JSON number such as `1e3`, of which a lenient node makes an integer. */
function readFloat(word: string): BlockRef | undefined {
  const number = word === '' ? Number.NaN : Number(word);
  return Number.isSafeInteger(number) ? { number: BigInt(number) } : undefined;
}
