import { FINALITY_BLOCKS } from '../finality.ts';
import type { Position } from './cursor.ts';
import type { Branch, Key, Plan, Scope, WindowPlan } from './plan.ts';
import { digits, iso } from './sql-text.ts';

/** Bytes of the rows of a page. With the quotes that JSON within JSON escapes they stay below 1 MiB, where an answer of the RDS Data API ends. */
const MAX_PAGE_BYTES = 600_000;

/** Ordinal of the first row of a list within the one row, less one. */
export const PARTS_ORDINAL = 1_000;

export interface StatementRequest {
  readonly scope: Scope;
  readonly plan: Plan;
  /** Most rows of the page. */
  readonly limit: number;
  /** Where the page before ended. */
  readonly after: Position | undefined;
  readonly dataset: string | undefined;
}

/**
 * The one statement of a request. Its first row is about the answer (a JSON object, {@link AnswerMeta}), the others are
 * the rows of the page, each a JSON object as text with the values of its keys. One row more than the page has is read,
 * to know whether there is a next page.
 */
export function composeStatement(request: StatementRequest): string {
  const { scope, plan, limit } = request;
  const { schema, bind } = scope;
  const most = bind.integer(limit);
  return [
    `WITH head AS (
  SELECT block_number AS as_of, greatest(block_number - ${FINALITY_BLOCKS}, 0) AS finalized, updated_at
  FROM ${schema}.cursors WHERE name = 'indexed' AND block_number >= 0
)`,
    ...(plan.with ?? []).map((expression) => `, ${expression}`),
    `, snapshot AS (
  SELECT snapshot_id, block_number, block_time, completed_at FROM ${schema}.balance_snapshots
  WHERE completed_at IS NOT NULL ORDER BY snapshot_id DESC LIMIT 1
)`,
    `, asked AS (${askedBounds(request)})`,
    `, bounds AS (${effectiveBounds(plan.window)})`,
    `, page AS MATERIALIZED (${page(request)})`,
    `SELECT 0 AS ordinal, NULL AS key, (${meta(request)}) AS item`,
    `UNION ALL SELECT ordinal::integer, key, item FROM page WHERE ordinal <= ${most} AND bytes <= ${MAX_PAGE_BYTES}`,
    ...partRows(request),
    'ORDER BY ordinal',
  ].join('\n');
}

function partRows({ scope, plan }: StatementRequest): string[] {
  if (plan.parts === undefined) return [];
  const { branches, keys, columns, limit } = plan.parts;
  const most = scope.bind.integer(limit);
  const scans = branches.map(
    ({ from, where }) =>
      `(SELECT t.* FROM ${from} AS t WHERE ${where.join(' AND ')} ${orderBy(keys)} LIMIT ${most})`,
  );
  return [
    `UNION ALL SELECT ${PARTS_ORDINAL} + (row_number() OVER (${orderBy(keys)}))::integer, NULL,
      (SELECT row_to_json(fields) FROM (SELECT ${columns}) AS fields)::text
    FROM (${scans.join(' UNION ALL ')}) AS t`,
  ];
}

function askedBounds({ scope: { bind }, plan: { window }, after }: StatementRequest): string {
  const [from, to] = after?.window?.map((height) => bind.integer(height)) ?? [
    window?.from ?? '0',
    window?.to,
  ];
  const last = to ?? (window === undefined ? 'as_of' : 'finalized');
  return `SELECT as_of, finalized, updated_at, (${from})::bigint AS asked_from, (${last})::bigint AS asked_to FROM head`;
}

function effectiveBounds(window: WindowPlan | undefined): string {
  if (window === undefined)
    return 'SELECT *, NULL::text AS refusal, asked_from AS lo, asked_to AS hi FROM asked';
  const { maxBlocks, clamp } = window;
  const tooHigh = "WHEN greatest(asked_from, asked_to) > finalized THEN 'finality_exceeded'";
  const tooWide =
    maxBlocks === undefined ? '' : `WHEN asked_to - asked_from >= ${maxBlocks} THEN 'window_too_large'`;
  const hi = 'least(asked_to, finalized)';
  const lo = maxBlocks === undefined ? 'asked_from' : `greatest(asked_from, ${hi} - ${maxBlocks - 1})`;
  const refusal = clamp ? 'NULL::text' : `CASE ${tooHigh} ${tooWide} END`;
  return `SELECT *, ${refusal} AS refusal, ${lo} AS lo, ${hi} AS hi FROM asked`;
}

function page(request: StatementRequest): string {
  const { scope, plan, limit } = request;
  const order = orderBy(plan.keys);
  const most = scope.bind.integer(plan.shape === 'one' ? 1 : limit + 1);
  const scans = plan.branches.map((branch) => `(${scan(request, branch, most)})`).join('\n UNION ALL ');
  const key =
    plan.keys.length === 0 ? 'NULL' : `json_build_array(${plan.keys.map(keyText).join(', ')})::text`;
  return `SELECT *, sum(octet_length(item)) OVER (ORDER BY ordinal) AS bytes FROM (
    SELECT row_number() OVER (${order}) AS ordinal, ${key} AS key, (${plan.height ?? 'NULL'})::bigint AS height,
      (SELECT row_to_json(fields) FROM (SELECT ${plan.columns}) AS fields)::text AS item
    FROM (${scans}) AS t ${plan.joins ?? ''}
    ${order} LIMIT ${most}
  ) AS ordered`;
}

function scan({ scope, plan, after }: StatementRequest, branch: Branch, most: string): string {
  const { window } = plan;
  const keys = plan.keys.slice(0, branch.keys ?? plan.keys.length);
  const where = [
    ...branch.where,
    ...(window === undefined
      ? []
      : [
          '(SELECT refusal FROM bounds) IS NULL',
          `${window.column} >= (SELECT lo FROM bounds)`,
          `${window.column} <= (SELECT hi FROM bounds)`,
        ]),
    ...(after === undefined ? [] : [beyond(scope, keys, after.keys)]),
  ];
  const condition = where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`;
  return `SELECT ${branch.columns ?? 't.*'} FROM ${branch.from} AS t ${condition} ${orderBy(keys)} LIMIT ${most}`;
}

function orderBy(keys: readonly Key[]): string {
  if (keys.length === 0) return '';
  return `ORDER BY ${keys.map(({ column, descending }) => `t.${column}${descending ? ' DESC' : ''}`).join(', ')}`;
}

/**
 * Rows behind a position. Keys of one direction are compared as a row, which is one range of the index; else the first
 * key bounds the range.
 */
function beyond({ bind }: Scope, keys: readonly Key[], values: readonly string[]): string {
  const bound = keys.map((key, index) => bindKey(bind, key, values[index] ?? ''));
  const sign = ({ descending }: Key) => (descending ? '<' : '>');
  const [first] = keys;
  if (first === undefined) return 'false';
  if (keys.every(({ descending }) => descending === first.descending))
    return `(${keys.map(({ column }) => `t.${column}`).join(', ')}) ${sign(first)} (${bound.join(', ')})`;
  const cases = keys.map((key, index) => {
    const equal = keys.slice(0, index).map(({ column }, place) => `t.${column} = ${bound[place]}`);
    return `(${[...equal, `t.${key.column} ${sign(key)} ${bound[index]}`].join(' AND ')})`;
  });
  return `t.${first.column} ${sign(first)}= ${bound[0]} AND (${cases.join(' OR ')})`;
}

function bindKey(bind: Scope['bind'], { type }: Key, value: string): string {
  if (type === 'bytea') return bind.bytes(value);
  if (type === 'numeric') return bind.decimal(value);
  if (type === 'date') return bind.day(value);
  if (type === 'timestamptz') return bind.time(value);
  if (type === 'text') return bind.text(value);
  return bind.integer(Number(value));
}

function keyText({ column, type }: Key): string {
  if (type === 'bytea') return `'0x' || encode(t.${column}, 'hex')`;
  if (type === 'timestamptz') return iso(`t.${column}`);
  return digits(`t.${column}`);
}

/** What the first row of a statement tells of the answer. */
export interface AnswerMeta {
  /** Null if nothing of the chain is indexed; all else is null or of no meaning then. */
  readonly as_of: number | null;
  readonly finalized: number;
  /** Why the window was refused. */
  readonly refusal: 'finality_exceeded' | 'window_too_large' | null;
  readonly asked_from: number;
  readonly asked_to: number;
  readonly lo: number;
  readonly hi: number;
  readonly coverage: 'full' | 'partial' | 'none';
  readonly refreshed_at: string;
  readonly rows_read: number;
  /** Block of the one row. */
  readonly height: number | null;
  readonly exists: boolean;
  /** Block of the newest balances snapshot. */
  readonly snapshot: number | null;
}

function meta({ scope: { schema, bind }, plan, dataset }: StatementRequest): string {
  const covered =
    dataset === undefined
      ? 'SELECT NULL::int8multirange AS covered, NULL::timestamptz AS updated_at'
      : `SELECT covered, updated_at FROM ${schema}.coverage WHERE dataset = ${bind.text(dataset)}`;
  const [low, high] =
    plan.ofSnapshot === true
      ? ['0', '(SELECT block_number FROM snapshot)']
      : plan.height !== undefined
        ? ['coalesce((SELECT min(height) FROM page), 0)', 'coalesce((SELECT min(height) FROM page), 0)']
        : ['bounds.lo', 'bounds.hi'];
  const range = `int8range(${low}, ${high}, '[]')`;
  const coverage =
    dataset === undefined
      ? "'full'"
      : `CASE WHEN ${low} > ${high} OR covered @> ${range} THEN 'full' WHEN covered && ${range} THEN 'partial' ELSE 'none' END`;
  const refreshed =
    plan.ofSnapshot === true
      ? '(SELECT completed_at FROM snapshot)'
      : 'coalesce(covering.updated_at, bounds.updated_at)';
  return `SELECT row_to_json(meta)::text FROM (
    SELECT as_of, finalized, refusal, asked_from, asked_to, lo, hi, ${coverage} AS coverage,
      ${iso(refreshed)} AS refreshed_at, (SELECT count(*) FROM page) AS rows_read,
      (SELECT min(height) FROM page) AS height, ${plan.exists ?? 'true'} AS exists,
      (SELECT block_number FROM snapshot) AS snapshot
    FROM bounds LEFT JOIN (${covered}) AS covering ON true
  ) AS meta`;
}
