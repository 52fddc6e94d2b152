import assert from 'node:assert/strict';
import type { Checks } from '../clause.ts';
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
export const FRESHNESS_CHECKS: Checks = {
  'data.freshness': async (probe) => {
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
  'data.freshness.meta': async (probe) => {
    const { meta } = await freshness(probe);
    const { rows_read: _, ...fields } = META;
    expectFields(meta, fields);
  },
};
