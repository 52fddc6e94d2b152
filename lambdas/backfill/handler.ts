import type { BlockRange } from '../chain-data/store/block-range.ts';
import { type BackfillMessage, handedOn, parseBackfillMessage } from '../indexer/backfill-message.ts';
import type { ChainReader, ReadDeadline } from '../indexer/follow/chain-reader.ts';
import { completeHistory } from '../indexer/follow/complete-history.ts';
import { type FillParts, type FillReport, fillRange } from '../indexer/follow/fill-range.ts';
import type { WorkQueue } from '../shared/aws/work-queue.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import { errorField } from '../shared/runtime/log.ts';

import type { Telemetry } from '../shared/runtime/telemetry.ts';
import { runBulk } from './bulk/run-bulk.ts';
import type { BulkBucket, BulkParts } from './bulk/write-files.ts';

/** Time that is kept for the transaction under way and for handing on, in milliseconds. */
const END_BEFORE_TIMEOUT_MS = 30_000;
/** Runs that one message may take, each as long as a run may be: three days, and far more than any range takes. */
export const MAX_HANDED_ON = 1_000;

/** What fills the index of a chain, page by page, and by files. */
type FilledChain = Omit<FillParts, 'outOfTime'> & Pick<BulkParts, 'connection' | 'transferRule'>;

interface BackfillParts {
  /** Throws an Error for a chain that there is none of. */
  readonly chainOf: (chain: string) => FilledChain;
  /** A reader that has the blocks of a part from its files, and all others as `reader` has them. */
  readonly openFiles: (chain: string, manifest: string, reader: ChainReader) => Promise<ChainReader>;
  readonly bucket: BulkBucket;
  readonly queue: WorkQueue;
  readonly clock: Clock;
  readonly log: Telemetry['log'];
  /** Time that is left to this run, in milliseconds. */
  readonly remainingMs: () => number;
}

/** What SQS delivers. */
export interface BackfillEvent {
  readonly Records: readonly { readonly body: string }[];
}

/**
 * Stores what is missing of the ranges of messages. What the time does not allow is handed on; a range that fails is
 * delivered again, and continues where it failed.
 */
export async function runBackfill(parts: BackfillParts, event: BackfillEvent): Promise<void> {
  for (const { body } of event.Records) await fill(parts, parseBackfillMessage(body));
}

async function fill(parts: BackfillParts, message: BackfillMessage): Promise<void> {
  const { chain } = message;
  const startedMs = parts.clock.now();
  const deadline = startedMs + parts.remainingMs() - END_BEFORE_TIMEOUT_MS;
  try {
    const { reader, ...known } = parts.chainOf(chain);
    const filled = {
      ...known,
      reader:
        message.manifest === undefined ? reader : await parts.openFiles(chain, message.manifest, reader),
      outOfTime: () => parts.clock.now() >= deadline,
    };
    const finished = async () => (await completeHistory(filled, { deadline })).complete;
    const { blocks, complete } = await (message.bulk === undefined
      ? fillUp(filled, message, { deadline })
      : runBulk({ ...parts, ...filled, completeHistory: finished }, message, { deadline }));
    if (!complete && blocks === 0 && message.bulk === undefined)
      throw new Error(`blocks ${message.from} to ${message.to} got no time`);
    if (!complete) await parts.queue.send(handedOn(message, MAX_HANDED_ON));
    parts.log('info', 'backfilled', { chain, count: blocks, durationMs: parts.clock.now() - startedMs });
  } catch (error) {
    parts.log('error', 'backfill_failed', { chain, error: errorField(error) });
    throw error;
  }
}

/** Stores the range, and then what blocks above it lack that need it. */
async function fillUp(parts: FillParts, range: BlockRange, options: ReadDeadline): Promise<FillReport> {
  const filled = await fillRange(parts, range, options);
  if (!filled.complete) return filled;
  const history = await completeHistory(parts, options);
  return { blocks: filled.blocks + history.blocks, complete: history.complete };
}
