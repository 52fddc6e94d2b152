import type { ChainSchema } from '../../shared/chain-database/chain-schema.ts';
import { onSchema, sql } from '../../shared/chain-database/sql.ts';
import { inShares, joinMultiplier } from '../../shared/chain-database/stock-multiplier.ts';
import type { OperationParameters } from '../operations/operations.ts';
import { isIndexed } from '../plan/indexed-bytes.ts';
import type { Branch, Scope } from '../plan/plan.ts';
import type { Rows, SomeResources } from '../plan/resource.ts';
import { digits, hex, iso } from '../plan/sql-text.ts';
import { chronological } from './keys.ts';
import { ofTransaction } from './transaction-place.ts';

type Standard = OperationParameters['listTransfers']['standard'];

/** The two fields with the amount of a row in shares and its multiplier, null where the token is no stock. */
export const UI_COLUMNS = `${digits(inShares(sql`t.amount`))} AS ui_amount, ${digits('ui.multiplier')} AS ui_multiplier`;

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

/** The token that transfers are asked for, if any. */
function ofToken({ bind }: Scope, { token }: { readonly token?: string | undefined }): Parties {
  return token === undefined ? {} : { token: bind.bytes(token) };
}

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
function listed(
  { schema }: Scope,
  branches: readonly Branch[],
  { exclude_zero = false }: Partial<Pick<OperationParameters['listTransfers'], 'exclude_zero'>> = {},
): Rows {
  return {
    branches,
    ...(exclude_zero && { filter: ['t.amount <> 0'] }),
    keys: chronological('log_index', 'batch_index'),
    joins: `${onSchema(LOG_MULTIPLIER, schema)} ${joinInitiator(schema)}`,
    columns: COLUMNS,
    tokens: { token: 't.token' },
  };
}

export const TRANSFER_RESOURCES = {
  listTransfers: (scope, parameters) => listed(scope, scans(scope, parameters.standard, {}), parameters),
  listTokenTransfers: (scope, parameters) =>
    listed(scope, scans(scope, 'all', ofToken(scope, parameters)), parameters),
  listStockTransfers: (scope, parameters) =>
    listed(scope, [fungible(scope, ofToken(scope, parameters))], parameters),
  listNftTransfers: (scope, parameters) =>
    listed(scope, [unique(scope, ofToken(scope, parameters))], parameters),
  listNftItemTransfers: (scope, parameters) => {
    const where = [`t.token_id = ${scope.bind.decimal(parameters.token_id)}`];
    return listed(scope, [unique(scope, ofToken(scope, parameters), where)], parameters);
  },
  listTransactionTransfers: (scope, { hash }) => {
    const { where, ...place } = ofTransaction(scope, hash);
    return { ...listed(scope, [fungible(scope, {}, where), unique(scope, {}, where)]), ...place };
  },
  listAddressTransfers: (scope, parameters) => {
    const address = scope.bind.bytes(parameters.address);
    const of = ofToken(scope, parameters);
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
    };
  },
} satisfies SomeResources;
