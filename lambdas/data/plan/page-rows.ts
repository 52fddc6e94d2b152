import type { OrderKey, Plan } from './plan.ts';
import { columnsOf, firstOf, mergedWalks, orderBy, scans } from './scan.ts';
import { digits, iso } from './sql-text.ts';
import type { StatementRequest } from './statement-request.ts';

/** Keeps a subquery apart from the query around it, which would compute a column again wherever it names it. */
export const NOT_INLINED = 'OFFSET 0';

/** SQL of how long a record is as JSON, with the end of its line: a text without quotes has nothing to escape. */
const RECORD_LENGTH = `CASE WHEN strpos(item, '"') = 0 THEN octet_length(item) + 2 ELSE octet_length(to_json(item)::text) END`;

/** SQL of the same for a text that is JSON: only its quotes and backslashes are escaped. */
const JSON_LENGTH = `3 * octet_length(item) - octet_length(replace(item, '"', '')) - octet_length(replace(item, '\\', '')) + 2`;

/** SQL of the rows of a page: each with its keys and, as JSON, its fields; with the bytes of it and of all rows before it. */
export function page(request: StatementRequest): string {
  const { plan } = request;
  const item = `(SELECT row_to_json(fields) FROM (SELECT ${markedColumns(plan)}) AS fields)::text`;
  return `SELECT *, sum(octet_length(item) + 1) OVER (ORDER BY ordinal) AS bytes FROM (
    SELECT t.page_ordinal AS ordinal,
      ${plan.keys.length === 0 ? 'NULL' : keysJson(plan)} AS key,
      (${plan.height ?? 'NULL'})::bigint AS height,
      (${plan.counted ?? 'true'}) AS counted,
      ${unlessPageIsFull(request, item)} AS item
    FROM ${chosenRows(request)}${joined(plan)}
    ${NOT_INLINED}
  ) AS ordered`;
}

/** Whether packed rows are JSON: PostgreSQL writes a record character by character, which is slow for long values. */
export function isPackedJson({ longBytes }: Plan): boolean {
  return longBytes !== undefined;
}

/** SQL of the rows of a page that is packed: like {@link page}, with each row as the text of a record, or as JSON. */
export function packedPage(request: StatementRequest): string {
  const { plan, packed } = request;
  const [item, length] = isPackedJson(plan)
    ? ['row_to_json(fields)::text', JSON_LENGTH]
    : ['fields::text', RECORD_LENGTH];
  const names = 'CASE WHEN t.page_ordinal = 1 THEN row_to_json(fields)::text END';
  return `SELECT *,
    sum(${length})
      OVER (ORDER BY ordinal ROWS UNBOUNDED PRECEDING) AS bytes
  FROM (
    SELECT t.page_ordinal AS ordinal,
      ${columnsOf(plan.keys)},
      (${plan.height ?? 'NULL'})::bigint AS height,
      true AS counted,
      ${unlessPageIsFull(request, item)} AS item,
      ${packed === 'with-names' ? names : 'NULL'} AS names
    FROM ${chosenRows(request)}${joined(plan)}
    CROSS JOIN LATERAL (SELECT ${markedColumns(plan)}) AS fields
    ${NOT_INLINED}
  ) AS ordered`;
}

/** SQL of the rows of a page, and one more, in their order; with the bytes of the long values of each and of all before it. */
function chosenRows(request: StatementRequest): string {
  const { scope, plan, limit } = request;
  const most = scope.bind.integer(plan.shape === 'one' ? 1 : limit + 1);
  const walks = scans(request, most).map((walk) => `(\n          ${walk}\n        )`);
  const order = orderBy(plan.keys);
  return `(
      SELECT t.*,
        row_number() OVER (${order}) AS page_ordinal,
        ${plan.longBytes === undefined ? '0' : `sum(${plan.longBytes}) OVER (${order} ROWS UNBOUNDED PRECEDING)`} AS page_bytes
      FROM (
        ${mergedWalks(plan, walks)}
      ) AS t
      ${firstOf(plan.keys, most)}
    ) AS t`;
}

function joined({ joins }: Plan): string {
  return joins === undefined ? '' : `\n    ${joins}`;
}

/** Fields of a row, with the mark of whether it is final. */
function markedColumns(plan: Plan): string {
  const block = plan.window?.column ?? plan.height;
  if (plan.finality !== 'latest' || block === undefined) return plan.columns;
  return `${plan.columns}, ${block} <= (SELECT finalized FROM head) AS finalized`;
}

/**
 * SQL of a row's text; null where the rows before it fill the page already. Long values are most of the cost of a page, so
 * they are read and written only for rows that are returned.
 */
function unlessPageIsFull({ scope, plan, maxBytes }: StatementRequest, item: string): string {
  if (plan.longBytes === undefined) return item;
  return `CASE WHEN t.page_ordinal = 1 OR t.page_bytes <= ${scope.bind.integer(maxBytes)} THEN ${item} END`;
}

/** SQL of the keys of a row, as JSON. */
export function keysJson({ keys }: Plan): string {
  return `json_build_array(${keys.map(keyText).join(', ')})::text`;
}

function keyText({ column, type }: OrderKey): string {
  if (type === 'bytea') return `'0x' || encode(t.${column}, 'hex')`;
  if (type === 'timestamptz') return iso(`t.${column}`);
  return digits(`t.${column}`);
}
