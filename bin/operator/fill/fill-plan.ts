import { PARTITION_BYTES } from '../../../lambdas/chain-data/store/partition-bounds.ts';
import { type PriceName, priceOf, UNIT_PRICES } from '../../prices/unit-prices.ts';
import { allRows, type ChainSample } from './chain-sample.ts';
import { PLANNED_TABLES, ROW_SIZES } from './row-sizes.ts';

/** Processor time of PostgreSQL for a row while its tables are in memory, in microseconds: measured, 760,000 rows. */
const WRITER_MICROSECONDS_PER_ROW = 12;
/** AWS tells the memory of an ACU, and its classes for such work have 8 GiB for each processor. */
const PROCESSORS_PER_ACU = 0.25;
/** Share of the processors that is busy: the rest is for what is not even. */
const USABLE_SHARE = 0.6;
const GIB_PER_ACU = 2;
/** Share of the database's memory that holds pages of tables and indexes. */
const CACHE_SHARE = 0.75;
/** Rows a second that one function stores: half of the 49,000 of a database on the same machine, for the way to it. */
const ROWS_PER_FUNCTION_SECOND = 25_000;
/** Pages a second that storage gives one writer: an assumption. */
const STORAGE_READS_PER_SECOND = 100_000;
/** Bytes of a row in a request of the RDS Data API: measured. */
const REQUEST_BYTES_PER_ROW = 512;
/** What one call of the RDS Data API is billed by. */
const BILLED_CALL_BYTES = 32 * 1_024;
/** What one write to storage is billed by. */
const BILLED_WRITE_BYTES = 4 * 1_024;
/** Memory of the function that fills, in GB. */
const FUNCTION_GB = 1_769 / 1_024;
/** Largest cluster of Aurora, in bytes. */
const MAX_CLUSTER_BYTES = 128 * 2 ** 40;

const GIB = 2 ** 30;
const GB = 1e9;
const SECONDS_PER_HOUR = 3_600;
const MICROSECONDS_PER_SECOND = 1e6;
const MILLISECONDS_PER_SECOND = 1_000;
const CALLS_OF_A_PRICE = 1e6;

/** What the operator decides, and what is known of the node. */
export interface FillOptions {
  /** Blocks that are missing. */
  readonly blocks: number;
  /** Functions that fill at a time: `indexing.backfillConcurrency` of the stage file. */
  readonly functions: number;
  /** `database.maxAcu` of the stage file. */
  readonly maxAcu: number;
  /** Calls a second that the node takes. Absent: as many as come. */
  readonly callsPerSecond?: number | undefined;
  /** USD for a million calls. Absent: not known. */
  readonly nodeUsd?: number | undefined;
}

/** What bounds how fast a chain is filled. */
export type FillLimit = 'functions' | 'node' | 'database processors' | 'database storage';

/** One line of a bill in USD; undefined: its price is not known. */
export interface FillCost {
  readonly line: string;
  readonly usd: number | undefined;
  /** With storage that is billed by the gigabyte alone (`database.ioOptimized`). */
  readonly ioOptimizedUsd: number | undefined;
}

export interface FillPlan {
  readonly rows: number;
  /** Of tables and indexes. */
  readonly bytes: number;
  readonly nodeCalls: number;
  /** Hours by what could bound the fill, the longest first; the first is how long it takes. */
  readonly hours: readonly { readonly limit: FillLimit; readonly hours: number }[];
  /** Share of index pages that are read from storage, as memory does not hold those of one partition. */
  readonly uncached: number;
  /** Whether one cluster can hold it. */
  readonly fits: boolean;
  /** Paid once, for the fill. */
  readonly once: readonly FillCost[];
  /** Paid each month, for what is stored. */
  readonly monthly: readonly FillCost[];
}

/** What a fill takes: an estimate from a sample, from sizes that were measured and from the assumptions above. */
export function planFill(sample: ChainSample, options: FillOptions): FillPlan {
  const { blocks, functions, maxAcu, callsPerSecond, nodeUsd } = options;
  const rows = allRows(sample.rows) * blocks;
  const total = (of: (size: (typeof ROW_SIZES)[keyof typeof ROW_SIZES]) => number) =>
    blocks * PLANNED_TABLES.reduce((sum, table) => sum + sample.rows[table] * of(ROW_SIZES[table]), 0);
  const indexBytes = total((size) => size.indexBytes);
  const bytes = total((size) => size.bytes) + indexBytes + sample.dataBytes * blocks;
  const nodeCalls = sample.nodeCalls * blocks;
  const uncached = uncachedShare(indexBytes * Math.min(1, PARTITION_BYTES / bytes), maxAcu);
  const reads = total((size) => size.scatteredIndexes) * uncached;
  const functionSeconds =
    (sample.readMs / MILLISECONDS_PER_SECOND) * blocks + rows / ROWS_PER_FUNCTION_SECOND;
  const writerSeconds = (rows * WRITER_MICROSECONDS_PER_ROW) / MICROSECONDS_PER_SECOND;
  const seconds: Readonly<Record<FillLimit, number>> = {
    functions: functionSeconds / functions,
    node: callsPerSecond === undefined ? 0 : nodeCalls / callsPerSecond,
    'database processors': writerSeconds / (maxAcu * PROCESSORS_PER_ACU * USABLE_SHARE),
    'database storage': reads / STORAGE_READS_PER_SECOND,
  };
  const hours = Object.entries(seconds)
    .map(([limit, value]) => ({ limit: limit as FillLimit, hours: value / SECONDS_PER_HOUR }))
    .sort((left, right) => right.hours - left.hours);
  const duration = hours[0]?.hours ?? 0;
  const nodePrice = nodeUsd === undefined ? undefined : (nodeCalls / CALLS_OF_A_PRICE) * nodeUsd;
  return {
    rows,
    bytes,
    nodeCalls,
    hours,
    uncached,
    fits: bytes <= MAX_CLUSTER_BYTES,
    once: [
      cost('capacity of the database', maxAcu * duration, 'acuHour', 'ioOptimizedAcuHour'),
      cost('its I/O', reads + bytes / BILLED_WRITE_BYTES, 'databaseIo', null),
      cost('RDS Data API', (rows * REQUEST_BYTES_PER_ROW) / BILLED_CALL_BYTES, 'databaseCall'),
      cost('functions', functions * FUNCTION_GB * duration * SECONDS_PER_HOUR, 'lambdaGbSecond'),
      { line: 'calls of the node', usd: nodePrice, ioOptimizedUsd: nodePrice },
    ],
    monthly: [cost('storage', bytes / GB, 'databaseStorage', 'ioOptimizedStorage')],
  };
}

/** Share of the pages of one partition's indexes that memory does not hold. */
function uncachedShare(indexBytes: number, maxAcu: number): number {
  const cache = maxAcu * GIB_PER_ACU * GIB * CACHE_SHARE;
  return Math.max(0, 1 - cache / indexBytes);
}

/** @param ioOptimized price with the other storage; null: it is free there. */
function cost(
  line: string,
  quantity: number,
  price: PriceName,
  ioOptimized: PriceName | null = price,
): FillCost {
  const usdOf = (name: PriceName) => priceOf(quantity, UNIT_PRICES[name].tiers);
  return { line, usd: usdOf(price), ioOptimizedUsd: ioOptimized === null ? 0 : usdOf(ioOptimized) };
}
