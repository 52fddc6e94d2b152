import { FINALITY_BLOCKS } from '../../shared/runtime/finality.ts';
import type { Position } from './cursor.ts';
import type { Branch, CoveredRange, OrderKey, Plan, Scope } from './plan.ts';
import { digits, hex, iso } from './sql-text.ts';

/** Bytes of the rows of a page. With the quotes that JSON within JSON escapes they stay below 1 MiB, where an answer of the RDS Data API ends. */
export const MAX_PAGE_BYTES = 600_000;

/** Rows that a page looks at for those that fulfil a filter without an index: reading them takes a part of a second. */
export const MAX_EXAMINED_ROWS = 4_000;

const UPPER_END = '(SELECT hi FROM bounds)';

/**
 * The same of rows that are packed, whose bytes are counted as JSON has them: 1 MiB less what stands around them.
 */
export const MAX_PACKED_BYTES = 950_000;

/** Bytes of a row of the answer that rows are packed into: with the longest row they stay below 64 KB, where a row of the RDS Data API ends. */
const PACK_BYTES = 12_000;

/**
 * As an array of one: between two scalar bounds the planner expects almost no rows, and reads and sorts them all in place of
 * walking the index for the first few.
 */
const UPPER_END_OF_LIST = `ANY (ARRAY[${UPPER_END}])`;

/** Ordinal of the first row of a list within the one row, less one. */
export const PARTS_ORDINAL = 1_000_000;

export interface StatementRequest {
  readonly scope: Scope;
  readonly plan: Plan;
  /** Most rows of the page. */
  readonly limit: number;
  /** Most bytes of its rows; a first one that is longer is told all the same. */
  readonly maxBytes: number;
  /** Where the page before ended. */
  readonly after: Position | undefined;
  readonly dataset: string | undefined;
  /** The last block of the list that is told, in its order; undefined: all that are in the window. */
  readonly upTo?: number | undefined;
  /**
   * Whether many rows of the list come as one row of the answer, each as PostgreSQL's text of a record, which costs the
   * database and its reader half of what JSON does; the names of the fields are told where they are asked for.
   * @default each row by itself, as JSON
   */
  readonly packed?: 'with-names' | 'without-names' | undefined;
  readonly seats: QuerySeats;
}

/**
 * Which statements have to share, and how many of them may run at a time. The database itself counts them, so it is true of
 * all instances, and of statements whose function or client has gone: a seat is free when its statement has ended.
 */
export interface QuerySeats {
  /** The API key. */
  readonly keyId: string;
  readonly count: number;
}

/**
 * The one statement of a request. Its first row is about the answer (a JSON object, {@link AnswerMeta}), the others are
 * the rows of the page, each a JSON object as text with the values of its keys. One row more than the page has is read,
 * to know whether there is a next page. Packed, the others are lines of records, and
 * the key of the first one, if names are asked for, is an object with these.
 */
export function composeStatement(request: StatementRequest): string {
  const { scope, plan } = request;
  const { schema } = scope;
  return [
    `WITH head AS (
  SELECT block_number AS as_of, greatest(block_number - ${FINALITY_BLOCKS}, 0) AS finalized,
    ${isLatest(plan) ? 'block_number' : `greatest(block_number - ${FINALITY_BLOCKS}, 0)`} AS reach, updated_at
  FROM ${schema}.cursors WHERE name = 'indexed' AND block_number >= 0
)`,
    ...(plan.with ?? []).map((expression) => `, ${expression}`),
    `, snapshot AS (
  SELECT snapshot_id, block_number, block_time, completed_at FROM ${schema}.balance_snapshots
  WHERE completed_at IS NOT NULL ORDER BY snapshot_id DESC LIMIT 1
)`,
    `, seat AS MATERIALIZED (${seat(request)})`,
    `, asked AS (${askedBounds(request)})`,
    `, bounds AS (${effectiveBounds(request)})`,
    ...examined(request),
    `, page AS MATERIALIZED (${page(request)})`,
    `, judged AS MATERIALIZED (${judged(plan)})`,
    `SELECT 0 AS ordinal, ${request.packed === 'with-names' ? '(SELECT names FROM page WHERE ordinal = 1)' : 'NULL'} AS key, (${meta(request)}) AS item`,
    request.packed !== undefined
      ? `UNION ALL SELECT min(ordinal)::integer, NULL, string_agg(item, chr(10) ORDER BY ordinal)
        FROM page WHERE ${told(request)} GROUP BY bytes / ${PACK_BYTES}`
      : `UNION ALL SELECT ordinal::integer, key, item FROM page WHERE ${told(request)}`,
    ...partRows(request),
    'ORDER BY ordinal',
  ].join('\n');
}

/** SQL of whether a row of the page is told: those that are too many, or too long together, are on the next one. */
function told({ scope, limit, maxBytes }: StatementRequest): string {
  return `ordinal <= ${scope.bind.integer(limit)} AND item IS NOT NULL AND (bytes <= ${scope.bind.integer(maxBytes)} OR ordinal = 1)`;
}

/** The rows of the list within the one row, as many as there is room for. Their key is how many were read, the one that is too many included. */
function partRows({ scope, plan, maxBytes }: StatementRequest): string[] {
  if (plan.parts === undefined) return [];
  const { branches, keys, columns, limit, longBytes = '0' } = plan.parts;
  const [most, bytes] = [scope.bind.integer(limit), scope.bind.integer(maxBytes)];
  const order = orderBy(keys);
  const scans = branches.map(
    ({ from, where }) =>
      `(SELECT t.* FROM ${from} AS t WHERE (SELECT taken FROM seat) AND ${where.join(' AND ')} ${order} LIMIT ${most} + 1)`,
  );
  return [
    `UNION ALL SELECT ${PARTS_ORDINAL} + ordinal, read::text, item FROM (
      SELECT *, sum(octet_length(item) + 1) OVER (ORDER BY ordinal) AS bytes, count(*) OVER () AS read FROM (
        SELECT t.ordinal, CASE WHEN t.long <= ${bytes}
          THEN (SELECT row_to_json(fields) FROM (SELECT ${columns}) AS fields)::text END AS item
        FROM (
          SELECT t.*, (row_number() OVER (${order}))::integer AS ordinal,
            sum(${longBytes}) OVER (${order} ROWS UNBOUNDED PRECEDING) AS long
          FROM (${scans.join(' UNION ALL ')}) AS t
        ) AS t ${APART}
      ) AS ordered
    ) AS parts WHERE ordinal <= ${most} AND item IS NOT NULL AND bytes <= ${bytes}`,
  ];
}

/** Whether one of the key's seats was free. The statement has it to its end: the transaction that frees it is its own. */
function seat({ scope: { bind }, seats: { keyId, count } }: StatementRequest): string {
  return `SELECT count(*) > 0 AS taken FROM (
    SELECT FROM generate_series(1, ${bind.integer(count)}) AS number
    WHERE pg_try_advisory_xact_lock(hashtextextended('query of ' || ${bind.text(keyId)}, number)) LIMIT 1
  ) AS free`;
}

function askedBounds({ scope: { bind }, plan: { window }, after }: StatementRequest): string {
  const [from, to] = after?.window?.map((height) => bind.integer(height)) ?? [
    window?.from ?? '0',
    window?.to,
  ];
  const last = to ?? (window === undefined ? 'as_of' : 'reach');
  return `SELECT as_of, finalized, reach, updated_at, (${from})::bigint AS asked_from, (${last})::bigint AS asked_to FROM head`;
}

function effectiveBounds({ scope, plan: { window }, after }: StatementRequest): string {
  if (window === undefined)
    return `SELECT *, NULL::text AS refusal, asked_from AS lo, asked_to AS hi, asked_from AS earliest, asked_to AS latest
      FROM asked`;
  // The window of a cursor is what the first page promised: it is never cut, and no time stands for it.
  const { maxBlocks, clamp, earliest, latest } =
    after?.window === undefined ? window : { maxBlocks: window.maxBlocks, clamp: false };
  const replaced =
    after?.anchor === undefined ? '' : `WHEN NOT ${isStored(scope, after)} THEN 'block_replaced'`;
  const tooHigh = "WHEN greatest(asked_from, asked_to) > reach THEN 'finality_exceeded'";
  const tooWide =
    maxBlocks === undefined ? '' : `WHEN asked_to - asked_from >= ${maxBlocks} THEN 'window_too_large'`;
  const hi = 'least(asked_to, reach)';
  const lo = maxBlocks === undefined ? 'asked_from' : `greatest(asked_from, ${hi} - ${maxBlocks - 1})`;
  const refusal = clamp ? 'NULL::text' : `CASE ${replaced} ${tooHigh} ${tooWide} END`;
  return `SELECT *, ${refusal} AS refusal, ${lo} AS lo, ${hi} AS hi,
    CASE WHEN ${lo} > asked_from THEN ${lo} ELSE ${earliest ?? 'asked_from'} END AS earliest,
    CASE WHEN ${hi} < asked_to THEN ${hi} ELSE ${latest ?? 'asked_to'} END AS latest FROM asked`;
}

/** SQL of whether the block is still there in which the page before ended. */
function isStored({ schema, bind }: Scope, { keys, anchor = '' }: Position): string {
  return `EXISTS (SELECT 1 FROM ${schema}.blocks
    WHERE number = ${bind.integer(Number(keys[0]))} AND hash = ${bind.bytes(anchor)})`;
}

function isLatest({ finality }: Plan): boolean {
  return finality === 'latest';
}

/** Fields of a row, with the mark that tells whether it may still be taken back. */
function markedColumns(plan: Plan): string {
  const block = plan.window?.column ?? plan.height;
  if (!isLatest(plan) || block === undefined) return plan.columns;
  return `${plan.columns}, ${block} <= (SELECT finalized FROM head) AS finalized`;
}

/** Keeps a query apart from the one around it: else what is named twice there is worked out twice. */
const APART = 'OFFSET 0';

function page(request: StatementRequest): string {
  const { plan } = request;
  const key = plan.keys.length === 0 ? 'NULL' : keysText(plan);
  const item = `(SELECT row_to_json(fields) FROM (SELECT ${markedColumns(plan)}) AS fields)::text`;
  if (request.packed !== undefined) return packedPage(request);
  return `SELECT *, sum(octet_length(item) + 1) OVER (ORDER BY ordinal) AS bytes FROM (
    SELECT t.page_ordinal AS ordinal, ${key} AS key, (${plan.height ?? 'NULL'})::bigint AS height,
      (${plan.counted ?? 'true'}) AS counted, ${rendered(request, item)} AS item
    FROM ${chosen(request)} AS t ${plan.joins ?? ''} ${APART}
  ) AS ordered`;
}

/** Whether rows come packed as JSON: PostgreSQL writes a record character by character, which long values make dear. */
export function isPackedJson({ longBytes }: Plan): boolean {
  return longBytes !== undefined;
}

function packedPage(request: StatementRequest): string {
  const { plan, packed } = request;
  const [item, length] = isPackedJson(plan)
    ? ['row_to_json(fields)::text', JSON_LENGTH]
    : ['fields::text', RECORD_LENGTH];
  const names = 'CASE WHEN t.page_ordinal = 1 THEN row_to_json(fields)::text END';
  return `SELECT *, sum(${length}) OVER (ORDER BY ordinal ROWS UNBOUNDED PRECEDING) AS bytes FROM (
    SELECT t.page_ordinal AS ordinal, ${plan.keys.map(({ column }) => `t.${column}`).join(', ')},
      (${plan.height ?? 'NULL'})::bigint AS height, true AS counted, ${rendered(request, item)} AS item,
      ${packed === 'with-names' ? names : 'NULL'} AS names
    FROM ${chosen(request)} AS t ${plan.joins ?? ''} CROSS JOIN LATERAL (SELECT ${markedColumns(plan)}) AS fields ${APART}
  ) AS ordered`;
}

/** The rows of a page, and one more, in their order, with the bytes that the long fields of each and of all before it will have. */
function chosen(request: StatementRequest): string {
  const { scope, plan, limit } = request;
  const most = scope.bind.integer(plan.shape === 'one' ? 1 : limit + 1);
  const union = plan.overlapping === true ? '\n UNION ' : '\n UNION ALL ';
  const scans = plan.branches.map((branch) => `(${scan(request, branch, most)})`).join(union);
  const order = orderBy(plan.keys);
  return `(SELECT t.*, row_number() OVER (${order}) AS page_ordinal,
      ${plan.longBytes === undefined ? '0' : `sum(${plan.longBytes}) OVER (${order} ROWS UNBOUNDED PRECEDING)`} AS page_bytes
    FROM (${scans}) AS t ${order} LIMIT ${most})`;
}

/**
 * SQL of a row's text; null where the rows before it fill the page already. To read and to write long values is what a page
 * costs, so it is done for no row that is not told.
 */
function rendered({ scope, plan, maxBytes }: StatementRequest, item: string): string {
  if (plan.longBytes === undefined) return item;
  return `CASE WHEN t.page_ordinal = 1 OR t.page_bytes <= ${scope.bind.integer(maxBytes)} THEN ${item} END`;
}

/** SQL of how long a record is as JSON, with the end of its line: a text without quotes has nothing to escape. */
const RECORD_LENGTH = `CASE WHEN strpos(item, '"') = 0 THEN octet_length(item) + 2 ELSE octet_length(to_json(item)::text) END`;

/** The same of a text that is JSON: it has no other characters that are escaped. */
const JSON_LENGTH = `3 * octet_length(item) - octet_length(replace(item, '"', '')) - octet_length(replace(item, '\\', '')) + 2`;

/** SQL of the keys of a row, as JSON. */
function keysText({ keys }: Plan): string {
  return `json_build_array(${keys.map(keyText).join(', ')})::text`;
}

/** The branch of a plan whose rows are looked at one by one. */
function filtered({ branches: [branch] }: Plan): Branch | undefined {
  return branch?.filter === undefined || branch.filter.length === 0 ? undefined : branch;
}

/** The rows that the filter is applied to, by their keys, and one more that tells whether these are all. */
function examined(request: StatementRequest): string[] {
  const { scope, plan } = request;
  const branch = filtered(plan);
  if (branch === undefined) return [];
  const keys = plan.keys.map(({ column }) => `t.${column}`).join(', ');
  const matches = `(${branch.filter?.join(' AND ')}) IS TRUE AS matches`;
  const rows = scan(
    request,
    { ...branch, filter: [], columns: `${keys}, ${matches}` },
    scope.bind.integer(MAX_EXAMINED_ROWS + 1),
  );
  return [
    `, examined AS MATERIALIZED (
  SELECT *, row_number() OVER (${orderBy(plan.keys)}) AS place FROM (${rows}) AS t
)`,
  ];
}

/** The rows that fulfil the filter, each found again by its key. */
function matching({ plan }: StatementRequest, branch: Branch, most: string): string {
  const same = plan.keys.map(({ column }) => `row.${column} = t.${column}`).join(' AND ');
  return `SELECT found.* FROM (
      SELECT * FROM examined AS t WHERE matches AND place <= ${MAX_EXAMINED_ROWS} ${orderBy(plan.keys)} LIMIT ${most}
    ) AS t CROSS JOIN LATERAL (SELECT * FROM ${branch.from} AS row WHERE ${same} LIMIT 1) AS found`;
}

function scan(request: StatementRequest, branch: Branch, most: string): string {
  const { scope, plan, after, upTo } = request;
  if (branch.filter !== undefined && branch.filter.length > 0) return matching(request, branch, most);
  const { window } = plan;
  const keys = plan.keys.slice(0, branch.keys ?? plan.keys.length);
  const where = [
    '(SELECT taken FROM seat)',
    ...branch.where,
    ...(window === undefined
      ? []
      : [
          '(SELECT refusal FROM bounds) IS NULL',
          `${window.column} >= (SELECT lo FROM bounds)`,
          `${window.column} <= ${keys.length === 0 ? UPPER_END : UPPER_END_OF_LIST}`,
        ]),
    ...(after === undefined ? [] : [beyond(scope, keys, after.keys)]),
    ...(upTo === undefined || window === undefined
      ? []
      : [`${window.column} ${keys[0]?.descending ? '>=' : '<='} ${scope.bind.integer(upTo)}`]),
    ...(after?.snapshot === undefined
      ? []
      : [`(SELECT snapshot_id FROM snapshot) = ${scope.bind.integer(after.snapshot)}`]),
  ];
  const condition = where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`;
  return `SELECT ${branch.columns ?? 't.*'} FROM ${branch.from} AS t ${condition} ${orderBy(keys)} LIMIT ${most}`;
}

function orderBy(keys: readonly OrderKey[]): string {
  if (keys.length === 0) return '';
  return `ORDER BY ${keys.map(({ column, descending }) => `t.${column}${descending ? ' DESC' : ''}`).join(', ')}`;
}

/**
 * Rows behind a position. Keys of one direction are compared as a row, which is one range of the index; else the first
 * key bounds the range.
 */
function beyond({ bind }: Scope, keys: readonly OrderKey[], values: readonly string[]): string {
  const bound = keys.map((key, index) => bindKey(bind, key, values[index] ?? ''));
  const sign = ({ descending }: OrderKey) => (descending ? '<' : '>');
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

function bindKey(bind: Scope['bind'], { type }: OrderKey, value: string): string {
  if (type === 'bytea') return bind.bytes(value);
  if (type === 'numeric' || type === 'fraction') return bind.decimal(value);
  if (type === 'date') return bind.day(value);
  if (type === 'timestamptz') return bind.time(value);
  if (type === 'text') return bind.text(value);
  return bind.integer(Number(value));
}

function keyText({ column, type }: OrderKey): string {
  if (type === 'bytea') return `'0x' || encode(t.${column}, 'hex')`;
  if (type === 'timestamptz') return iso(`t.${column}`);
  return digits(`t.${column}`);
}

/** What the first row of a statement tells of the answer. */
export interface AnswerMeta {
  /** Null if nothing of the chain is indexed; all else is null or of no meaning then. */
  readonly as_of: number | null;
  readonly finalized: number;
  /** The last block that may be told: the finalized one, or the head. */
  readonly reach: number;
  /** Why the window was refused. */
  readonly refusal: 'finality_exceeded' | 'window_too_large' | 'block_replaced' | null;
  readonly asked_from: number;
  readonly asked_to: number;
  readonly lo: number;
  readonly hi: number;
  /** The blocks whose coverage is told; none if the first is above the last. */
  readonly cover_from: number;
  readonly cover_to: number;
  readonly coverage: 'full' | 'partial' | 'none';
  readonly refreshed_at: string;
  readonly rows_read: number;
  /** Rows of the page, the one that tells of a next page included. */
  readonly rows_found: number;
  /** Those of them that are billed. */
  readonly rows_counted: number;
  /** Block of the one row. */
  readonly height: number | null;
  readonly exists: boolean;
  /** Id of the newest balances snapshot. */
  readonly snapshot: number | null;
  /** Last block of that snapshot. */
  readonly snapshot_block: number | null;
  /** Keys of the last row that was looked at, as JSON, if there are more beyond it; null where no filter is applied. */
  readonly examined_to: string | null;
  /** Rows of the page that are told. */
  readonly rows_told: number;
  /** Bytes of these, before they are compressed. */
  readonly bytes_told: number;
  /** Whether one of the seats of the key was free; if not, nothing was read. */
  readonly seated: boolean;
  /** Keys of the last of them as JSON, where rows are packed; null where there is none. */
  readonly told_to: string | null;
  /** Hash of the block that the page ends in; null where rows above the finalized block are not told. */
  readonly anchor: string | null;
}

/** Bounds with the blocks whose coverage is told. */
function judged(plan: Plan): string {
  const { from, to } = coveredRange(plan);
  return `SELECT *, (${from})::bigint AS cover_from, (${to})::bigint AS cover_to FROM bounds`;
}

function coveredRange({ covers, height, ofSnapshot }: Plan): CoveredRange {
  if (covers !== undefined) return covers;
  if (ofSnapshot === true) return { from: '0', to: '(SELECT block_number FROM snapshot)' };
  if (height === undefined) return { from: 'earliest', to: 'latest' };
  const block = 'coalesce((SELECT min(height) FROM page), 0)';
  return { from: block, to: block };
}

/** SQL of the hash of the block that the page ends in: a cursor holds only as long as this block is there. */
function anchor(request: StatementRequest): string {
  const { scope, plan } = request;
  if (!isLatest(plan) || plan.window === undefined || plan.shape === 'one') return 'NULL';
  const end = `CASE WHEN (SELECT count(*) FROM page) > (SELECT count(*) FROM page WHERE ${told(request)})
    THEN ${toldTo(request)} ELSE ${examinedTo(plan)} END`;
  const { schema } = scope;
  return `(SELECT ${hex('hash')} FROM ${schema}.blocks WHERE number = ((${end})::json ->> 0)::bigint)`;
}

/** SQL of the keys of the last row that is told. */
function toldTo(request: StatementRequest): string {
  const key = request.packed !== undefined ? keysText(request.plan) : 'key';
  return `(SELECT ${key} FROM page AS t WHERE ${told(request)} ORDER BY ordinal DESC LIMIT 1)`;
}

function examinedTo(plan: Plan): string {
  if (filtered(plan) === undefined) return 'NULL';
  return `(SELECT ${keysText(plan)} FROM examined AS t
        WHERE place = ${MAX_EXAMINED_ROWS} AND EXISTS (SELECT 1 FROM examined WHERE place > ${MAX_EXAMINED_ROWS}))`;
}

function meta(request: StatementRequest): string {
  const { scope, plan, dataset } = request;
  const { schema, bind } = scope;
  const covered =
    dataset === undefined
      ? 'SELECT NULL::int8multirange AS covered, NULL::timestamptz AS updated_at'
      : `SELECT covered, updated_at FROM ${schema}.coverage WHERE dataset = ${bind.text(dataset)}`;
  const range = "int8range(cover_from, cover_to, '[]')";
  const coverage =
    dataset === undefined
      ? "'full'"
      : `CASE WHEN cover_from > cover_to OR covered @> ${range} THEN 'full' WHEN covered && ${range} THEN 'partial' ELSE 'none' END`;
  const refreshed =
    plan.ofSnapshot === true
      ? '(SELECT completed_at FROM snapshot)'
      : 'coalesce(covering.updated_at, judged.updated_at)';
  return `SELECT row_to_json(meta)::text FROM (
    SELECT as_of, finalized, reach, refusal, asked_from, asked_to, lo, hi, cover_from, cover_to,
      ${coverage} AS coverage,
      ${iso(refreshed)} AS refreshed_at, (SELECT count(*) FROM ${filtered(plan) === undefined ? 'page' : 'examined'}) AS rows_read,
      (SELECT count(*) FROM page) AS rows_found, (SELECT count(*) FROM page WHERE ${told(request)}) AS rows_told,
      (SELECT coalesce(max(bytes), 0) FROM page WHERE ${told(request)}) AS bytes_told, (SELECT taken FROM seat) AS seated,
      ${request.packed !== undefined ? toldTo(request) : 'NULL'} AS told_to, (SELECT count(*) FROM page WHERE counted) AS rows_counted,
      (SELECT min(height) FROM page) AS height, ${plan.exists ?? 'true'} AS exists,
      (SELECT snapshot_id FROM snapshot) AS snapshot,
      (SELECT block_number FROM snapshot) AS snapshot_block, ${examinedTo(plan)} AS examined_to,
      ${anchor(request)} AS anchor
    FROM judged LEFT JOIN (${covered}) AS covering ON true
  ) AS meta`;
}
