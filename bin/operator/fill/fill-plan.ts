import { type PriceName, priceOf, UNIT_PRICES } from '../../prices/unit-prices.ts';
import { allRows, type ChainSample } from './chain-sample.ts';
import { PLANNED_TABLES, ROW_SIZES } from './row-sizes.ts';

/** AWS tells the memory of an ACU, and its classes for such work have 8 GiB for each processor. */
const PROCESSORS_PER_ACU = 0.25;
/** What was measured of a way (`bench -- fill`), tables in memory. */
interface WayRates {
  /** Rows a second of one function, of two that work at once: stored, or written to files. */
  readonly functionRows: number;
  /** Processor time of PostgreSQL for a row, with its indexes and what is derived, in microseconds. */
  readonly databaseMicroseconds: number;
}
const BY_PAGES: WayRates = { functionRows: 25_000, databaseMicroseconds: 30 };
const BY_FILES: WayRates = { functionRows: 178_000, databaseMicroseconds: 12 };
/** Processor time of a function for a transaction that it verifies, with its signer, in microseconds: measured. */
const VERIFY_MICROSECONDS = 240;
/** Bytes of a row in a file: measured. A file of 16 MiB is some ten objects. */
const FILED_BYTES_PER_ROW = 300;
const OBJECT_BYTES = 1.6 * 2 ** 20;
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
type FillLimit = 'functions' | 'node' | 'database processors';

/** One line of a bill in USD; undefined: its price is not known. */
export interface FillCost {
  readonly line: string;
  readonly usd: number | undefined;
  /** With storage that is billed by the gigabyte alone (`database.ioOptimized`). */
  readonly ioOptimizedUsd: number | undefined;
}

/** What one way of filling takes. */
export interface FillWay {
  /** Hours by what bounds the fill, the longest first; the first is how long it takes at least. */
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
  /** Whether one cluster can hold it. */
  readonly fits: boolean;
  /** The same with `--bulk`. */
  readonly byFiles: FillWay;
  /** Paid each month, for what is stored. */
  readonly monthly: readonly FillCost[];
}

/** What a fill takes at least: a sample and what was measured of a row, for all blocks. */
export function planFill(sample: ChainSample, options: FillOptions): FillPlan {
  const { blocks } = options;
  const rows = allRows(sample.rows) * blocks;
  const rowBytes = PLANNED_TABLES.reduce(
    (sum, table) => sum + sample.rows[table] * (ROW_SIZES[table].bytes + ROW_SIZES[table].indexBytes),
    sample.dataBytes,
  );
  const bytes = rowBytes * blocks;
  const nodeCalls = sample.nodeCalls * blocks;
  const readSeconds = (sample.readMs / MILLISECONDS_PER_SECOND) * blocks;
  const verifySeconds = (sample.rows.transactions * blocks * VERIFY_MICROSECONDS) / MICROSECONDS_PER_SECOND;
  const work = { rows, bytes, nodeCalls, readSeconds: readSeconds + verifySeconds };
  const requests = cost('RDS Data API', (rows * REQUEST_BYTES_PER_ROW) / BILLED_CALL_BYTES, 'databaseCall');
  const files = cost('files', (rows * FILED_BYTES_PER_ROW) / OBJECT_BYTES, 'objectPut');
  return {
    rows,
    bytes,
    nodeCalls,
    fits: bytes <= MAX_CLUSTER_BYTES,
    ...wayOf(options, work, BY_PAGES, requests),
    byFiles: wayOf(options, work, BY_FILES, files),
    monthly: [cost('storage', bytes / GB, 'databaseStorage', 'ioOptimizedStorage')],
  };
}

/** What is to be done, whatever the way. */
interface FillWork extends Pick<FillPlan, 'rows' | 'bytes' | 'nodeCalls'> {
  /** Time of one function that reads and verifies all blocks. */
  readonly readSeconds: number;
}

/** @param carried what brings the rows to the database */
function wayOf(
  { functions, maxAcu, callsPerSecond, nodeUsd }: FillOptions,
  { rows, bytes, nodeCalls, readSeconds }: FillWork,
  { functionRows, databaseMicroseconds }: WayRates,
  carried: FillCost,
): FillWay {
  const writerSeconds = (rows * databaseMicroseconds) / MICROSECONDS_PER_SECOND;
  const seconds: Readonly<Record<FillLimit, number>> = {
    functions: (readSeconds + rows / functionRows) / functions,
    node: callsPerSecond === undefined ? 0 : nodeCalls / callsPerSecond,
    'database processors': writerSeconds / (maxAcu * PROCESSORS_PER_ACU),
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
      cost('its writes', bytes / BILLED_WRITE_BYTES, 'databaseIo', null),
      carried,
      cost('functions', functions * FUNCTION_GB * duration * SECONDS_PER_HOUR, 'lambdaGbSecond'),
      { line: 'calls of the node', usd: nodePrice, ioOptimizedUsd: nodePrice },
    ],
  };
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
