import type { ChainSchema } from '../../shared/chain-database/chain-schema.ts';
import { onSchema, sql } from '../../shared/chain-database/sql.ts';
import { joinMultiplier } from '../../shared/chain-database/stock-multiplier.ts';
import { isIndexed } from '../plan/indexed-bytes.ts';
import type { Branch, Plan, Scope } from '../plan/plan.ts';
import type { Resources } from '../plan/resource.ts';
import { digits, hex, iso } from '../plan/sql-text.ts';
import { type WindowParameters, windowOf } from '../plan/window.ts';
import { chronological, type Order } from './keys.ts';
import { ofStock, ofToken, UI_COLUMNS } from './of-stock.ts';
import { ofTransaction } from './transaction-place.ts';

type Standard = 'erc20' | 'erc721' | 'erc1155' | 'all';

const COLUMNS = `t.block_number, ${iso('t.block_time')} AS timestamp, ${hex('t.tx_hash')} AS transaction_hash,
  t.tx_index AS transaction_index, t.log_index, t.batch_index, 'erc' || t.standard AS standard,
  ${hex('t.token')} AS token, ${digits('t.token_id')} AS token_id, ${hex('t.from_address')} AS "from",
  ${hex('t.to_address')} AS "to", ${digits('t.amount')} AS amount, t.kind, ${hex('sent.initiator')} AS initiator,
  ${UI_COLUMNS}`;

/** Who sent the transaction of a transfer: null where the transaction is not indexed. */
const joinInitiator = (schema: ChainSchema) => `LEFT JOIN LATERAL (
    SELECT from_address AS initiator FROM ${schema}.transactions
    WHERE block_number = t.block_number AND tx_index = t.tx_index LIMIT 1
  ) AS sent ON true`;

const LOG_MULTIPLIER = joinMultiplier(sql`t.token`, {
  time: sql`t.block_time`,
  block: sql`t.block_number`,
  log: sql`t.log_index`,
});

const SHARED = 't.block_number, t.log_index';
const REST = 't.tx_index, t.tx_hash, t.block_time, t.token, t.from_address, t.to_address, t.amount, t.kind';

const UNIQUE_STANDARDS = { erc721: 721, erc1155: 1155 } as const;

/** Addresses that transfers are asked for, as SQL, by the column that has each. */
type Parties = { readonly [Column in 'token' | 'from_address' | 'to_address']?: string };

/** Transfers of ERC-20 tokens between parties that fulfil conditions. */
function fungible({ schema }: Scope, parties: Parties, where: readonly string[] = []): Branch {
  const of = Object.entries(parties).map(([column, value]) => isIndexed(schema, `t.${column}`, value));
  return {
    from: `${schema}.erc20_transfers`,
    columns: `${SHARED}, 0 AS batch_index, 20 AS standard, NULL::numeric AS token_id, ${REST}`,
    where: [...of, ...where],
    // An event is one transfer.
    constants: { batch_index: 0 },
  };
}

/** Transfers of NFTs between parties that fulfil conditions. */
function unique({ schema }: Scope, parties: Parties, where: readonly string[] = []): Branch {
  const of = Object.entries(parties).map(([column, value]) => `t.${column} = ${value}`);
  return {
    from: `${schema}.nft_transfers`,
    columns: `${SHARED}, t.batch_index, t.standard::integer, t.token_id, ${REST}`,
    where: [...of, ...where],
  };
}

/** Transfers of a standard between parties. */
function scans(scope: Scope, standard: Standard, parties: Parties): Branch[] {
  if (standard === 'all') return [fungible(scope, parties), unique(scope, parties)];
  if (standard === 'erc20') return [fungible(scope, parties)];
  return [unique(scope, parties, [`t.standard = ${UNIQUE_STANDARDS[standard]}`])];
}

/** What the lists of transfers have in common. */
interface ListParameters {
  readonly order: Order;
  /** Whether transfers of nothing are left out. */
  readonly exclude_zero: boolean;
}

function listed(
  { schema }: Scope,
  branches: readonly Branch[],
  { order, exclude_zero }: ListParameters,
): Plan {
  return {
    shape: 'list',
    branches,
    ...(exclude_zero && { filter: ['t.amount <> 0'] }),
    keys: chronological(order, 'log_index', 'batch_index'),
    joins: `${onSchema(LOG_MULTIPLIER, schema)} ${joinInitiator(schema)}`,
    columns: COLUMNS,
  };
}

/** Transfers of one token. */
function tokenTransfers(
  scope: Scope,
  parameters: WindowParameters & { readonly token: string } & ListParameters,
  standard: Standard,
): Plan {
  const token = scope.bind.bytes(parameters.token);
  return {
    ...listed(scope, scans(scope, standard, { token }), parameters),
    window: windowOf(scope, parameters, 't.block_number'),
  };
}

type TransferOperation =
  | 'listTransfers'
  | 'listTokenTransfers'
  | 'listStockTransfers'
  | 'listTransactionTransfers'
  | 'listAddressTransfers'
  | 'listNftTransfers'
  | 'listNftItemTransfers';

export const TRANSFER_RESOURCES: Resources<TransferOperation> = {
  listTransfers: (scope, parameters) => ({
    ...listed(scope, scans(scope, parameters.standard, {}), parameters),
    window: windowOf(scope, parameters, 't.block_number'),
  }),
  listTokenTransfers: (scope, parameters) => ({
    ...tokenTransfers(scope, parameters, 'all'),
    ...ofToken(scope, parameters.token),
  }),
  listStockTransfers: (scope, parameters) => ({
    ...tokenTransfers(scope, parameters, 'erc20'),
    ...ofStock(scope, parameters.token),
  }),
  listNftTransfers: (scope, parameters) => {
    const token = scope.bind.bytes(parameters.token);
    return {
      ...listed(scope, [unique(scope, { token })], parameters),
      ...ofToken(scope, parameters.token),
      window: windowOf(scope, parameters, 't.block_number'),
    };
  },
  listNftItemTransfers: (scope, parameters) => {
    const token = scope.bind.bytes(parameters.token);
    const where = [`t.token_id = ${scope.bind.decimal(parameters.token_id)}`];
    return {
      ...listed(scope, [unique(scope, { token }, where)], parameters),
      ...ofToken(scope, parameters.token),
      window: windowOf(scope, parameters, 't.block_number'),
    };
  },
  listTransactionTransfers: (scope, { hash }) => {
    const { where, ...place } = ofTransaction(scope, hash);
    const all = { order: 'asc', exclude_zero: false } as const;
    return { ...listed(scope, [fungible(scope, {}, where), unique(scope, {}, where)], all), ...place };
  },
  listAddressTransfers: (scope, parameters) => {
    const address = scope.bind.bytes(parameters.address);
    const of = parameters.token === undefined ? {} : { token: scope.bind.bytes(parameters.token) };
    const sent = scans(scope, parameters.standard, { from_address: address, ...of });
    const received = scans(scope, parameters.standard, { to_address: address, ...of });
    const plan = listed(
      scope,
      { any: [...sent, ...received], out: sent, in: received }[parameters.direction],
      parameters,
    );
    return {
      ...plan,
      overlapping: true,
      columns: `${plan.columns}, CASE WHEN t.from_address = t.to_address THEN 'self'
        WHEN t.to_address = ${address} THEN 'in' ELSE 'out' END AS direction`,
      window: windowOf(scope, parameters, 't.block_number'),
    };
  },
};
