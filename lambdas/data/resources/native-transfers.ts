import type { OperationParameters } from '../operations/operations.ts';
import { isIndexed } from '../plan/indexed-bytes.ts';
import type { Branch, Scope } from '../plan/plan.ts';
import type { Rows, SomeResources } from '../plan/resource.ts';
import { digits, hex, iso } from '../plan/sql-text.ts';
import { chronological, scanOf, sidesOf } from './keys.ts';
import { TRACE_ADDRESS } from './traces.ts';

/** Smallest units of the native token in what withdrawals are counted in. */
const NATIVE_UNITS_PER_GWEI = '1000000000';

type NativeTransferParameters = Pick<
  OperationParameters['listAddressNativeTransfers'],
  'address' | 'direction'
>;

/** A table with moves of the native token, in the words of its partial indexes. */
interface Moves {
  readonly table: string;
  /** What makes a row a move, as the indexes have it. */
  readonly where: readonly string[];
  /** SQL of the recipient, as the index has it. */
  readonly recipient: string;
  /** Further columns that its fields are made of. */
  readonly columns: string;
  /** Fields of its own. */
  readonly fields: string;
  /** Columns that tell the rows of a block apart. */
  readonly keys: readonly string[];
  /** Function of these columns that the indexes have in place of them. @default they have the columns */
  readonly place?: string;
}

/** What a transaction gives, if it succeeded; one that makes a contract gives it to the contract. */
const OF_TRANSACTIONS: Moves = {
  table: 'transactions',
  where: ['t.value > 0', 't.status = 1'],
  recipient: 'coalesce(t.to_address, t.contract_address)',
  columns: "t.hash AS tx_hash, CASE WHEN t.to_address IS NULL THEN 'create' ELSE 'call' END AS kind",
  fields: 't.kind',
  keys: ['tx_index'],
};

/** What calls within transactions give. The call of the transaction itself has index 0; CALLCODE gives to its caller. */
export const OF_TRACES = {
  table: 'traces',
  where: ['t.value > 0', 't.trace_index > 0', 't.error IS NULL', "t.type <> 'CALLCODE'"],
  recipient: 't.to_address',
  columns: 't.trace_index, t.trace_address, t.tx_hash, t.type',
  fields: `t.trace_index, ${TRACE_ADDRESS} AS trace_address, t.type`,
  keys: ['tx_index', 'trace_index'],
  place: 'call_place',
} as const satisfies Moves;

function nativeTransfers(scope: Scope, moves: Moves, parameters: NativeTransferParameters): Rows {
  const address = scope.bind.bytes(parameters.address);
  const { table, where, recipient, columns, fields, keys, place } = moves;
  const branchOf = (side: string): Branch => ({
    from: `${scope.schema}.${table}`,
    columns: `t.block_number, t.tx_index, t.block_time, t.from_address, ${recipient} AS given_to, t.value, ${columns}`,
    where: [isIndexed(scope.schema, side, address), ...where],
    ...(place !== undefined && { place: `${scope.schema}.${place}` }),
  });
  return {
    ...sidesOf(parameters.direction, branchOf, recipient),
    keys: chronological(...keys),
    columns: `t.block_number, ${iso('t.block_time')} AS timestamp, ${hex('t.tx_hash')} AS transaction_hash,
      t.tx_index AS transaction_index, ${fields}, ${hex('t.from_address')} AS "from", ${hex('t.given_to')} AS "to",
      ${digits('t.value')} AS value, CASE WHEN t.from_address = t.given_to THEN 'self'
        WHEN t.given_to = ${address} THEN 'in' ELSE 'out' END AS direction`,
  };
}

export const NATIVE_TRANSFER_RESOURCES = {
  listAddressNativeTransfers: (scope, parameters) => nativeTransfers(scope, OF_TRANSACTIONS, parameters),
  listAddressInternalTransfers: (scope, parameters) => nativeTransfers(scope, OF_TRACES, parameters),
  listAddressWithdrawals: (scope, { address }) => ({
    branches: scanOf(scope, 'withdrawals', `t.to_address = ${scope.bind.bytes(address)}`),
    keys: chronological('place'),
    columns: `t.block_number, ${iso('t.block_time')} AS timestamp, ${digits('t.withdrawal_index')} AS withdrawal_index,
      ${digits('t.validator_index')} AS validator_index, ${hex('t.to_address')} AS "to",
      (t.amount_gwei * ${NATIVE_UNITS_PER_GWEI})::text AS value`,
  }),
} satisfies SomeResources;
