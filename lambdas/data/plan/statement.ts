import { FINALITY_BLOCKS } from '../../shared/runtime/finality.ts';
import { nestedRows } from './nested-rows.ts';
import { packedPage, page } from './page-rows.ts';
import type { CoveredRange, Plan } from './plan.ts';
import { metaJson, rowThatFits } from './response-meta.ts';
import { examinedRows } from './scan.ts';
import type { StatementRequest } from './statement-request.ts';
import { effectiveBounds, requestedBounds } from './window-bounds.ts';

/** Most bytes of the rows of a page. With the quotes that JSON within JSON escapes they stay below 1 MiB, the limit of a result of the RDS Data API. */
export const MAX_PAGE_BYTES = 600_000;

/** Most bytes of a packed page, counted with its escapes: 1 MiB less the metadata around the rows. */
export const MAX_PACKED_BYTES = 950_000;

/** Bytes of rows that are packed into one row of the result. With the longest row they stay below 64 KB, the limit of a row of the RDS Data API. */
const PACK_BYTES = 12_000;

/**
 * The one statement of a request; the snapshot of test/data/plan/statement.test.ts prints one whole.
 * Its first row describes the response ({@link ResponseMeta} as JSON). The others are the rows of the page, each as JSON
 * text with its keys, or, if the page is packed, lines of records. A page reads one row more than it returns, to know whether there is a
 * next page. The key of the first row is an object with the field names, where these are requested.
 */
export function composeStatement(request: StatementRequest): string {
  const { scope, plan, seats, packed } = request;
  const { schema, bind } = scope;
  const finalized = `greatest(block_number - ${FINALITY_BLOCKS}, 0)`;
  const covered = coveredRange(plan);
  const fits = rowThatFits(request);
  return `WITH head AS (
  SELECT block_number AS as_of, ${finalized} AS finalized,
    ${plan.finality === 'latest' ? 'block_number' : finalized} AS reach, updated_at
  FROM ${schema}.cursors WHERE name = 'indexed' AND block_number >= 0
),${(plan.with ?? []).map((expression) => `\n${expression},`).join('')}
snapshot AS (
  SELECT snapshot_id, block_number, block_time, completed_at FROM ${schema}.balance_snapshots
  WHERE completed_at IS NOT NULL ORDER BY snapshot_id DESC LIMIT 1
),
seat AS MATERIALIZED (
  SELECT count(*) > 0 AS taken FROM (
    SELECT FROM generate_series(1, ${bind.integer(seats.count)}) AS number
    WHERE pg_try_advisory_xact_lock(hashtextextended('query of ' || ${bind.text(seats.keyId)}, number)) LIMIT 1
  ) AS free
),
requested AS (
  ${requestedBounds(request)}
),
bounds AS (
  ${effectiveBounds(request)}
),${examinedRows(request)}
page AS MATERIALIZED (
  ${packed === undefined ? page(request) : packedPage(request)}
),
covered AS MATERIALIZED (
  SELECT *, (${covered.from})::bigint AS cover_from, (${covered.to})::bigint AS cover_to FROM bounds
)
SELECT 0 AS ordinal, ${packed === 'with-names' ? '(SELECT names FROM page WHERE ordinal = 1)' : 'NULL'} AS key, (
  ${metaJson(request, fits)}
) AS item
UNION ALL
${
  packed === undefined
    ? `SELECT ordinal::integer, key, item FROM page WHERE ${fits}`
    : `SELECT min(ordinal)::integer, NULL, string_agg(item, chr(10) ORDER BY ordinal) FROM page
  WHERE ${fits} GROUP BY bytes / ${PACK_BYTES}`
}${nestedRows(request)}
ORDER BY ordinal`;
}

/** The blocks whose coverage the response states. */
function coveredRange({ covers, height }: Plan): CoveredRange {
  if (covers !== undefined) return covers;
  if (height === undefined) return { from: 'earliest', to: 'latest' };
  const block = 'coalesce((SELECT min(height) FROM page), 0)';
  return { from: block, to: block };
}
