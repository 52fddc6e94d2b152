import type { Resources } from '../plan/resource.ts';
import { digits, hex, iso, whole } from '../plan/sql-text.ts';
import { windowOf } from '../plan/window.ts';
import { chronological } from './keys.ts';
import { LOG_BYTES, LOG_COLUMNS } from './logs.ts';
import { ofBlock } from './transaction-place.ts';

/** Fields of a transaction in a list. */
export const TRANSACTION_COLUMNS = `${hex('t.hash')} AS hash, t.block_number, ${hex('t.block_hash')} AS block_hash,
  t.tx_index AS transaction_index, ${iso('t.block_time')} AS timestamp, t.type, ${hex('t.from_address')} AS "from",
  ${hex('t.to_address')} AS "to", ${hex('t.contract_address')} AS contract_address, ${whole('t.nonce')} AS nonce,
  ${digits('t.value')} AS value, ${whole('t.gas')} AS gas, ${digits('t.gas_price')} AS gas_price,
  ${digits('t.effective_gas_price')} AS effective_gas_price, ${digits('t.max_fee_per_gas')} AS max_fee_per_gas,
  ${digits('t.max_priority_fee_per_gas')} AS max_priority_fee_per_gas, ${whole('t.gas_used')} AS gas_used,
  ${whole('t.gas_used_for_l1')} AS gas_used_for_l1, t.l1_block_number,
  ${whole('t.cumulative_gas_used')} AS cumulative_gas_used, t.status,
  (t.effective_gas_price * t.gas_used)::text AS fee, ${hex('t.method_id')} AS method_id, t.input_size, t.log_count,
  ${hex('t.request_id')} AS request_id`;

/** Logs that come along with their transaction. */
const MAX_INCLUDED_LOGS = 500;

type TransactionOperation =
  | 'listTransactions'
  | 'getTransaction'
  | 'listAddressTransactions'
  | 'listBlockTransactions';

export const TRANSACTION_RESOURCES: Resources<TransactionOperation> = {
  listTransactions: (scope, parameters) => ({
    shape: 'list',
    branches: [{ from: `${scope.schema}.transactions`, where: [] }],
    keys: chronological(parameters.order, 'tx_index'),
    columns: TRANSACTION_COLUMNS,
    window: windowOf(scope, parameters, 't.block_number'),
  }),
  listBlockTransactions: (scope, { number }) => ({
    shape: 'list',
    branches: [{ from: `${scope.schema}.transactions`, where: [] }],
    keys: chronological('asc', 'tx_index'),
    columns: TRANSACTION_COLUMNS,
    ...ofBlock(scope, number),
  }),
  listAddressTransactions: (scope, parameters) => {
    const address = scope.bind.bytes(parameters.address);
    const from = `${scope.schema}.transactions`;
    const sent = { from, where: [`t.from_address = ${address}`] };
    const received = { from, where: [`t.to_address = ${address}`] };
    return {
      shape: 'list',
      branches: { any: [sent, received], out: [sent], in: [received] }[parameters.direction],
      overlapping: true,
      keys: chronological(parameters.order, 'tx_index'),
      columns: TRANSACTION_COLUMNS,
      window: windowOf(scope, parameters, 't.block_number'),
    };
  },
  getTransaction: ({ schema, bind }, { hash, include_logs }) => {
    const place = `SELECT block_number, tx_index FROM ${schema}.transaction_hashes WHERE hash = ${bind.bytes(hash)}`;
    const where = [
      't.block_number = (SELECT block_number FROM place)',
      't.tx_index = (SELECT tx_index FROM place)',
    ];
    return {
      shape: 'one',
      with: [`place AS (${place})`],
      branches: [{ from: `${schema}.transactions`, where }],
      keys: [],
      columns: `${TRANSACTION_COLUMNS}, ${hex('t.input')} AS input, octet_length(t.input) < t.input_size AS input_truncated, t.extra`,
      height: 't.block_number',
      absent: `there is no transaction ${hash}`,
      ...(include_logs && {
        parts: {
          field: 'logs',
          truncatedField: 'logs_truncated',
          limit: MAX_INCLUDED_LOGS,
          branches: [{ from: `${schema}.logs`, where }],
          keys: chronological('asc', 'log_index'),
          columns: LOG_COLUMNS,
          longBytes: LOG_BYTES,
        },
      }),
    };
  },
};
