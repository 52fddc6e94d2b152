import { type Address, zeroAddress } from 'viem';
import type { DemoPool, DemoSwap, DemoTransfer } from '../../../local/demo-chain/script/records.ts';
import type { DemoStockDay } from './expected-chain.ts';

/** The day (UTC) of a time in seconds, as `YYYY-MM-DD`. */
export function dayOf(timestamp: number): string {
  return new Date(timestamp * 1_000).toISOString().slice(0, 10);
}

/** Daily figures of a stock token, oldest first, from all transfers and swaps of the chain. */
export function stockDays(
  token: Address,
  transfers: readonly DemoTransfer[],
  swaps: readonly DemoSwap[],
  pools: readonly DemoPool[],
): DemoStockDay[] {
  const trades = tradesOf(token, swaps, pools);
  const balances = new Map<Address, bigint>();
  const ofDay = Map.groupBy(
    transfers.filter((transfer) => transfer.token === token),
    ({ timestamp }) => dayOf(timestamp),
  );
  return [...ofDay].map(([day, moved]) => {
    for (const { from, to, amount } of moved) {
      balances.set(from, (balances.get(from) ?? 0n) - amount);
      balances.set(to, (balances.get(to) ?? 0n) + amount);
    }
    balances.delete(zeroAddress);
    const traded = trades.filter(({ timestamp }) => dayOf(timestamp) === day);
    return {
      day,
      transfers: moved.length,
      minted: sum(moved.filter(({ from }) => from === zeroAddress)),
      burned: sum(moved.filter(({ to }) => to === zeroAddress)),
      holders: [...balances.values()].filter((balance) => balance > 0n).length,
      swaps: traded.length,
      swapVolume: sum(traded),
    };
  });
}

/** Swaps of the pools of a token, with the amount of it that moved. */
function tradesOf(
  token: Address,
  swaps: readonly DemoSwap[],
  pools: readonly DemoPool[],
): { readonly timestamp: number; readonly amount: bigint }[] {
  const poolsById = new Map(pools.map((pool) => [pool.id, pool]));
  return swaps.flatMap(({ timestamp, pool: id, amount0, amount1 }) => {
    const pool = poolsById.get(id);
    if (pool?.token0 !== token && pool?.token1 !== token) return [];
    const change = pool.token0 === token ? amount0 : amount1;
    return [{ timestamp, amount: change < 0n ? -change : change }];
  });
}

function sum(moved: readonly { readonly amount: bigint }[]): bigint {
  return moved.reduce((total, { amount }) => total + amount, 0n);
}
