import { NOT_INLINED } from './page-rows.ts';
import { firstOf, orderBy } from './scan.ts';
import type { StatementRequest } from './statement-request.ts';

/** Ordinal of the first row of a list within the one row, less one. */
export const PARTS_ORDINAL = 1_000_000;

/**
 * SQL of the rows of the list within the one row, as many as there is room for; empty if the plan has none. The key of each
 * is how many rows were read, the one above the limit included.
 */
export function nestedRows({
  scope: { bind },
  plan: { parts },
  maxBytes,
}: Pick<StatementRequest, 'scope' | 'plan' | 'maxBytes'>): string {
  if (parts === undefined) return '';
  const { branches, keys, columns, limit, longBytes = '0' } = parts;
  const [most, bytes] = [bind.integer(limit), bind.integer(maxBytes)];
  const order = orderBy(keys);
  const scans = branches.map(
    ({ from, where }) => `(
            SELECT t.* FROM ${from} AS t
            WHERE ${['(SELECT taken FROM seat)', ...where].join('\n              AND ')}
            ${firstOf(keys, `${most} + 1`)}
          )`,
  );
  return `
UNION ALL
SELECT ${PARTS_ORDINAL} + ordinal, read::text, item FROM (
  SELECT *, sum(octet_length(item) + 1) OVER (ORDER BY ordinal) AS bytes, count(*) OVER () AS read FROM (
    SELECT t.ordinal,
      CASE WHEN t.long <= ${bytes}
        THEN (SELECT row_to_json(fields) FROM (SELECT ${columns}) AS fields)::text END AS item
    FROM (
      SELECT t.*,
        (row_number() OVER (${order}))::integer AS ordinal,
        sum(${longBytes}) OVER (${order} ROWS UNBOUNDED PRECEDING) AS long
      FROM (
          ${scans.join(' UNION ALL ')}
      ) AS t
    ) AS t
    ${NOT_INLINED}
  ) AS ordered
) AS parts
WHERE ordinal <= ${most} AND item IS NOT NULL AND bytes <= ${bytes}`;
}
