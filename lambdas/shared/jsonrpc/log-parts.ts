import { foldName } from './json-values.ts';
import { type BlockRef, type FinalityTag, readLogsRange } from './logs-range.ts';

/** Blocks from one to another, both included. */
export interface LogBlocks {
  readonly from: number;
  readonly to: number;
}

/** Members of a filter that name its blocks, in any spelling. */
const RANGE_MEMBERS: ReadonlySet<string> = new Set(['fromblock', 'toblock', 'blockhash']);
const OPEN = '['.charCodeAt(0);
const CLOSE = ']'.charCodeAt(0);
/** Space of JSON: tab, line feed, carriage return, blank. */
const SPACES: ReadonlySet<number | undefined> = new Set([0x09, 0x0a, 0x0d, 0x20]);

/** What is known of the chain's present: undefined where a number is not. */
interface BlockNumbers {
  readonly latest: number | undefined;
}

/** The blocks of an `eth_getLogs` call; undefined if it names one by hash, is none, or has a tag without a number. */
export function blocksOfLogs(params: Uint8Array | undefined, numbers: BlockNumbers): LogBlocks | undefined {
  const range = readLogsRange(params);
  if (range.kind !== 'range') return undefined;
  const from = numberOf(range.from, numbers);
  const to = numberOf(range.to, numbers);
  return from === undefined || to === undefined || from > to ? undefined : { from, to };
}

/** The finality tags that a call names. */
export function finalityTags(params: Uint8Array | undefined): readonly FinalityTag[] {
  const range = readLogsRange(params);
  if (range.kind !== 'range') return [];
  return [range.from, range.to].flatMap((block) =>
    'tag' in block && (block.tag === 'safe' || block.tag === 'finalized') ? [block.tag] : [],
  );
}

function numberOf(block: BlockRef, { latest }: BlockNumbers): number | undefined {
  if ('number' in block)
    return block.number <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(block.number) : undefined;
  switch (block.tag) {
    case 'earliest':
      return 0;
    case 'latest':
      return latest;
    default:
      return undefined;
  }
}

/** How many blocks a range has. */
export function countOf({ from, to }: LogBlocks): number {
  return to - from + 1;
}

/** A range in parts of at most `size` blocks, in order. */
export function partsOf({ from, to }: LogBlocks, size: number): readonly LogBlocks[] {
  const count = Math.ceil((to - from + 1) / size);
  return Array.from({ length: count }, (_, part) => ({
    from: from + part * size,
    to: Math.min(to, from + (part + 1) * size - 1),
  }));
}

/** The params of an `eth_getLogs` call for other blocks. */
export function withBlocks(params: Uint8Array, { from, to }: LogBlocks): Uint8Array {
  const [filter] = JSON.parse(Buffer.from(params).toString()) as [Readonly<Record<string, unknown>>];
  const remaining = Object.entries(filter).filter(([name]) => !RANGE_MEMBERS.has(foldName(name)));
  const blocks = { fromBlock: `0x${from.toString(16)}`, toBlock: `0x${to.toString(16)}` };
  return Buffer.from(JSON.stringify([{ ...Object.fromEntries(remaining), ...blocks }]));
}

/**
 * Lists as one list, in their order. Undefined if one of them is no list.
 * @param lists raw JSON, which has been checked
 */
export function joinLists(lists: readonly Uint8Array[]): Uint8Array | undefined {
  const inner: Uint8Array[] = [];
  for (const list of lists) {
    let start = 0;
    let end = list.length - 1;
    while (SPACES.has(list[start])) start += 1;
    while (SPACES.has(list[end])) end -= 1;
    if (list[start] !== OPEN || list[end] !== CLOSE) return undefined;
    start += 1;
    while (SPACES.has(list[start])) start += 1;
    while (SPACES.has(list[end - 1])) end -= 1;
    if (end > start) inner.push(list.subarray(start, end));
  }
  const comma = Buffer.from(',');
  const pieces = inner.flatMap((piece, index) => (index === 0 ? [piece] : [comma, piece]));
  return Buffer.concat([Buffer.from('['), ...pieces, Buffer.from(']')]);
}
