import { keysJson } from './page-rows.ts';
import type { Plan } from './plan.ts';
import { isFiltered, MAX_EXAMINED_ROWS } from './scan.ts';
import { hex, iso } from './sql-text.ts';
import type { StatementRequest } from './statement-request.ts';

/** What the first row of a statement says about the response. */
export interface ResponseMeta {
  /** Null if the chain is not indexed; all other fields are null or without meaning then. */
  readonly as_of: number | null;
  readonly finalized: number;
  /** The last block that may be returned: the finalized one, or the head. */
  readonly reach: number;
  /** Why the window was refused. */
  readonly refusal: 'finality_exceeded' | 'window_too_large' | 'block_replaced' | null;
  readonly asked_from: number;
  readonly asked_to: number;
  readonly lo: number;
  readonly hi: number;
  /** The blocks whose coverage is stated; none if the first is above the last. */
  readonly cover_from: number;
  readonly cover_to: number;
  readonly coverage: 'full' | 'partial' | 'none';
  readonly refreshed_at: string;
  readonly rows_read: number;
  /** Rows of the page, the one that shows that there is a next page included. */
  readonly rows_found: number;
  /** Rows found that are billed. */
  readonly rows_counted: number;
  /** Block of the one row. */
  readonly height: number | null;
  readonly exists: boolean;
  /** Id of the newest balances snapshot. */
  readonly snapshot: number | null;
  /** Last block of that snapshot. */
  readonly snapshot_block: number | null;
  /** Keys of the last row that the filter examined, as JSON, if it did not examine all; null without a filter. */
  readonly examined_to: string | null;
  readonly rows_returned: number;
  /** Bytes of the returned rows and the end of each, before compression: not what their escapes take on the way here. */
  readonly bytes_returned: number;
  /** Whether one of the seats of the key was free; if not, nothing was read. */
  readonly seated: boolean;
  /** Keys of the last returned row as JSON, where rows are packed; null if it is absent. */
  readonly returned_to: string | null;
  /** Hash of the block that the page ends in; null where only finalized rows are returned. */
  readonly anchor: string | null;
  /** Why there is no row, where the plan can tell. */
  readonly absent_reason?: string | null;
}

/** SQL of whether a row is returned on this page: rows above the limits of the page are on the next one. */
export function rowThatFits({
  scope: { bind },
  limit,
  maxBytes,
}: Pick<StatementRequest, 'scope' | 'limit' | 'maxBytes'>): string {
  return `ordinal <= ${bind.integer(limit)} AND item IS NOT NULL AND (bytes <= ${bind.integer(maxBytes)} OR ordinal = 1)`;
}

/** SQL of {@link ResponseMeta} as JSON. @param fits SQL of whether a row is returned */
export function metaJson(request: StatementRequest, fits: string): string {
  const { plan, dataset, packed } = request;
  const refreshed =
    plan.ofSnapshot === true
      ? '(SELECT completed_at FROM snapshot)'
      : 'coalesce(covering.updated_at, covered.updated_at)';
  return `SELECT row_to_json(meta)::text FROM (
    SELECT as_of, finalized, reach, refusal, asked_from, asked_to, lo, hi, cover_from, cover_to,
      ${dataset === undefined ? "'full'" : COVERAGE} AS coverage,
      ${iso(refreshed)} AS refreshed_at,
      (SELECT count(*) FROM ${isFiltered(plan) ? 'examined' : 'page'}) AS rows_read,
      (SELECT count(*) FROM page) AS rows_found,
      (SELECT count(*) FROM page WHERE ${fits}) AS rows_returned,
      (SELECT coalesce(sum(octet_length(item) + 1), 0) FROM page WHERE ${fits}) AS bytes_returned,
      (SELECT taken FROM seat) AS seated,
      ${packed === undefined ? 'NULL' : lastReturned(request, fits)} AS returned_to,
      (SELECT count(*) FROM page WHERE counted) AS rows_counted,
      (SELECT min(height) FROM page) AS height,
      ${plan.exists ?? 'true'} AS exists,
      (SELECT snapshot_id FROM snapshot) AS snapshot,
      (SELECT block_number FROM snapshot) AS snapshot_block,
      ${lastExamined(plan)} AS examined_to,
      ${anchor(request, fits)} AS anchor${absentReason(plan)}
    FROM covered LEFT JOIN (
      ${
        dataset === undefined
          ? 'SELECT NULL::int8multirange AS blocks, NULL::int8multirange AS any_blocks, NULL::timestamptz AS updated_at'
          : coveringBlocks(request, dataset)
      }
    ) AS covering ON true
  ) AS meta`;
}

/** SQL of the field that says why there is no row, after a comma; empty where the plan cannot tell. */
function absentReason({ absentReason: reason }: Plan): string {
  return reason === undefined
    ? ''
    : `,\n      CASE WHEN NOT EXISTS (SELECT 1 FROM page) THEN ${reason} END AS absent_reason`;
}

/**
 * SQL of the blocks that a response's data set has. Of several, those that all of them have, and those that any has: where these
 * are some of a range, it is partly covered.
 */
function coveringBlocks({ scope, plan: { alsoOf } }: StatementRequest, dataset: string): string {
  const { schema, bind } = scope;
  if (alsoOf === undefined)
    return `SELECT covered AS blocks, covered AS any_blocks, updated_at FROM ${schema}.coverage
        WHERE dataset = ${bind.text(dataset)}`;
  const names = [dataset, ...alsoOf].map((name) => bind.text(name)).join(', ');
  return `SELECT range_intersect_agg(coalesce(covered, '{}')) AS blocks, range_agg(coalesce(covered, '{}')) AS any_blocks,
          min(updated_at) AS updated_at
        FROM unnest(ARRAY[${names}]) AS part (name) LEFT JOIN ${schema}.coverage ON dataset = part.name`;
}

/** SQL of the coverage of a data set: of the blocks that it has, and those that the response is about. */
const COVERAGE = `CASE
        WHEN cover_from > cover_to OR blocks @> int8range(cover_from, cover_to, '[]') THEN 'full'
        WHEN any_blocks && int8range(cover_from, cover_to, '[]') THEN 'partial' ELSE 'none' END`;

/** SQL of the hash of the block that the page ends in: a cursor is valid as long as this block is stored. */
function anchor(request: StatementRequest, fits: string): string {
  const { scope, plan } = request;
  if (plan.finality !== 'latest' || plan.window === undefined || plan.shape === 'one') return 'NULL';
  return `(SELECT ${hex('hash')} FROM ${scope.schema}.blocks WHERE number = ((
        CASE WHEN (SELECT count(*) FROM page) > (SELECT count(*) FROM page WHERE ${fits})
          THEN ${lastReturned(request, fits)}
          ELSE ${lastExamined(plan)} END
      )::json ->> 0)::bigint)`;
}

/** SQL of the keys of the last returned row. */
function lastReturned({ plan, packed }: StatementRequest, fits: string): string {
  return `(SELECT ${packed === undefined ? 'key' : keysJson(plan)} FROM page AS t WHERE ${fits} ORDER BY ordinal DESC LIMIT 1)`;
}

/** SQL of the keys of the last row that the filter examined, if there are more; null without a filter. */
function lastExamined(plan: Plan): string {
  if (!isFiltered(plan)) return 'NULL';
  return `(SELECT ${keysJson(plan)} FROM examined AS t
        WHERE place = ${MAX_EXAMINED_ROWS} AND EXISTS (SELECT 1 FROM examined WHERE place > ${MAX_EXAMINED_ROWS}))`;
}
