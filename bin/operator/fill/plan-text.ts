import type { BlockRange } from '../../../lambdas/chain-data/store/block-range.ts';
import { formatCount, renderRecord, renderTable } from '../context/text-table.ts';
import { allRows, type ChainSample } from './chain-sample.ts';
import type { FillCost, FillOptions, FillPlan, FillWay } from './fill-plan.ts';
import { PLANNED_TABLES } from './row-sizes.ts';

/** The input of the plan. */
interface PlannedFill {
  readonly chain: string;
  readonly range: BlockRange;
  /** Blocks that are missing. */
  readonly blocks: number;
  readonly sample: ChainSample;
  readonly options: Omit<FillOptions, 'blocks'>;
}

const GB = 1e9;
const PERCENT = 100;
/** An estimate has no more significant digits. */
const DIGITS = 3;

/** The plan as JSON: bytes, hours and USD as numbers of three digits; null: the price is not known. */
export function planJson({ chain, range, blocks, sample, options }: PlannedFill, plan: FillPlan): unknown {
  return {
    chain,
    from_block: range.from,
    to_block: range.to,
    missing_blocks: blocks,
    sample: {
      blocks: sample.blocks,
      rows_per_block: Object.fromEntries(PLANNED_TABLES.map((table) => [table, rounded(sample.rows[table])])),
      standard_error: rounded(sample.standardError),
      traced: sample.traced,
      read_ms_per_block: rounded(sample.readMs),
    },
    rows: rounded(plan.rows),
    bytes: rounded(plan.bytes),
    node_calls: rounded(plan.nodeCalls),
    ...wayJson(plan),
    fits_one_cluster: plan.fits,
    by_files: wayJson(plan.byFiles),
    usd_a_month: plan.monthly.map(costJson),
    assumptions: {
      functions: options.functions,
      max_acu: options.maxAcu,
      calls_per_second: options.callsPerSecond ?? null,
      node_usd_per_million_calls: options.nodeUsd ?? null,
    },
  };
}

/** One way of filling: its hours, what limits them, and USD. */
function wayJson({ hours, once }: FillWay) {
  return {
    hours: rounded(hours[0]?.hours ?? 0),
    limited_by: hours[0]?.limit,
    hours_by_limit: Object.fromEntries(hours.map(({ limit, hours: value }) => [limit, rounded(value)])),
    usd_once: once.map(costJson),
  };
}

function costJson({ line, usd, ioOptimizedUsd }: FillCost) {
  return { line, usd: usdJson(usd), io_optimized_usd: usdJson(ioOptimizedUsd) };
}

const usdJson = (usd: number | undefined) => (usd === undefined ? null : rounded(usd));

/** The plan for people. */
export function planText(planned: PlannedFill, plan: FillPlan): string {
  const { chain, range, blocks, sample, options } = planned;
  const transactions = sample.rows.transactions * blocks;
  const facts = renderRecord({
    chain,
    blocks: `${formatCount(range.from)} to ${formatCount(range.to)}, ${formatCount(blocks)} of them missing`,
    sample: `${formatCount(sample.blocks)} blocks of ${short(allRows(sample.rows))} rows, give or take ${short(2 * PERCENT * sample.standardError)} %${sample.traced ? '' : '; without calls within transactions'}`,
    rows: `${short(plan.rows)} (${short(transactions)} transactions)`,
    size: `${short(plan.bytes / GB)} GB${transactions > 0 ? `, ${short(plan.bytes / transactions)} bytes a transaction` : ''}${plan.fits ? '' : ': more than one cluster holds (128 TiB)'}`,
    'node calls': short(plan.nodeCalls),
    time: timeOf(plan),
    'with --bulk': timeOf(plan.byFiles),
    'planned with': [
      `${options.functions} functions`,
      `${options.maxAcu} ACU`,
      options.callsPerSecond === undefined
        ? 'a node without bound'
        : `${options.callsPerSecond} calls/s of the node`,
    ].join(', '),
  });
  const byFiles = new Map(plan.byFiles.hours.map(({ limit, hours }) => [limit, hours]));
  const limits = renderTable(
    ['limit', 'hours', '--bulk'],
    plan.hours.map(({ limit, hours }) => [limit, short(hours), short(byFiles.get(limit) ?? 0)]),
  );
  const costs = renderTable(
    ['USD', 'standard storage', 'I/O-Optimized'],
    [
      ...plan.once.map(costRow),
      ...plan.byFiles.once.map((cost) => costRow({ ...cost, line: `--bulk: ${cost.line}` })),
      ...plan.monthly.map((cost) => costRow({ ...cost, line: `${cost.line}, a month` })),
    ],
  );
  return [facts, limits, costs].join('\n\n');
}

function timeOf({ hours: [longest] }: FillWay): string {
  return `${short(longest?.hours ?? 0)} hours, limited by: ${longest?.limit}`;
}

function costRow({ line, usd, ioOptimizedUsd }: FillCost): string[] {
  return [line, ...[usd, ioOptimizedUsd].map((value) => (value === undefined ? '?' : short(value)))];
}

const rounded = (value: number) => Number(value.toPrecision(DIGITS));
/** With as many digits as an estimate has. */
const short = (value: number) => rounded(value).toLocaleString('en-US', { maximumSignificantDigits: DIGITS });
