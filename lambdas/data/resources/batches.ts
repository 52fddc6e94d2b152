import type { Scope } from '../plan/plan.ts';
import type { Rows, SomeResources } from '../plan/resource.ts';
import { keysOf } from './keys.ts';
import { PRICE_COLUMNS, whyUnpriced } from './prices.ts';
import { joinStock, tokenColumns } from './tokens.ts';
import { transactionColumns } from './transactions.ts';

/** What one member of a batch is looked up by. */
interface LookUp {
  /** Members as the client has sent them, separated by commas. */
  readonly members: string;
  /** Field with the member. */
  readonly member: string;
  /** Field with the row that was found. */
  readonly row: string;
  /** SQL of one row as JSON; `asked.id` is the member as bytes. */
  readonly found: string;
  /** SQL of the `error.code` of a member without a row, over `t`. */
  readonly error: string;
  /** Field with why a member has no row, and its SQL, over `t`. */
  readonly reason?: { readonly field: string; readonly why: string };
}

/** Look-ups of several members at once, in the order in which they were asked for: one that fails fails alone. */
function batch({ bind }: Scope, { members, member, row, found, error, reason }: LookUp): Rows {
  const whyNot = reason && `, CASE WHEN t.found IS NULL THEN ${reason.why} END AS ${reason.field}`;
  return {
    branches: [
      {
        from: `(SELECT asked.place, asked.text, (${found}) AS found, asked.id FROM (
            SELECT place, text, decode(substr(text, 3), 'hex') AS id
            FROM unnest(string_to_array(${bind.text(members)}, ',')) WITH ORDINALITY AS listed (text, place)
          ) AS asked)`,
        where: [],
      },
    ],
    keys: keysOf('bigint', 'place'),
    columns: `t.text AS ${member}, CASE WHEN t.found IS NULL THEN ${error} END AS error, t.found AS ${row}${whyNot ?? ''}`,
    counted: 't.found IS NOT NULL',
  };
}

const rowOf = (columns: string, from: string) =>
  `SELECT row_to_json(fields) FROM (SELECT ${columns} FROM ${from}) AS fields`;

const NOT_FOUND = `'not_found'`;

export const BATCH_RESOURCES = {
  getTokens: (scope, { addresses }) => {
    const { schema } = scope;
    const from = `${schema}.tokens AS t ${joinStock(schema)} WHERE t.address = asked.id`;
    return batch(scope, {
      members: addresses,
      member: 'address',
      row: 'token',
      found: rowOf(tokenColumns(schema), from),
      error: NOT_FOUND,
    });
  },
  getTransactions: (scope, { hashes, finality }) => {
    const { schema, bind } = scope;
    const mark = finality === 'latest' ? ', t.block_number <= (SELECT finalized FROM head) AS finalized' : '';
    const places = [...new Set(hashes.split(','))].map((hash) => {
      const { block, index } = bind.place(hash);
      return `(${bind.bytes(hash)}, (${block})::bigint, (${index})::integer)`;
    });
    const sentAs = (id: string) => `(SELECT sent.* FROM known CROSS JOIN LATERAL (
        SELECT * FROM ${schema}.transactions AS sent
        WHERE sent.block_number = known.block_number AND sent.tx_index = known.tx_index AND sent.hash = known.hash LIMIT 1
      ) AS sent WHERE known.hash = ${id} LIMIT 1)`;
    const isWithinReach = (alias: string) => `${alias}.block_number <= (SELECT reach FROM head)`;
    const from = `${sentAs('asked.id')} AS t WHERE ${isWithinReach('t')}`;
    return {
      with: [`known (hash, block_number, tx_index) AS (VALUES ${places.join(', ')})`],
      ...batch(scope, {
        members: hashes,
        member: 'hash',
        row: 'transaction',
        found: rowOf(`${transactionColumns(schema)}${mark}`, from),
        error: `CASE WHEN EXISTS (SELECT 1 FROM ${sentAs('t.id')} AS sent WHERE NOT ${isWithinReach('sent')})
          THEN 'finality_exceeded' ELSE ${NOT_FOUND} END`,
      }),
      covers: { from: '0', to: 'reach' },
    };
  },
  getPrices: (scope, { tokens }) => {
    const newest = `(SELECT * FROM ${scope.schema}.token_prices AS price
        WHERE price.token = asked.id AND price.block_number <= (SELECT finalized FROM head)
        ORDER BY price.block_number DESC LIMIT 1) AS t`;
    return {
      ...batch(scope, {
        members: tokens,
        member: 'token',
        row: 'price',
        found: rowOf(PRICE_COLUMNS, newest),
        error: NOT_FOUND,
        reason: {
          field: 'unpriced_reason',
          why: whyUnpriced(scope.schema, 't.id', '(SELECT finalized FROM head)'),
        },
      }),
      covers: { from: '0', to: 'finalized' },
    };
  },
} satisfies SomeResources;
