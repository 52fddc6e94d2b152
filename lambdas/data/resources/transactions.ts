import { isIndexed } from '../plan/indexed-bytes.ts';
import type { Scope } from '../plan/plan.ts';
import type { SomeResources } from '../plan/resource.ts';
import { digits, hex, iso, whole } from '../plan/sql-text.ts';
import { chronological, scanOf, sidesOf } from './keys.ts';
import { LOG_BYTES, LOG_COLUMNS } from './logs.ts';
import { ofBlock, placedTransaction } from './transaction-place.ts';

/** Name of the dataset that covers the blocks with everything that a node tells: files of cryo have less. */
const KEPT_DATASET = 'withdrawals';

const COLUMNS = `${hex('t.hash')} AS hash, t.block_number, ${hex('t.block_hash')} AS block_hash,
  t.tx_index AS transaction_index, ${iso('t.block_time')} AS timestamp, t.type, ${hex('t.from_address')} AS "from",
  ${hex('t.to_address')} AS "to", ${hex('t.contract_address')} AS contract_address, ${whole('t.nonce')} AS nonce,
  ${digits('t.value')} AS value, ${whole('t.gas')} AS gas, ${digits('t.gas_price')} AS gas_price,
  ${digits('t.effective_gas_price')} AS effective_gas_price, ${digits('t.max_fee_per_gas')} AS max_fee_per_gas,
  ${digits('t.max_priority_fee_per_gas')} AS max_priority_fee_per_gas, ${whole('t.gas_used')} AS gas_used,
  ${whole('t.gas_used_for_l1')} AS gas_used_for_l1, t.l1_block_number,
  ${whole('t.cumulative_gas_used')} AS cumulative_gas_used, t.status,
  (t.effective_gas_price * t.gas_used)::text AS fee, ${hex('t.method_id')} AS method_id, t.input_size, t.log_count,
  ${hex('t.request_id')} AS request_id`;

/** Fields of a transaction in a list. */
export function transactionColumns(schema: string): string {
  return `${COLUMNS}, CASE WHEN ${isKeptMember(schema, 't.block_number')} THEN (t.effective_gas_price * t.gas_used
    + coalesce(t.l1_fee, 0) + coalesce(t.operator_fee, 0) + coalesce(t.blob_gas_used * t.blob_gas_price, 0))::text
    END AS total_fee`;
}

/** Fields of a transaction by itself. */
function detailColumns(schema: string): string {
  const isStored = isKeptMember(schema, 't.block_number');
  return `${transactionColumns(schema)}, ${digits('t.l1_fee')} AS l1_fee, ${digits('t.operator_fee')} AS operator_fee,
    ${whole('t.blob_gas_used')} AS blob_gas_used, ${digits('t.blob_gas_price')} AS blob_gas_price,
    ${keptList(isStored, 'accessList')} AS access_list, ${keptList(isStored, 'authorizationList')} AS authorization_list,
    ${keptList(isStored, 'blobVersionedHashes')} AS blob_versioned_hashes,
    ${hex('t.input')} AS input, octet_length(t.input) < t.input_size AS input_truncated,
    t.extra - '{accessList,authorizationList,blobVersionedHashes}'::text[] AS extra,
    CASE WHEN ${isStored} THEN coalesce(t.receipt_extra, '{}'::jsonb) END AS receipt_extra,
    ${omittedNames(isStored)} AS extra_omitted`;
}

/** SQL of whether a block was stored with everything that the node returned of it. `block`: SQL of its number. */
function isKeptMember(schema: string, block: string): string {
  return `coalesce((SELECT covered FROM ${schema}.coverage WHERE dataset = '${KEPT_DATASET}') @> (${block})::bigint, false)`;
}

/**
 * SQL of a list that the node returned as a further member: empty where it had none, and null where the source lacks it, or the
 * list was too long.
 */
function keptList(isStored: string, member: string): string {
  return `CASE WHEN ${isStored} AND NOT ${isOmitted(member)} THEN coalesce(t.extra -> '${member}', '[]'::jsonb) END`;
}

/** SQL of whether the source had a member that was not kept. */
function isOmitted(member: string): string {
  return `coalesce(jsonb_exists(t.extra_omitted, '${member}'), false)`;
}

/** SQL of the names of members that were too long to be kept; null where that is not known. */
function omittedNames(isStored: string): string {
  return `CASE WHEN ${isStored} THEN coalesce(t.extra_omitted, '[]'::jsonb) END`;
}

/** What the lists of transactions share. */
const listed = ({ schema }: Scope) => ({
  keys: chronological('tx_index'),
  columns: transactionColumns(schema),
});

/** The row of one transaction, and what limits other rows to its own. */
function oneTransaction(scope: Scope, hash: string) {
  const placed = placedTransaction(scope, hash);
  const where = [...placed.where, 'EXISTS (SELECT 1 FROM place)'];
  const found = {
    with: placed.with,
    branches: scanOf(scope, 'transactions', ...where),
    height: 't.block_number',
    absent: `there is no transaction ${hash}`,
  };
  return { found, where };
}

/** Logs that come along with their transaction. */
const MAX_INCLUDED_LOGS = 500;

export const TRANSACTION_RESOURCES = {
  listTransactions: (scope) => ({ ...listed(scope), branches: scanOf(scope, 'transactions') }),
  listBlockTransactions: (scope, { number }) => ({
    ...listed(scope),
    branches: scanOf(scope, 'transactions'),
    ...ofBlock(scope, number),
  }),
  listAddressTransactions: (scope, parameters) => {
    const address = scope.bind.bytes(parameters.address);
    const of = (side: string) => ({
      from: `${scope.schema}.transactions`,
      where: [isIndexed(scope.schema, side, address)],
    });
    return { ...listed(scope), ...sidesOf(parameters.direction, of) };
  },
  getTransaction: (scope, { hash, include_logs }) => {
    const { found, where } = oneTransaction(scope, hash);
    return {
      ...found,
      columns: detailColumns(scope.schema),
      ...(include_logs && {
        parts: {
          field: 'logs',
          truncatedField: 'logs_truncated',
          limit: MAX_INCLUDED_LOGS,
          branches: scanOf(scope, 'logs', ...where),
          keys: chronological('log_index'),
          columns: LOG_COLUMNS,
          longBytes: LOG_BYTES,
        },
      }),
    };
  },
  getTransactionProof: (scope, { hash, log_index }) => ({
    ...oneTransaction(scope, hash).found,
    columns: `${hex('t.hash')} AS transaction_hash, t.block_number, ${hex('t.block_hash')} AS block_hash,
      t.tx_index AS transaction_index`,
    proves: { logIndex: log_index },
  }),
} satisfies SomeResources;
