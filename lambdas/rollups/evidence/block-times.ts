import type { BlockRange } from '../../chain-data/store/block-range.ts';
import type { ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { sql } from '../../shared/chain-database/sql.ts';

/** What a price is made of must have stood for so many seconds, and so many blocks. */
export const STANDING_SECONDS = 600;
export const STANDING_BLOCKS = 30;
/** Times that one row of an answer of the RDS Data API has room for. */
const TIMES_PER_ROW = 2_000;

/** A block, and its time in seconds since the epoch. */
export interface Moment {
  readonly block: number;
  readonly time: number;
}

/** Times of the blocks of a step. */
export interface BlockTimes {
  /** The block before the step; undefined where there is none. */
  readonly before: Moment | undefined;
  readonly from: number;
  /** One for each block from `from` on, none less than the one before it. */
  readonly times: readonly number[];
}

/** The first block of the step at which what came at a moment has stood; undefined if that is before or after the step. */
export function standsAt({ before, from, times }: BlockTimes, { block, time }: Moment): Moment | undefined {
  const [wantedBlock, wantedTime] = [block + STANDING_BLOCKS, time + STANDING_SECONDS];
  if (before !== undefined && before.block >= wantedBlock && before.time >= wantedTime) return undefined;
  let [lower, upper] = [Math.max(0, wantedBlock - from), times.length];
  while (lower < upper) {
    const middle = (lower + upper) >> 1;
    if ((times[middle] ?? 0) >= wantedTime) upper = middle;
    else lower = middle + 1;
  }
  const found = times[lower];
  return found === undefined ? undefined : { block: from + lower, time: found };
}

/** Reads the times of the blocks of a step, all of which are stored. */
export async function readTimes(chain: ChainQueries, { from, to }: BlockRange): Promise<BlockTimes> {
  const { rows } = await chain.query(
    sql`SELECT string_agg(extract(epoch FROM time)::bigint::text, ',' ORDER BY number) AS times FROM {{schema}}.blocks
     WHERE number BETWEEN :before AND :to GROUP BY number / ${TIMES_PER_ROW} ORDER BY number / ${TIMES_PER_ROW}`,
    { before: from - 1, to },
  );
  const times = rows.flatMap((row) => String(row.times).split(',').map(Number));
  const [first] = times;
  const hasBefore = times.length > to - from + 1 && first !== undefined;
  return {
    before: hasBefore ? { block: from - 1, time: first } : undefined,
    from,
    times: hasBefore ? times.slice(1) : times,
  };
}
