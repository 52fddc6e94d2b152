import { PARTITION_BYTES } from '../../../lambdas/chain-data/store/partition-bounds.ts';
import { type PriceName, priceOf, UNIT_PRICES } from '../../prices/unit-prices.ts';
import { allRows, type ChainSample } from './chain-sample.ts';
import { PLANNED_TABLES, ROW_SIZES } from './row-sizes.ts';

/** Processor time of PostgreSQL for a row while its tables are in memory, in microseconds: measured (`bench -- fill`). */
const WRITER_MICROSECONDS_PER_ROW = 25;
/** AWS tells the memory of an ACU, and its classes for such work have 8 GiB for each processor. */
const PROCESSORS_PER_ACU = 0.25;
/** Share of the processors that is busy: the rest is for what is not even. */
const USABLE_SHARE = 0.6;
const GIB_PER_ACU = 2;
/** Share of the database's memory that holds pages of tables and indexes. */
const CACHE_SHARE = 0.75;
/** Rows a second that one function stores: half of the 49,000 of a database on the same machine, for the way to it. */
const ROWS_PER_FUNCTION_SECOND = 25_000;
/** That for a row of a file, with its indexes and what is derived: measured beside it. */
const FILED_MICROSECONDS_PER_ROW = 11;
/** Rows a second that one function writes to files: half of what a processor of its own does, for the way to the bucket. */
const FILED_ROWS_PER_FUNCTION_SECOND = 100_000;
/** Times that a table is read from storage once it is imported: by its indexes, and by what is derived. */
const FILED_TABLE_READS = 2;
/** Bytes of a row in a file: measured. A file of 16 MiB is some ten objects. */
const FILED_BYTES_PER_ROW = 300;
const OBJECT_BYTES = 1.6 * 2 ** 20;
/** What one read of storage gives. */
const PAGE_BYTES = 8 * 1_024;
/** Pages a second that storage gives one writer: an assumption. */
const STORAGE_READS_PER_SECOND = 100_000;
/** Bytes of a row in a request of the RDS Data API: measured. */
const REQUEST_BYTES_PER_ROW = 512;
/** Billing unit of one call of the RDS Data API. */
const BILLED_CALL_BYTES = 32 * 1_024;
/** Billing unit of one write to storage. */
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

/** The operator's decisions, and the facts about the node. */
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

/** The resource that bounds how fast a chain is filled. */
type FillLimit = 'functions' | 'node' | 'database processors' | 'database storage';

/** One line of a bill in USD; undefined: its price is not known. */
export interface FillCost {
  readonly line: string;
  readonly usd: number | undefined;
  /** With storage that is billed by the gigabyte alone (`database.ioOptimized`). */
  readonly ioOptimizedUsd: number | undefined;
}

/** What one way of filling takes. */
export interface FillWay {
  /** Hours by what could bound the fill, the longest first; the first is how long it takes. */
  readonly hours: readonly { readonly limit: FillLimit; readonly hours: number }[];
  /** Paid once, for the fill. */
  readonly once: readonly FillCost[];
}

/** What a fill takes page by page, and by files. */
export interface FillPlan extends FillWay {
  readonly rows: number;
  /** Of tables and indexes. */
  readonly bytes: number;
  readonly nodeCalls: number;
  /** Share of index pages that are read from storage page by page, as memory does not hold those of one partition. */
  readonly uncached: number;
  /** Whether one cluster can hold it. */
  readonly fits: boolean;
  /** The same with `--bulk`. */
  readonly byFiles: FillWay;
  /** Paid each month, for what is stored. */
  readonly monthly: readonly FillCost[];
}

/** What a fill takes: an estimate from a sample, from sizes that were measured and from the assumptions above. */
export function planFill(sample: ChainSample, options: FillOptions): FillPlan {
  const { blocks, maxAcu } = options;
  const rows = allRows(sample.rows) * blocks;
  const total = (of: (size: (typeof ROW_SIZES)[keyof typeof ROW_SIZES]) => number) =>
    blocks * PLANNED_TABLES.reduce((sum, table) => sum + sample.rows[table] * of(ROW_SIZES[table]), 0);
  const indexBytes = total((size) => size.indexBytes);
  const tableBytes = total((size) => size.bytes) + sample.dataBytes * blocks;
  const bytes = tableBytes + indexBytes;
  const nodeCalls = sample.nodeCalls * blocks;
  const uncached = uncachedShare(indexBytes * Math.min(1, PARTITION_BYTES / bytes), maxAcu);
  const work = { rows, bytes, nodeCalls, readSeconds: (sample.readMs / MILLISECONDS_PER_SECOND) * blocks };
  return {
    rows,
    bytes,
    nodeCalls,
    uncached,
    fits: bytes <= MAX_CLUSTER_BYTES,
    ...wayOf(options, work, {
      rowsPerFunctionSecond: ROWS_PER_FUNCTION_SECOND,
      writerMicroseconds: WRITER_MICROSECONDS_PER_ROW,
      reads: total((size) => size.scatteredIndexes) * uncached,
      carried: cost('RDS Data API', (rows * REQUEST_BYTES_PER_ROW) / BILLED_CALL_BYTES, 'databaseCall'),
    }),
    byFiles: wayOf(options, work, {
      rowsPerFunctionSecond: FILED_ROWS_PER_FUNCTION_SECOND,
      writerMicroseconds: FILED_MICROSECONDS_PER_ROW,
      reads: (FILED_TABLE_READS * tableBytes) / PAGE_BYTES,
      carried: cost('files', (rows * FILED_BYTES_PER_ROW) / OBJECT_BYTES, 'objectPut'),
    }),
    monthly: [cost('storage', bytes / GB, 'databaseStorage', 'ioOptimizedStorage')],
  };
}

/** What is to be done, whatever the way. */
interface FillWork extends Pick<FillPlan, 'rows' | 'bytes' | 'nodeCalls'> {
  /** Time of one function that reads all blocks. */
  readonly readSeconds: number;
}

/** How one way does it. */
interface WayFigures {
  readonly rowsPerFunctionSecond: number;
  /** Processor time of PostgreSQL for a row. */
  readonly writerMicroseconds: number;
  /** Pages that are read from storage. */
  readonly reads: number;
  /** What brings the rows to the database. */
  readonly carried: FillCost;
}

function wayOf(
  { functions, maxAcu, callsPerSecond, nodeUsd }: FillOptions,
  { rows, bytes, nodeCalls, readSeconds }: FillWork,
  { rowsPerFunctionSecond, writerMicroseconds, reads, carried }: WayFigures,
): FillWay {
  const writerSeconds = (rows * writerMicroseconds) / MICROSECONDS_PER_SECOND;
  const seconds: Readonly<Record<FillLimit, number>> = {
    functions: (readSeconds + rows / rowsPerFunctionSecond) / functions,
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
    hours,
    once: [
      cost('capacity of the database', maxAcu * duration, 'acuHour', 'ioOptimizedAcuHour'),
      cost('its I/O', reads + bytes / BILLED_WRITE_BYTES, 'databaseIo', null),
      carried,
      cost('functions', functions * FUNCTION_GB * duration * SECONDS_PER_HOUR, 'lambdaGbSecond'),
      { line: 'calls of the node', usd: nodePrice, ioOptimizedUsd: nodePrice },
    ],
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
