import type { Plan, Scope } from '../plan/plan.ts';
import type { Resources } from '../plan/resource.ts';
import { digits, hex, iso, whole } from '../plan/sql-text.ts';
import { earliestAt, latestAt, windowOf } from '../plan/window.ts';

/** Fields of a block, with this SQL of what else the node returned of it. */
const columnsWith = (
  extra: string,
) => `t.number, ${hex('t.hash')} AS hash, ${hex('t.parent_hash')} AS parent_hash, ${iso('t.time')} AS timestamp,
  ${hex('t.miner')} AS miner, ${whole('t.gas_limit')} AS gas_limit, ${whole('t.gas_used')} AS gas_used,
  ${digits('t.base_fee_per_gas')} AS base_fee_per_gas, ${hex('t.state_root')} AS state_root,
  ${hex('t.transactions_root')} AS transactions_root, ${hex('t.receipts_root')} AS receipts_root, t.tx_count, t.size,
  t.l1_block_number,
  jsonb_strip_nulls(jsonb_build_object('extra_data', ${hex('t.extra_data')}, 'send_count', t.send_count,
    'send_root', ${hex('t.send_root')}, 'extra_omitted', t.extra_omitted)) || ${extra} AS extra`;

/** In a list a block of Ethereum would be three times as long with its withdrawals. */
const COLUMNS = columnsWith("(t.extra - 'withdrawals')");
const DETAIL_COLUMNS = columnsWith('t.extra');

type BlockOperation = 'listBlocks' | 'getBlock' | 'getBlockByHash' | 'getBlockByTime';

export const BLOCK_RESOURCES: Resources<BlockOperation> = {
  listBlocks: (scope, parameters) => ({
    shape: 'list',
    branches: [{ from: `${scope.schema}.blocks`, where: [] }],
    keys: [{ column: 'number', type: 'bigint', descending: parameters.order === 'desc' }],
    columns: COLUMNS,
    window: windowOf(scope, parameters, 't.number'),
  }),
  getBlock: ({ schema, bind }, { number }) => {
    const block = bind.integer(number);
    return {
      shape: 'one',
      branches: [{ from: `${schema}.blocks`, where: [] }],
      keys: [],
      columns: DETAIL_COLUMNS,
      isBlock: true,
      window: { column: 't.number', from: block, to: block, clamp: false },
      absent: `block ${number} has no live row`,
    };
  },
  getBlockByHash: (scope, { hash }) =>
    found(scope, `t.hash = ${scope.bind.bytes(hash)}`, `there is no block ${hash}`),
  getBlockByTime: ({ schema, bind }, { time, side }) => {
    const after = side === 'after';
    const moment = bind.time(time);
    const block = '(SELECT min(height) FROM page)';
    return {
      shape: 'one',
      branches: [{ from: `${schema}.blocks`, where: [`t.time ${after ? '>=' : '<='} ${moment}`] }],
      keys: [
        { column: 'time', type: 'timestamptz', descending: !after },
        { column: 'number', type: 'bigint', descending: !after },
      ],
      columns: DETAIL_COLUMNS,
      isBlock: true,
      height: 't.number',
      // A block that is missing between this one and the moment would be the nearer one.
      covers: after
        ? { from: earliestAt(schema, moment), to: block }
        : { from: block, to: latestAt(schema, moment) },
      absent: `no block ${side} ${time} is indexed`,
    };
  },
};

function found({ schema }: Scope, condition: string, absent: string): Plan {
  return {
    shape: 'one',
    branches: [{ from: `${schema}.blocks`, where: [condition] }],
    keys: [],
    columns: DETAIL_COLUMNS,
    isBlock: true,
    height: 't.number',
    absent,
  };
}
