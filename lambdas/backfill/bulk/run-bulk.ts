import type { BlockRange } from '../../chain-data/store/block-range.ts';
import { missingRanges } from '../../chain-data/store/coverage.ts';
import { readCursor } from '../../chain-data/store/cursor.ts';
import { widthNear } from '../../chain-data/store/partitions.ts';
import { type BackfillMessage, handedOn, messagesOf } from '../../indexer/backfill-message.ts';
import type { ReadDeadline } from '../../indexer/follow/chain-reader.ts';
import { type FillReport, requireIndexedTo } from '../../indexer/follow/fill-range.ts';
import type { WorkQueue } from '../../shared/aws/work-queue.ts';
import { inParallel } from '../../shared/runtime/in-parallel.ts';
import { bringOn } from './bring-on.ts';
import { findPartition, notImported, openPartition, openPartitions, runOn, unwritten } from './manifest.ts';
import { type BulkParts, writeFiles } from './write-files.ts';

/** Fewer blocks are left to the other path. */
const MIN_PARTITION_BLOCKS = 10_000;
/** Messages that have a partition of usual width written, and blocks of one. */
const MESSAGES = 100;
const MAX_MESSAGE_BLOCKS = 20_000;
/** Time until a partition is looked at again on which the database works, in seconds: twice that of the look before, at most so much. */
const FIRST_POLL_SECONDS = 2;
const MAX_POLL_SECONDS = 15;
/** Times that it is looked at: three days. */
const MAX_POLLS = 20_000;
const MESSAGES_AT_ONCE = 16;

export interface RunBulkParts extends BulkParts {
  readonly queue: WorkQueue;
  /** Completes what needs the whole history, as far as the time allows; false if something of it is left. */
  readonly completeHistory: () => Promise<boolean>;
  /** Blocks of a partition at least. @default 10,000 */
  readonly minPartitionBlocks?: number;
}

/**
 * Does one step of the bulk path.
 * @throws {UnindexedRangeError}, {FileRefusedError}, StrangeBlocksError, and whatever node, bucket or database fail with
 */
export async function runBulk(
  parts: RunBulkParts,
  message: BackfillMessage,
  options: ReadDeadline,
): Promise<FillReport> {
  switch (message.bulk) {
    case 'plan':
      return plan(parts, message);
    case 'write':
      return { blocks: 0, complete: await writeFiles(parts, message, options) };
    case 'drop':
      return drop(parts, message);
    default:
      return finish(parts, message);
  }
}

/** Makes the first missing blocks of the range a partition, has its files written, and the partition brought on. */
async function plan(parts: RunBulkParts, message: BackfillMessage): Promise<FillReport> {
  const { connection, queue, minPartitionBlocks = MIN_PARTITION_BLOCKS } = parts;
  requireIndexedTo(await readCursor(connection), message);
  const [gap] = await missingRanges(connection, message);
  if (gap === undefined) return DONE;
  const known = await findPartition(connection, gap.from);
  const width = await widthNear(connection, gap.from);
  const blocks = gap.to - gap.from + 1;
  // What would be left for a small one joins it.
  const planned = { from: gap.from, to: blocks < 1.5 * width ? gap.to : gap.from + width - 1 };
  const isEnough = blocks >= minPartitionBlocks;
  const last =
    known?.to ?? (isEnough ? await openPartition(connection, planned, parts.transferRule) : undefined);
  if (last === undefined) {
    // Too few to be a partition, or in the midst of one.
    await sendAll(queue, messagesOf({ chain: message.chain, ...gap }));
    if (gap.to < message.to) await queue.send({ ...message, from: gap.to + 1 });
    return DONE;
  }
  const partition = { from: known?.from ?? gap.from, to: last };
  // What was written and not imported may be on no message any more.
  const messageBlocks = Math.min(MAX_MESSAGE_BLOCKS, Math.ceil(width / MESSAGES));
  await sendWrites(parts, message.chain, await notImported(connection, partition), messageBlocks);
  await queue.send({ ...message, from: partition.from, bulk: 'finish' } satisfies BackfillMessage);
  return DONE;
}

const DONE: FillReport = { blocks: 0, complete: true };

async function sendWrites(
  { queue }: RunBulkParts,
  chain: string,
  gaps: readonly BlockRange[],
  messageBlocks: number,
): Promise<void> {
  await sendAll(
    queue,
    gaps.flatMap(({ from, to }) => messagesOf({ chain, from, to, bulk: 'write' }, messageBlocks)),
  );
}

async function sendAll(queue: WorkQueue, messages: readonly BackfillMessage[]): Promise<void> {
  await inParallel(messages, MESSAGES_AT_ONCE, (message) => queue.send(message));
}

/** Brings a partition on as far as it goes now, and comes back to it until it is finished. */
async function finish(parts: RunBulkParts, message: BackfillMessage): Promise<FillReport> {
  const { connection, queue } = parts;
  const partition = await findPartition(connection, message.from);
  if (partition === undefined) return DONE;
  const progress = await bringOn(
    {
      ...parts,
      onImported: async () => {
        const rest: BackfillMessage = {
          chain: message.chain,
          from: partition.to + 1,
          to: message.to,
          bulk: 'plan',
        };
        if (rest.from <= rest.to) await queue.send(rest);
      },
    },
    message.from,
  );
  if (progress === 'finished') {
    const complete = await parts.completeHistory();
    return { blocks: partition.to - partition.from + 1, complete };
  }
  if (progress === 'refused')
    await sendWrites(parts, message.chain, await unwritten(connection, partition), Number.MAX_SAFE_INTEGER);
  const next = handedOn(message, MAX_POLLS);
  const pause = Math.min(MAX_POLL_SECONDS, FIRST_POLL_SECONDS * 2 ** (next.handedOn - 1));
  await queue.send(next, progress === 'out of time' ? 0 : pause);
  return DONE;
}

async function drop({ connection }: RunBulkParts, range: BlockRange): Promise<FillReport> {
  for (const partition of await openPartitions(connection, range)) {
    if ((await runOn(connection, 'bulk_drop', partition)) !== 'done') return { blocks: 0, complete: false };
  }
  return DONE;
}
