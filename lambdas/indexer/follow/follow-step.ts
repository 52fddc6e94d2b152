import type { BlockId, RawBlock } from '../../chain-data/decode/raw-block.ts';
import type { BlockRows } from '../../chain-data/decode/rows.ts';
import { type Cursor, isOvertaken } from '../../chain-data/store/cursor.ts';
import type { Ring } from '../../chain-data/store/ring.ts';
import { isDatabaseAway } from '../../shared/chain-database/database-error.ts';
import { ZERO_HASH } from '../../shared/chain-database/hex.ts';
import { finalizedBelow } from '../../shared/runtime/finality.ts';
import { BlockError } from '../blocks/block-error.ts';
import type { ChainIndex } from '../chain-index/chain-index.ts';
import type { HeadOptions } from '../fetch/read-blocks.ts';
import type { Witnesses } from '../proof/witnesses.ts';
import type { ChainReader, ReadDeadline } from './chain-reader.ts';

/** Blocks of the past that a new index begins with; what is older comes by backfill. */
const FIRST_BLOCKS = 10_000;
/** Most blocks that are read before the node is asked for its head again. */
const MAX_STEP_BLOCKS = 5_000;

export interface FollowParts {
  readonly reader: ChainReader;
  readonly index: ChainIndex;
  /** @default no other node is asked */
  readonly witnesses?: Witnesses | undefined;
  readonly decode: (block: RawBlock) => BlockRows;
  /**
   * Called with the newest stored block after each transaction, and again while there is nothing to store.
   * `halted`: nothing is stored any more until an operator has looked.
   */
  readonly onStored?: (block: Pick<BlockId, 'number' | 'timestamp'>, halted?: boolean) => Promise<void>;
}

/** What a step did. */
export type StepOutcome =
  | { readonly kind: 'began'; readonly first: number }
  | { readonly kind: 'appended'; readonly blocks: number; readonly toHead: number }
  | { readonly kind: 'idle' | 'behind' }
  | { readonly kind: 'rolled_back'; readonly ancestor: number; readonly blocks: number }
  | { readonly kind: 'halted'; readonly reason: string };

/**
 * Steps after which the head that they read is noted. What appends notes it with its blocks; a node that lags has a head that
 * the chain has left behind.
 */
const NOTES_HEAD: ReadonlySet<StepOutcome['kind']> = new Set(['idle', 'rolled_back', 'halted']);

/**
 * Brings the index nearer to the node's head: one transaction for each page of blocks, or for a reorganisation. Whatever
 * fails, and wherever it is cut short, the index is as one of these transactions has left it.
 * @throws whatever the node or the database fails with, and OvertakenError if another indexer was faster
 */
export async function followStep(parts: FollowParts, options: HeadOptions): Promise<StepOutcome> {
  const { reader, index } = parts;
  const cursor = await index.cursor();
  if (cursor !== undefined && cursor.halted !== null)
    return stayHalted(parts, cursor, cursor.halted, options);
  const head = await reader.head(options);
  if (cursor === undefined) return begin(parts, head, options);
  try {
    const outcome = await advance(parts, cursor, head, options);
    if (NOTES_HEAD.has(outcome.kind)) await index.noteHead(cursor, head);
    return outcome;
  } catch (error) {
    if (!isOvertaken(error) && !isDatabaseAway(error)) await tryToNoteHead(index, cursor, head);
    throw error;
  }
}

/** The node continues without the index, which has to show. That it does not answer changes nothing. */
async function stayHalted(
  { reader, index, onStored }: FollowParts,
  cursor: Cursor,
  reason: string,
  options: ReadDeadline,
): Promise<StepOutcome> {
  await onStored?.(cursor, true);
  const head = await reader.head(options).catch(() => undefined);
  if (head !== undefined) await tryToNoteHead(index, cursor, head);
  return { kind: 'halted', reason };
}

/** Notes the head after a step of which something else has to be reported, whatever becomes of the note. */
async function tryToNoteHead(index: ChainIndex, cursor: Cursor, head: BlockId): Promise<void> {
  await index.noteHead(cursor, head).catch(() => undefined);
}

/** Does what the heights and hashes of the index and its node ask for. */
async function advance(
  parts: FollowParts,
  cursor: Cursor,
  head: BlockId,
  options: ReadDeadline,
): Promise<StepOutcome> {
  const { reader, onStored } = parts;
  if (head.number > cursor.number) return append(parts, cursor, head, options);
  // The node lags, or its chain became shorter.
  const isBehind = head.number < cursor.number;
  if (isBehind && (await reader.isGone?.(cursor, options)) === true)
    return reorganise({ ...parts, witnesses: undefined }, cursor, options, head.number);
  if (!isBehind && head.hash !== cursor.hash) return reorganise(parts, cursor, options);
  if (cursor.number >= 0) await onStored?.(cursor);
  return { kind: isBehind ? 'behind' : 'idle' };
}

async function append(
  parts: FollowParts,
  seen: Cursor,
  head: BlockId,
  options: ReadDeadline,
): Promise<StepOutcome> {
  let cursor = seen;
  const to = Math.min(head.number, seen.number + MAX_STEP_BLOCKS);
  for await (const read of parts.reader.pages(seen.number + 1, to, options)) {
    const [first] = read;
    if (first === undefined) continue;
    if (!follows(cursor, first)) return reorganise(parts, cursor, options);
    const most = await parts.witnesses?.highest(cursor, read, parts.index);
    const page = most === undefined ? read : read.filter(({ number }) => number <= most.number);
    const last = page.at(-1);
    const findings = parts.witnesses?.takeFindings();
    if (last === undefined) await parts.index.noteFindings(findings ?? {});
    else {
      await parts.index.append(cursor, { ids: page, rows: page.map(parts.decode), head, findings });
      await parts.onStored?.(last);
      cursor = { ...cursor, number: last.number, hash: last.hash, timestamp: last.timestamp };
    }
    if (most !== undefined && page.length < read.length) throw most.error;
  }
  return { kind: 'appended', blocks: cursor.number - seen.number, toHead: head.number - cursor.number };
}

/** A new index begins above a block whose hash is known, so that all that follows hangs together. */
async function begin(
  { reader, index }: FollowParts,
  head: BlockId,
  options: ReadDeadline,
): Promise<StepOutcome> {
  const first = Math.max(0, head.number - FIRST_BLOCKS + 1);
  const base: BlockId | undefined =
    first === 0
      ? { number: -1, hash: ZERO_HASH, parentHash: ZERO_HASH, timestamp: 0 }
      : await reader.header(first - 1, options);
  if (base === undefined) throw new BlockError('missing', first - 1, 'the node does not have it');
  await index.begin(base);
  return { kind: 'began', first };
}

/** Whether a block follows the cursor. Nothing is below the first block of a chain. */
function follows(cursor: Cursor, block: Pick<BlockId, 'number' | 'parentHash'>): boolean {
  return block.number === cursor.number + 1 && (cursor.number < 0 || block.parentHash === cursor.hash);
}

/** @param highest the newest block that the node's chain can have in common with the index */
async function reorganise(
  { reader, index, witnesses, onStored }: FollowParts,
  cursor: Cursor,
  options: ReadDeadline,
  highest = cursor.number,
): Promise<StepOutcome> {
  const ring = await index.ring();
  const [oldest = cursor.number] = ring.keys();
  const lowest = Math.max(finalizedBelow(cursor.number), oldest);
  const fork = await findFork(reader, ring, { lowest, highest }, options);
  const first = fork === undefined ? lowest : fork.number + 1;
  const hash = ring.get(first);
  const isFinal = fork === undefined;
  if (hash !== undefined && (await witnesses?.isReplaced({ number: first, hash }, isFinal)) === false)
    return { kind: 'behind' };
  if (fork === undefined) {
    const reason = haltReason(lowest, cursor, highest);
    await index.halt(cursor, reason);
    await onStored?.(cursor, true);
    return { kind: 'halted', reason };
  }
  const { number } = fork;
  if (number === cursor.number)
    throw new BlockError('inconsistent', number, 'what the node has above it does not follow it');
  await index.rollBack(cursor, fork);
  return { kind: 'rolled_back', ancestor: number, blocks: cursor.number - number };
}

/**
 * Finds the newest block of the ring that the node has as well, between `lowest` and `highest`, by halving.
 * @param lowest a block of the ring
 * @param highest the newest block that the node can have in common with the ring
 * @returns undefined where the node has another block `lowest`, or none
 * @throws {BlockError} if the node does not have a block of the ring
 */
async function findFork(
  reader: ChainReader,
  ring: Ring,
  { lowest, highest }: { readonly lowest: number; readonly highest: number },
  options: ReadDeadline,
): Promise<BlockId | undefined> {
  const nodeBlock = async (number: number) => {
    const block = await reader.header(number, options);
    if (block === undefined) throw new BlockError('missing', number, 'the node does not have it');
    return block;
  };
  if (highest < lowest) return undefined;
  let ancestor = await nodeBlock(lowest);
  if (ancestor.hash !== ring.get(lowest)) return undefined;
  const stored = [...ring.keys()].filter((number) => number > lowest && number <= highest);
  let [same, other] = [-1, stored.length];
  while (other - same > 1) {
    const middle = (same + other) >> 1;
    const number = stored[middle] ?? lowest;
    const block = await nodeBlock(number);
    if (block.hash === ring.get(number)) {
      same = middle;
      ancestor = block;
    } else other = middle;
  }
  return ancestor;
}

function haltReason(number: number, cursor: Cursor, highest: number): string {
  const difference =
    highest < number
      ? `the node's chain ends at block ${highest} and lacks block ${number} of the index`
      : `the node has another block ${number} than the index`;
  return (
    `${difference}, which is final below the head ${cursor.number}: ` +
    'nothing is stored until an operator has found out which chain is right. If the node is wrong, repair it ' +
    'and let the index go on; if the index is, rebuild it: both as the runbook says (IndexHalted)'
  );
}
