import type { ChainSchema } from '../../shared/chain-database/chain-schema.ts';
import type { ParameterValues } from '../plan/parse-parameters.ts';
import type { Plan, Scope } from '../plan/plan.ts';
import { keysOf } from './keys.ts';

/** Rows that each way of looking may read: a token is sure to be found if fewer begin with what was searched for. */
const MAX_CANDIDATES = 250;
const ADDRESS_BEGINS = /^0x[0-9a-f]{1,40}$/i;
const ADDRESS_DIGITS = 40;
/** SQL of a character above all others. */
const LAST_CHARACTER = 'chr(1114111)';

/** What is wrong with a search, for people; undefined if nothing is: it is by what tokens call themselves alone. */
export function searchProblem({
  search,
  symbol,
  standard,
  cursor,
  format,
}: ParameterValues): string | undefined {
  if (search === undefined) return undefined;
  if (format !== undefined) return 'search goes with pages, not with format';
  if (cursor !== undefined) return 'a search has no further pages: search for more of the name';
  return symbol === undefined && standard === 'all'
    ? undefined
    : 'search goes with neither symbol nor standard';
}

/**
 * Tokens whose symbol, name or address begins with a text, in any case: those with this very symbol first, then those
 * that most hold. Candidates are the first of each index and the most held tokens, so what is read is bounded however
 * many tokens there are.
 */
export function searchedTokens(scope: Scope, search: string, limit: number): Pick<Plan, 'branches' | 'keys'> {
  const { schema, bind } = scope;
  const text = `lower(${bind.text(search)})`;
  const candidates = ADDRESS_BEGINS.test(search)
    ? [addressBegins(scope, search)]
    : [
        begins(schema, 'symbol', text),
        begins(schema, 'name', text),
        ...(['symbol', 'name'] as const).map((column) => begunAs(schema, column, text)),
        mostHeld(schema, text),
      ];
  const isOther = `lower(found.symbol) IS DISTINCT FROM ${text}`;
  const from = `(SELECT *, row_number() OVER (ORDER BY ${isOther}, holder_count DESC, address) AS place
    FROM (${candidates.map((each) => `(${each})`).join(' UNION ')}) AS found
    ORDER BY place LIMIT ${bind.integer(limit)})`;
  return {
    branches: [{ from, where: [] }],
    keys: keysOf('bigint', 'place'),
  };
}

/** An array of one as the upper end: between two scalar bounds the planner expects almost no rows. */
function begins(schema: ChainSchema, column: 'symbol' | 'name', text: string): string {
  const value = `lower(t.${column}) COLLATE "C"`;
  return `SELECT t.* FROM ${schema}.tokens AS t
    WHERE ${value} >= ${text} AND ${value} <= ANY (ARRAY[${text} || ${LAST_CHARACTER}])
    ORDER BY ${value}, t.address LIMIT ${MAX_CANDIDATES}`;
}

/** Tokens that began so before they said something else. */
function begunAs(schema: ChainSchema, column: 'symbol' | 'name', text: string): string {
  const value = `lower(former.${column}) COLLATE "C"`;
  return `SELECT t.* FROM (
      SELECT token FROM ${schema}.token_names AS former
      WHERE ${value} >= ${text} AND ${value} <= ANY (ARRAY[${text} || ${LAST_CHARACTER}])
      ORDER BY ${value}, token LIMIT ${MAX_CANDIDATES}
    ) AS former CROSS JOIN LATERAL (SELECT * FROM ${schema}.tokens WHERE address = former.token LIMIT 1) AS t`;
}

function mostHeld(schema: ChainSchema, text: string): string {
  return `SELECT held.* FROM (
      SELECT * FROM ${schema}.tokens AS t WHERE t.standard = 20 ORDER BY t.holder_count DESC, t.address LIMIT ${MAX_CANDIDATES}
    ) AS held WHERE starts_with(lower(held.symbol), ${text}) OR starts_with(lower(held.name), ${text})`;
}

function addressBegins({ schema, bind }: Scope, search: string): string {
  const digits = search.slice('0x'.length).toLowerCase();
  const [first, last] = ['0', 'f'].map((digit) => bind.bytes(`0x${digits.padEnd(ADDRESS_DIGITS, digit)}`));
  return `SELECT t.* FROM ${schema}.tokens AS t WHERE t.address >= ${first} AND t.address <= ANY (ARRAY[${last}])
    ORDER BY t.address LIMIT ${MAX_CANDIDATES}`;
}
