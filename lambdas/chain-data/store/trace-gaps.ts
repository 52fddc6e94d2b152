import type { ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { runOnRows } from '../../shared/chain-database/load-rows.ts';
import { sql } from '../../shared/chain-database/sql.ts';
import type { TraceGap } from '../decode/rows.ts';
import { type BlockRange, rangeIn } from './block-range.ts';

/** Times that a block is traced before its gap stays. */
const MAX_ATTEMPTS = 5;
/**
 * Wait before the second attempt, in seconds, and by how much each further one is longer: nine hours in
 * all.
 */
const FIRST_WAIT_SECONDS = 60;
const WAIT_FACTOR = 8;
/** Blocks that one attempt traces at most: while it lasts, the head is not followed. */
const MAX_RETRY_BLOCKS = 4;

const COLUMNS = {
  from_block: 'bigint',
  to_block: 'bigint',
  reason: 'text',
  last_error: 'text',
  attempts: 'integer',
} as const;

/** A stretch of blocks that have no traces for one reason. */
export interface TraceGapRange extends BlockRange {
  readonly reason: TraceGap['reason'];
  readonly lastError: string;
  /** Times that the node was asked. */
  readonly attempts: number;
}

/** Neighbouring gaps of one reason as one, with the last message. `gaps`: in the order of the chain. */
export function gapRanges(gaps: readonly TraceGap[], attempts = 1): TraceGapRange[] {
  const ranges: TraceGapRange[] = [];
  for (const { block_number, reason, last_error } of gaps) {
    const last = ranges.at(-1);
    const goesOn = last?.to === block_number - 1 && last.reason === reason;
    const from = goesOn ? last.from : block_number;
    if (goesOn) ranges.pop();
    ranges.push({ from, to: block_number, reason, lastError: last_error, attempts });
  }
  return ranges;
}

/**
 * Records gaps of blocks that are in none. The first makes a gap longer that ends right before it, if that
 * has the same reason. Whoever changes gaps has covered blocks before, or locked their coverage: nobody
 * else does.
 */
export async function recordGaps(chain: ChainQueries, gaps: readonly TraceGapRange[]): Promise<void> {
  const [first, ...others] = gaps;
  if (first === undefined) return;
  const { updated } = await chain.query(
    sql`UPDATE {{schema}}._trace_gaps SET to_block = :to, last_error = :lastError, recorded_at = now()
     WHERE to_block = :from - 1 AND reason = :reason AND attempts = :attempts`,
    { ...first },
  );
  const left = updated === 0 ? gaps : others;
  await runOnRows(
    chain,
    {
      columns: COLUMNS,
      rows: left.map((gap) => [gap.from, gap.to, gap.reason, gap.lastError, gap.attempts]),
    },
    (rows) =>
      sql`INSERT INTO {{schema}}._trace_gaps (from_block, to_block, reason, last_error, attempts) ${rows}`,
  );
}

/** Takes blocks out of the gaps that they are in; what is left of those stays as it was. */
export async function closeGaps(chain: ChainQueries, { from, to }: BlockRange): Promise<void> {
  await chain.query(
    sql`WITH closed AS (
       DELETE FROM {{schema}}._trace_gaps
       WHERE int8range(from_block, to_block, '[]') && int8range(:from, :to, '[]') RETURNING *
     )
     INSERT INTO {{schema}}._trace_gaps (from_block, to_block, reason, attempts, last_error, recorded_at)
     SELECT from_block, :from - 1, reason, attempts, last_error, recorded_at
     FROM closed WHERE from_block < :from
     UNION ALL
     SELECT :to + 1, to_block, reason, attempts, last_error, recorded_at FROM closed WHERE to_block > :to`,
    { from, to },
  );
}

/**
 * The next blocks to trace once more: of a gap that may pass and has waited long enough since the last
 * attempt. Those of a node without traces may pass once another is known to have them, after all others.
 * Undefined if there are none.
 */
export async function findDueGap(
  chain: ChainQueries,
  nodeTraces: boolean,
): Promise<TraceGapRange | undefined> {
  const reasons = nodeTraces ? sql`'timeout', 'rpc_error', 'unsupported'` : sql`'timeout', 'rpc_error'`;
  const { rows } = await chain.query(
    sql`SELECT from_block, least(to_block, from_block + ${MAX_RETRY_BLOCKS - 1}) AS to_block, reason, attempts,
            coalesce(last_error, '') AS last_error
     FROM {{schema}}._trace_gaps
     WHERE reason IN (${reasons}) AND attempts < ${MAX_ATTEMPTS}
       AND recorded_at
         < now() - make_interval(secs => ${FIRST_WAIT_SECONDS} * ${WAIT_FACTOR} ^ (attempts - 1))
     ORDER BY reason = 'unsupported', attempts, from_block LIMIT 1`,
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  return {
    ...rangeIn(row),
    reason: row.reason as TraceGap['reason'],
    lastError: String(row.last_error),
    attempts: Number(row.attempts),
  };
}
