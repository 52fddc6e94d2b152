import assert from 'node:assert/strict';
import { type Clause, unseen } from '../clause.ts';
import { expectFields, objectOf, type TypeName } from '../expect-shape.ts';
import { freshness, META } from './data-answers.ts';

const FRESHNESS: Readonly<Record<string, TypeName>> = {
  database: 'string',
  table_name: 'string',
  category: 'string',
  key_kind: 'string',
  max_block_number: 'integer',
  max_time: 'timestamp',
  seconds_behind: 'integer',
  blocks_behind: 'integer',
  rows_estimate: 'integer',
  bytes_estimate: 'integer',
  follow_last_block: 'integer',
  follow_lag_blocks: 'integer',
  checked_at: 'timestamp',
  max_day: 'nullable',
  days_behind: 'nullable',
  trace_min_block: 'nullable',
  trace_max_block: 'nullable',
  trace_gap_ranges: 'nullable',
  trace_gap_blocks: 'nullable',
};

/** Both times and the difference may be rounded. */
const MAX_ROUNDING_SECONDS = 2;

/** Freshness of the tables. */
export const FRESHNESS_CLAUSES: readonly Clause[] = [
  {
    id: 'data.freshness',
    words:
      'Freshness: one row per tracked table; only max_day, days_behind and the four of traces are nullable',
    check: async (probe) => {
      const { rows, meta } = await freshness(probe);
      assert.ok(rows.length > 0, 'there are no rows');
      for (const row of rows) expectFields(row, FRESHNESS);
      const tables = rows.map((row) => objectOf(row, 'a row').table_name);
      assert.equal(new Set(tables).size, tables.length);
      assert.ok(tables.includes('blocks'), 'there is no row of the blocks');
      for (const row of rows.map((one) => objectOf(one, 'a row'))) {
        const [head, highest] = [Number(meta.as_of_block), Number(row.max_block_number)];
        assert.equal(row.blocks_behind, head - highest, `blocks_behind of ${row.table_name}`);
        assert.equal(row.follow_lag_blocks, head - Number(row.follow_last_block), `${row.table_name}`);
        const seconds = (Date.parse(String(row.checked_at)) - Date.parse(String(row.max_time))) / 1_000;
        assert.ok(
          Math.abs(seconds - Number(row.seconds_behind)) <= MAX_ROUNDING_SECONDS,
          `seconds_behind of ${row.table_name} is ${row.seconds_behind}, and it was ${seconds}`,
        );
      }
    },
  },
  {
    id: 'data.freshness.meta',
    words: 'Freshness: `meta` has no `rows_read`',
    check: async (probe) => {
      const { meta } = await freshness(probe);
      const { rows_read: _, ...fields } = META;
      expectFields(meta, fields);
    },
  },
  unseen(
    'data.freshness.values',
    'Freshness: which tables are tracked; estimates of rows and bytes; gaps of traces',
    'nothing outside of the gateway tells them',
  ),
];
