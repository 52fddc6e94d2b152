import * as z from 'zod';
import { MAX_SHARDS } from '../../lambdas/access/store/tables.ts';
import { boolean, integer, must } from './fields.ts';
import { defaultShards } from './plan-limits.ts';

const MAX_PLAN_LIMIT = 1_000_000_000;
const MAX_GROUP_COMMIT_CU = 1_000_000;
/** Limits of a plan: compute units a second, and HTTP requests a second, of which a batch is one. */
export const plan = z
  .strictObject(
    {
      bucketCapacity: integer(1, MAX_PLAN_LIMIT),
      refillPerSecond: integer(1, MAX_PLAN_LIMIT),
      requestsPerSecond: integer(1, MAX_PLAN_LIMIT).optional(),
      /** Whether a key that is busy on an instance may draw its bucket for several requests at once; absent: by the hosting. */
      drawAhead: boolean.optional(),
      /** Partitions of the lanes of an account; absent: as many as what the plan sells may need. */
      shards: integer(1, MAX_SHARDS).optional(),
    },
    must('an object'),
  )
  .transform((sold) => ({ ...sold, shards: sold.shards ?? defaultShards(sold) }));

const HOUR = /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3])$/;
const AN_HOUR = 'an hour in UTC, such as 2026-11-20T23';
const price = integer(1, MAX_PLAN_LIMIT);
/** Cached calls and rows cost 1 CU each, whatever a list says of others. */
const priceList = z.strictObject(
  {
    from: z.string(must(AN_HOUR)).regex(HOUR, must(AN_HOUR)),
    cached: z.literal(1, must('1')),
    default: price,
    prices: z.record(z.string(), price),
  },
  must('an object'),
);

/** How charges are stored. What each setting can lose is in docs/metering.md. */
export const metering = z
  .strictObject(
    {
      /** Whether a charge is stored before its response is sent, for one more round trip. */
      storeBeforeAnswer: boolean.default(false),
      /** Most compute units that one instance may hold back, to store them with later ones; 0: each is stored; absent: by the hosting. */
      groupCommitCu: integer(0, MAX_GROUP_COMMIT_CU).optional(),
      /** Price lists that the ledger has, or will have before they begin: see docs/metering.md. */
      prices: z.array(priceList).optional(),
    },
    must('an object'),
  )
  .prefault({});

const MAX_QUERIES_PER_KEY = 100;
const MAX_EXPORTS_PER_KEY = 100;
/** Bounds of the Data API: work of one key that may be under way at a time, over all instances. */
export const dataApi = z
  .strictObject(
    {
      /** Statements that the chain database runs for it. */
      queriesPerKey: integer(1, MAX_QUERIES_PER_KEY).default(8),
      /** Exports that are read and sent; each has an instance of the function. */
      exportsPerKey: integer(1, MAX_EXPORTS_PER_KEY).default(4),
    },
    must('an object'),
  )
  .prefault({});
