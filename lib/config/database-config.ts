import * as z from 'zod';
import { boolean, integer, must, text } from './fields.ts';

/** Aurora starts to pause after five minutes without a connection at the earliest, a day at the latest. */
const MIN_AUTO_PAUSE_MINUTES = 5;

const MAX_AUTO_PAUSE_MINUTES = 1_440;
const MAX_ACU = 256;
/** Aurora capacity units, in steps of a half. */
function capacityUnits(minimum: number) {
  const reason = must(`a number from ${minimum} to ${MAX_ACU}, in steps of 0.5`);
  return z.number(reason).min(minimum, reason).max(MAX_ACU, reason).multipleOf(0.5, reason);
}

/** The chain database: one ACU is about 2 GB of memory with the processors that go with it. */
export const database = z
  .strictObject(
    {
      enabled: boolean.default(true),
      minAcu: capacityUnits(0).default(0.5),
      maxAcu: capacityUnits(1).default(8),
      /** Version of Aurora PostgreSQL: AWS withdraws old ones. */
      engineVersion: text(/^17\.\d{1,2}$/, 'a version 17 of Aurora PostgreSQL').default('17.9'),
      /** Idle time after which the database pauses; needs `minAcu` 0. */
      autoPauseMinutes: integer(MIN_AUTO_PAUSE_MINUTES, MAX_AUTO_PAUSE_MINUTES).optional(),
      /** A second instance in another zone that takes over when the first is lost, and costs as much. */
      standby: boolean.default(false),
      /** Storage that costs more by the gigabyte and hour and nothing by the request. */
      ioOptimized: boolean.default(false),
    },
    must('an object'),
  )
  .prefault({});

/** SQS delivers to at least two runs of a function at a time, if that is limited at all. */
const MIN_BACKFILL_CONCURRENCY = 2;

const MAX_BACKFILL_CONCURRENCY = 1_000;
/** Minutes between two batches: parts of an hour, and long enough for a database that sleeps after five. */
const BATCH_MINUTES = [15, 20, 30, 60] as const;
/** A page of blocks with their receipts and traces is in memory at a time, and beside it what is derived. */
const MIN_INDEXER_MB = 768;
const MAX_INDEXER_MB = 10_240;

/** Whether the chain database is filled, and how many runs fill up the past at a time. */
export const indexing = z
  .strictObject(
    {
      enabled: boolean.default(false),
      /** Of the function that follows a chain, which runs all the time; 1,769 MB are one vCPU. */
      memoryMb: integer(MIN_INDEXER_MB, MAX_INDEXER_MB).default(1_024),
      /** Pause before a node is asked for the head again: as the index itself would choose. Absent: by the time of a block. */
      headPauseMs: integer(250, 3_000).optional(),
      /** Follows the chains in batches, so that the database sleeps between them. Absent: all the time. */
      batchMinutes: z.literal(BATCH_MINUTES, must(BATCH_MINUTES.join(', '))).optional(),
      backfillConcurrency: integer(MIN_BACKFILL_CONCURRENCY, MAX_BACKFILL_CONCURRENCY).default(4),
    },
    must('an object'),
  )
  .prefault({});
