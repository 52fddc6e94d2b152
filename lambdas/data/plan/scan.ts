import type { Branch, OrderKey, Plan, Scope } from './plan.ts';
import type { StatementRequest } from './statement-request.ts';

/** Rows that a page with an unindexed filter examines: reading them takes a fraction of a second. */
export const MAX_EXAMINED_ROWS = 4_000;

type OrderTerm = Pick<OrderKey, 'column' | 'descending'>;

const UPPER_END = '(SELECT hi FROM bounds)';

/**
 * As an array of one: between two scalar bounds the planner estimates almost no rows, and reads and sorts them all in place of
 * walking the index for the first few.
 */
const UPPER_END_OF_LIST = `ANY (ARRAY[${UPPER_END}])`;

/** Whether rows are found again by their keys: those of one branch whose rows are those of its table. */
function isLookedUp({ branches }: StatementRequest['plan']): boolean {
  return branches.length === 1 && branches[0]?.columns === undefined;
}

/** SQL of the rows that the page is made of, of each walk over an index. @param most SQL of the most rows */
export function scans(request: StatementRequest, most: string): string[] {
  const { plan } = request;
  const [branch] = plan.branches;
  if (branch === undefined || !isFiltered(plan))
    return plan.branches.map((each) => scanIndex(request, each, { columns: each.columns ?? 't.*', most }));
  const matching = `SELECT * FROM examined AS t WHERE matches AND place <= ${MAX_EXAMINED_ROWS} ${firstOf(plan.keys, most)}`;
  return [isLookedUp(plan) ? lookedUp(plan, branch, matching) : matching];
}

/** SQL of one walk over an index: the rows of a branch behind the cursor, within the window, in the order of its keys. */
function scanIndex(
  { scope, plan: { keys: allKeys, window }, after }: StatementRequest,
  { from, where, constants = {}, place, front }: Branch,
  { columns, most }: { readonly columns: string; readonly most: string },
): string {
  const keys = allKeys.filter(({ column }) => !(column in constants));
  const bound = after && boundOf(allKeys, after.keys, constants);
  const conditions = [
    '(SELECT taken FROM seat)',
    ...where,
    ...(window === undefined
      ? []
      : [
          '(SELECT refusal FROM bounds) IS NULL',
          `${window.column} >= (SELECT lo FROM bounds)`,
          `${window.column} <= ${keys.length === 0 ? UPPER_END : UPPER_END_OF_LIST}`,
        ]),
    ...(bound === undefined ? [] : [behind(scope, bound)]),
    ...(bound?.isWhole !== true || place === undefined ? [] : [notBefore(scope, bound, place)]),
  ];
  return `SELECT ${columns} FROM ${from} AS t
          WHERE ${conditions.join('\n            AND ')}
          ${place === undefined ? firstOf(behindFront(front, keys), most) : firstByPlace(keys, place, most)}`;
}

/** Terms of the order of an index: a column that it has in front of the keys, and these. */
function behindFront(front: string | undefined, keys: readonly OrderKey[]): readonly OrderTerm[] {
  return front === undefined ? keys : [{ column: front, descending: keys[0]?.descending === true }, ...keys];
}

/** Whether a plan has filters, which no index serves. */
export function isFiltered({ filter = [] }: Plan): boolean {
  return filter.length > 0;
}

/**
 * The rows that filters are applied to, as a common table expression: of one branch of whole rows their keys, of others all, as nothing shows
 * which one a row is of. One more row shows whether these are all.
 */
export function examinedRows(request: StatementRequest): string {
  const { plan, scope, limit } = request;
  if (!isFiltered(plan)) return '';
  const { keys, branches, filter = [] } = plan;
  const most = scope.bind.integer(MAX_EXAMINED_ROWS + 1);
  const found = scope.bind.integer(limit + 1);
  const matches = `(${filter.join(' AND ')}) IS TRUE AS matches`;
  const walks = branches.map((branch) => {
    const columns = isLookedUp(plan) ? `${columnsOf(keys)}, ${matches}` : (branch.columns ?? 't.*');
    return `(
          ${scanIndex(request, branch, { columns, most: branch.fulfils ? found : most })}
    )`;
  });
  const order = orderBy(keys);
  return `
examined AS MATERIALIZED (
  SELECT * FROM (
    SELECT t.*, row_number() OVER walk AS place, count(*) FILTER (WHERE matches) OVER walk AS found FROM (
      SELECT t.*${isLookedUp(plan) ? '' : `, ${matches}`} FROM (
        ${mergedWalks(plan, walks)}
      ) AS t ${firstOf(keys, most)} OFFSET 0
    ) AS t WINDOW walk AS (${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
  ) AS t WHERE found < ${found}
),`;
}

/**
 * SQL of the rows of several walks. A row that two of them may have found comes once, and the walks are merged by their first key, in the
 * order that each has: so no more is read of all of them together than is taken.
 */
export function mergedWalks({ keys, overlapping }: Plan, walks: readonly string[]): string {
  const all = walks.join(' UNION ALL ');
  if (overlapping !== true || walks.length === 1) return all;
  const order = orderBy(keys);
  return `SELECT DISTINCT ON (${columnsOf(keys)}) * FROM (
          SELECT * FROM (
            SELECT * FROM (
              ${all}
            ) AS t ${orderBy(keys.slice(0, 1))} OFFSET 0
          ) AS t ${order} OFFSET 0
        ) AS t ${order}`;
}

/** SQL of the rows that match a filter, each looked up again by its key. */
function lookedUp({ keys }: Plan, { from }: Branch, matching: string): string {
  const isSame = keys.map(({ column }) => `row.${column} = t.${column}`).join(' AND ');
  return `SELECT found.* FROM (
            ${matching}
          ) AS t
          CROSS JOIN LATERAL (SELECT * FROM ${from} AS row WHERE ${isSame} LIMIT 1) AS found`;
}

/** Columns of the keys, of rows with the alias `t`. */
export function columnsOf(keys: readonly OrderKey[]): string {
  return keys.map(({ column }) => `t.${column}`).join(', ');
}

/** `ORDER BY` of the keys; empty if there are none. */
export function orderBy(keys: readonly OrderTerm[]): string {
  if (keys.length === 0) return '';
  return `ORDER BY ${keys.map(({ column, descending }) => `t.${column}${descending ? ' DESC' : ''}`).join(', ')}`;
}

/** `ORDER BY` of the keys, if there are any, and `LIMIT`. @param most SQL of the most rows */
export function firstOf(keys: readonly OrderTerm[], most: string): string {
  return [...(keys.length === 0 ? [] : [orderBy(keys)]), `LIMIT ${most}`].join(' ');
}

/** Where the rows of a branch begin that are behind a position. */
interface Bound {
  /** Keys that the branch has, up to the first constant that is another than the position's. */
  readonly keys: readonly OrderKey[];
  readonly values: readonly string[];
  /** Whether rows with these very values are behind the position too. */
  readonly isInclusive: boolean;
  /** Whether no constant is another than the position's. */
  readonly isWhole: boolean;
}

function boundOf(
  keys: readonly OrderKey[],
  values: readonly string[],
  constants: Readonly<Record<string, number>>,
): Bound {
  const other = keys.findIndex(
    ({ column }, index) => column in constants && String(constants[column]) !== values[index],
  );
  const last = keys[other];
  const own = keys
    .slice(0, last && other)
    .flatMap((key, index) => (key.column in constants ? [] : [{ key, value: values[index] ?? '' }]));
  return {
    keys: own.map(({ key }) => key),
    values: own.map(({ value }) => value),
    isInclusive:
      last !== undefined && Number(constants[last.column]) > Number(values[other]) !== last.descending,
    isWhole: last === undefined,
  };
}

/**
 * SQL of whether a row comes after a position. Keys of one direction are compared as a row, which is one range of the
 * index; else the first key bounds the range.
 */
function behind({ bind }: Scope, { keys, values, isInclusive }: Bound): string {
  const bound = keys.map((key, index) => bindKey(bind, key, values[index] ?? ''));
  const sign = ({ descending }: OrderKey) => (descending ? '<' : '>');
  const [first] = keys;
  if (first === undefined) return 'false';
  if (keys.every(({ descending }) => descending === first.descending))
    return `(${columnsOf(keys)}) ${sign(first)}${isInclusive ? '=' : ''} (${bound.join(', ')})`;
  const cases = keys.map((key, index) => {
    const equal = keys.slice(0, index).map(({ column }, place) => `t.${column} = ${bound[place]}`);
    return `(${[...equal, `t.${key.column} ${sign(key)} ${bound[index]}`].join(' AND ')})`;
  });
  return `t.${first.column} ${sign(first)}= ${bound[0]} AND (${cases.join(' OR ')})`;
}

/**
 * The same, for an index that has `place` of all keys but the first in place of them. Rows that share the last number of it come too:
 * to tell them apart here would be a sort, for which the planner might read all rows.
 */
function firstByPlace(keys: readonly OrderKey[], place: string, most: string): string {
  const [first = '', ...others] = keys.map(({ column }) => `t.${column}`);
  const direction = keys[0]?.descending ? ' DESC' : '';
  return `ORDER BY ${first}${direction}, ${place}(${others.join(', ')})${direction} FETCH FIRST (${most}) ROWS WITH TIES`;
}

/** SQL that bounds the range of such an index, as {@link behind} cannot: its rows are not before a position. */
function notBefore({ bind }: Scope, { keys, values }: Bound, place: string): string {
  const [column = '', ...others] = keys.map((key) => `t.${key.column}`);
  const [bound = '', ...places] = values.map((value) => bind.integer(Number(value)));
  const asPlaces = places.map((each) => `(${each})::integer`).join(', ');
  const sign = keys[0]?.descending ? '<=' : '>=';
  return `(${column}, ${place}(${others.join(', ')})) ${sign} (${bound}, ${place}(${asPlaces}))`;
}

function bindKey(bind: Scope['bind'], { type }: OrderKey, value: string): string {
  if (type === 'bytea') return bind.bytes(value);
  if (type === 'numeric' || type === 'fraction') return bind.decimal(value);
  if (type === 'date') return bind.day(value);
  if (type === 'timestamptz') return bind.time(value);
  if (type === 'text') return bind.text(value);
  return bind.integer(Number(value));
}
