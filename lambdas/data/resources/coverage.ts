import type { Resources } from '../plan/resource.ts';
import { iso } from '../plan/sql-text.ts';

/** Columns of the freshness view, in the order of the description; times and days are rendered. */
const FRESHNESS_COLUMNS = `t.database, t.table_name, t.category, t.key_kind, t.max_block_number,
  ${iso('t.max_time')} AS max_time, t.seconds_behind, t.blocks_behind, t.rows_estimate, t.bytes_estimate,
  t.follow_last_block, t.follow_lag_blocks, ${iso('t.checked_at')} AS checked_at, t.max_day::text AS max_day,
  t.days_behind, t.trace_min_block, t.trace_max_block, t.trace_gap_ranges, t.trace_gap_blocks`;

export const COVERAGE_RESOURCES: Resources<'getFreshness' | 'listCoverage'> = {
  getFreshness: ({ schema }) => ({
    shape: 'list',
    branches: [{ from: `${schema}.freshness`, where: [] }],
    keys: [{ column: 'table_name', type: 'text', descending: false }],
    columns: FRESHNESS_COLUMNS,
  }),
  listCoverage: ({ schema, bind }, { dataset }) => {
    const name = bind.text(dataset);
    const covered = `coalesce((SELECT covered FROM ${schema}.coverage WHERE dataset = ${name}), '{}'::int8multirange)`;
    const gaps =
      dataset === 'traces'
        ? `SELECT from_block, to_block, 'gap', reason FROM ${schema}._trace_gaps`
        : `SELECT lower(gap), upper(gap) - 1, 'gap', '${dataset === 'balances' ? 'next_snapshot' : 'not_started'}'
           FROM unnest(int8multirange(int8range(0, (SELECT as_of FROM head), '[]')) - ${covered}) AS gap`;
    return {
      shape: 'list',
      branches: [
        {
          from: `(SELECT lower(part) AS from_block, upper(part) - 1 AS to_block, 'covered' AS state, NULL AS reason
            FROM unnest(${covered}) AS part UNION ALL ${gaps})`,
          where: [],
        },
      ],
      keys: [{ column: 'from_block', type: 'bigint', descending: false }],
      columns: 't.from_block, t.to_block, t.state, t.reason',
    };
  },
};
