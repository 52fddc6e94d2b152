/** A step of the derivation holds a bounded number of events: it ends before the block that would be cut. */
import { readEvents } from '../../lambdas/rollups/read-events.ts';
import type { ChainQueries } from '../../lambdas/shared/chain-database/chain-queries.ts';

const [FROM, TO] = [10, 20];

/** A database with so many trades in each block from the first on, and how many rows were read of it. */
function databaseWith(trades: readonly number[]) {
  const rows = trades.flatMap((count, index) =>
    Array.from({ length: count }, (_, log) => ({
      ...{ kind: 'swap', block: FROM + index, log, time: 0, pool_id: '01' },
      ...{ amount0: '1', amount1: '-1', sqrt_price_x96: null, fee_pips: null, tick: null, liquidity: null },
    })),
  );
  const read = { rows: 0 };
  const chain: ChainQueries = {
    name: 'made',
    query: async (statement, after = {}) => {
      const page = rows
        .filter(
          ({ block, log }) =>
            block > Number(after.block) || (block === Number(after.block) && log > Number(after.log)),
        )
        .slice(0, Number(/LIMIT (\d+)$/.exec(statement)?.[1]));
      read.rows += page.length;
      return { rows: page, updated: 0 };
    },
  };
  return { chain, read };
}

test.each<[string, readonly number[], number, number]>([
  ['few events are read to the end', [3, 0, 4], 7, TO],
  ['a block that came in part is left to the next step', [2_000, 2_500, 2_500, 9_000], 4_500, FROM + 1],
  ['one block is whole, however many it has', [9_000, 2_000], 9_000, FROM],
])('%s', async (_, trades, expected, to) => {
  const { chain, read } = databaseWith(trades);
  const page = await readEvents(chain, { from: FROM, to: TO });
  expect([page.events.length, page.to]).toEqual([expected, to]);
  const places = page.events.map(({ blockNumber, logIndex }) => blockNumber * 100_000 + logIndex);
  expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
  expect(read.rows).toBeLessThanOrEqual(expected + 3_000);
});
