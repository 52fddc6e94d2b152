import type { ChainSchema } from '../../shared/chain-database/chain-schema.ts';
import type { OperationParameters } from '../operations/operations.ts';
import { isIndexed } from '../plan/indexed-bytes.ts';
import type { Branch, Scope } from '../plan/plan.ts';
import type { SomeResources } from '../plan/resource.ts';
import { digits, fraction, hex, iso } from '../plan/sql-text.ts';
import { SPAM_NAME } from './balances.ts';
import { chronological } from './keys.ts';
import { OF_TRACES } from './native-transfers.ts';

const NATIVE_DECIMALS = 18;

/** Kinds of rows in the order that they have within a block: `origin` is the place of one here. Filters are of moves, the two in the middle. */
const KINDS = ['transaction', 'internal_transfer', 'transfer', 'trade'] as const;
const [, INTERNAL, TRANSFER, TRADE] = KINDS.keys();

/** A table with rows of an address, under the names that all have in the list. */
interface Source {
  readonly table: string;
  readonly origin: number;
  /** Columns that have the address. */
  readonly sides: readonly string[];
  /** Whether their indexes have a digest of it. */
  readonly isDigested: boolean;
  /** Column that tells the rows of a block apart, and a second one where it takes two. */
  readonly nth: string;
  readonly part?: string;
  readonly where?: readonly string[];
  readonly place?: string;
  /** SQL of what the row itself says: hash, sender, recipient, standard, token, its item, amount. */
  readonly columns: string;
}

const NO_TOKEN = 'NULL::integer AS standard, NULL::bytea AS token, NULL::numeric AS token_id';
const PARTIES = 't.from_address, t.to_address';

const SOURCES: readonly Source[] = [
  {
    table: 'transactions',
    origin: 0,
    sides: ['from_address', 'to_address'],
    isDigested: true,
    nth: 'tx_index',
    columns: `t.hash AS tx_hash, ${PARTIES}, ${NO_TOKEN}, t.value AS amount`,
  },
  {
    table: 'traces',
    origin: 1,
    sides: ['from_address', 'to_address'],
    isDigested: true,
    nth: 'tx_index',
    part: 'trace_index',
    where: OF_TRACES.where,
    place: OF_TRACES.place,
    columns: `t.tx_hash, ${PARTIES}, ${NO_TOKEN}, t.value AS amount`,
  },
  {
    table: 'erc20_transfers',
    origin: 2,
    sides: ['from_address', 'to_address'],
    isDigested: true,
    nth: 'log_index',
    columns: `t.tx_hash, ${PARTIES}, 20 AS standard, t.token, NULL::numeric AS token_id, t.amount`,
  },
  {
    table: 'nft_transfers',
    origin: 2,
    sides: ['from_address', 'to_address'],
    isDigested: false,
    nth: 'log_index',
    part: 'batch_index',
    columns: `t.tx_hash, ${PARTIES}, t.standard::integer, t.token, t.token_id, t.amount`,
  },
  {
    table: 'dex_swaps',
    origin: 3,
    sides: ['trader'],
    isDigested: false,
    nth: 'log_index',
    columns: `t.tx_hash, NULL::bytea AS from_address, NULL::bytea AS to_address, ${NO_TOKEN}, NULL::numeric AS amount`,
  },
];

/** The walks over the indexes of a source, one for each side that the address may be on. */
function walks({ schema }: Scope, source: Source, address: string): Branch[] {
  const { table, origin, sides, isDigested, nth, part, where = [], place, columns } = source;
  return sides.map((side) => ({
    from: `(SELECT *, ${origin} AS origin, ${nth} AS nth, ${part ?? 0} AS part FROM ${schema}.${table})`,
    // Of one type in all: else they are sorted, and not merged.
    columns: `t.block_number::integer AS block_number, t.origin, t.nth, t.part, t.block_time, t.tx_index, ${columns}`,
    where: [isDigested ? isIndexed(schema, `t.${side}`, address) : `t.${side} = ${address}`, ...where],
    fulfils: origin === 0 || origin === TRADE,
    constants: { origin, ...(part === undefined && { part: 0 }) },
    ...(place !== undefined && { place: `${schema}.${place}` }),
  }));
}

/** Joins what a row of the page is of: its transaction, its token, and the two sides of a trade. */
const joins = (schema: ChainSchema, spam: string) => `LEFT JOIN LATERAL (
    SELECT from_address AS initiator, method_id, status FROM ${schema}.transactions
    WHERE block_number = t.block_number AND tx_index = t.tx_index LIMIT 1
  ) AS sent ON true
  LEFT JOIN LATERAL (
    SELECT pool_id, token_in, amount_in, token_out, amount_out, amount_usd FROM ${schema}.dex_swaps
    WHERE t.origin = ${TRADE} AND block_number = t.block_number AND log_index = t.nth LIMIT 1
  ) AS trade ON true
  CROSS JOIN LATERAL (SELECT ${spam} AS reason OFFSET 0) AS spam`;

/** SQL of a field that rows of some origin have, and others have null. */
const only = (origin: number | undefined, value: string) => `CASE t.origin WHEN ${origin} THEN ${value} END`;

const COLUMNS = `t.block_number, ${iso('t.block_time')} AS timestamp, ${hex('t.tx_hash')} AS transaction_hash,
  t.tx_index AS transaction_index, ('{${KINDS.join(',')}}'::text[])[t.origin + 1] AS kind,
  CASE WHEN t.origin >= ${TRANSFER} THEN t.nth END AS log_index, ${only(TRANSFER, 't.part')} AS batch_index,
  ${only(INTERNAL, 't.part')} AS trace_index`;

const REST = `${hex('t.from_address')} AS "from", ${hex('t.to_address')} AS "to", ${hex('sent.initiator')} AS initiator,
  CASE WHEN t.origin < ${TRANSFER} THEN 'native' ELSE 'erc' || t.standard END AS standard, ${hex('t.token')} AS token,
  ${digits('t.token_id')} AS token_id, ${digits('t.amount')} AS amount, ${only(0, 'sent.status')} AS status,
  ${only(0, hex('sent.method_id'))} AS method_id, ${hex('trade.pool_id')} AS pool_id, ${hex('trade.token_in')} AS token_in,
  ${digits('trade.amount_in')} AS amount_in, ${hex('trade.token_out')} AS token_out,
  ${digits('trade.amount_out')} AS amount_out, ${fraction('trade.amount_usd')} AS amount_usd,
  spam.reason IS NOT NULL AS possible_spam, spam.reason AS spam_reason`;

/**
 * SQL of why a transfer may be spam: somebody else moved nothing of the address, or the token's name wants its reader to go somewhere.
 * With `EXISTS` the planner would read the names of all tokens at once.
 */
const spamReason = (schema: ChainSchema, address: string) => `CASE WHEN t.origin <> ${TRANSFER} THEN NULL
    WHEN t.amount = 0 AND ${address} <> (SELECT from_address FROM ${schema}.transactions
      WHERE block_number = t.block_number AND tx_index = t.tx_index) THEN 'zero'
    WHEN (SELECT concat_ws(' ', name, symbol) ~* '${SPAM_NAME}' FROM ${schema}.tokens
      WHERE address = t.token LIMIT 1) THEN 'name' END`;

/** SQL of whether a move has an amount, in whole coins or tokens; what is neither native nor of a token with decimals counts pieces. */
const isAtLeast = (
  schema: ChainSchema,
  least: string,
) => `(t.origin NOT IN (${INTERNAL}, ${TRANSFER}) OR t.amount >= ${least}
    * 10::numeric ^ CASE WHEN t.standard IS NULL THEN ${NATIVE_DECIMALS} WHEN t.standard = 20
      THEN coalesce((SELECT decimals FROM ${schema}.tokens WHERE address = t.token), 0) ELSE 0 END)`;

type Filters = Pick<
  OperationParameters['listAddressActivity'],
  'exclude_zero' | 'min_amount' | 'possible_spam'
>;

function filtersOf({ schema, bind }: Scope, spam: string, filters: Filters): string[] {
  const { exclude_zero, min_amount, possible_spam } = filters;
  return [
    ...(exclude_zero ? [`(t.origin <> ${TRANSFER} OR t.amount <> 0)`] : []),
    ...(min_amount === undefined ? [] : [isAtLeast(schema, bind.decimal(min_amount))]),
    ...(possible_spam === undefined ? [] : [`(${spam}) IS ${possible_spam ? 'NOT ' : ''}NULL`]),
  ];
}

export const ACTIVITY_RESOURCES = {
  listAddressActivity: (scope, parameters) => {
    const { schema, bind } = scope;
    const address = bind.bytes(parameters.address);
    const spam = spamReason(schema, address);
    return {
      branches: SOURCES.filter(
        ({ origin }) => origin === TRANSFER || parameters.possible_spam !== true,
      ).flatMap((source) => walks(scope, source, address)),
      overlapping: true,
      keys: chronological('origin', 'nth', 'part'),
      filter: filtersOf(scope, spam, parameters),
      joins: joins(schema, spam),
      columns: `${COLUMNS}, CASE WHEN t.origin = ${TRADE} THEN NULL WHEN t.from_address = t.to_address THEN 'self'
        WHEN t.to_address = ${address} THEN 'in' ELSE 'out' END AS direction, ${REST}`,
      alsoOf: SOURCES.slice(1).map(({ table }) => table),
    };
  },
} satisfies SomeResources;
