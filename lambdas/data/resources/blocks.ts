import type { SomeResources } from '../plan/resource.ts';
import { digits, hex, iso, whole } from '../plan/sql-text.ts';
import { earliestAt, latestAt, oneBlock } from '../plan/window.ts';
import { keysOf, scanOf } from './keys.ts';

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

export const BLOCK_RESOURCES = {
  listBlocks: (scope) => ({
    branches: scanOf(scope, 'blocks'),
    keys: keysOf('bigint', 'number'),
    columns: COLUMNS,
  }),
  getBlock: (scope, { number }) => ({
    branches: scanOf(scope, 'blocks'),
    columns: DETAIL_COLUMNS,
    isBlock: true,
    window: oneBlock(scope.bind.integer(number), 't.number'),
    absent: `block ${number} has no live row`,
  }),
  getBlockByHash: (scope, { hash }) => ({
    branches: scanOf(scope, 'blocks', `t.hash = ${scope.bind.bytes(hash)}`),
    columns: DETAIL_COLUMNS,
    isBlock: true,
    height: 't.number',
    absent: `there is no block ${hash}`,
  }),
  getBlockByTime: (scope, { time, side }) => {
    const { schema, bind } = scope;
    const after = side === 'after';
    const moment = bind.time(time);
    const block = '(SELECT min(height) FROM page)';
    return {
      shape: 'one',
      branches: scanOf(scope, 'blocks', `t.time ${after ? '>=' : '<='} ${moment}`),
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
} satisfies SomeResources;
