import { deriveStep } from '../../lambdas/rollups/derive-step.ts';
import { toQuotes } from '../../lambdas/rollups/prices/quotes.ts';
import type { ChainDatabase } from '../../lambdas/shared/chain-database/chain-database.ts';
import { connectionTo } from '../../lambdas/shared/chain-database/chain-queries.ts';
import { address, EXCHANGES, type TestBlock, TradingChain } from '../../test/rollups/trading-chain.ts';

const BLOCKS = 2_000;
const POOLS = Array.from({ length: 30 }, (_, index) => ({
  id: address(0x1000 + index),
  protocol: 'uniswap_v2' as const,
  token0: address(0xa000 + index),
  token1: address(0xd0),
}));

/** Six seconds in which four or five pools trade, each within 3 % of where it began, at a million dollars. */
function tradingBlock(number: number): TestBlock {
  const quote = 10n ** 9n * BigInt(1_000 + ((number * 7) % 30));
  const happenings = POOLS.filter((_, index) => (index + number) % 7 === 0).flatMap((pool) => [
    { kind: 'sync', pool, reserves: [10n ** 21n, quote] } as const,
    { kind: 'swap', pool, amounts: [10n ** 18n, -quote] } as const,
  ]);
  return { time: 1_800_000_000 + number * 6, happenings };
}

/** Milliseconds that deriving a block takes, with the database: among thousands, as behind a backfill, and by itself, as at the head. */
export async function measureDerivation(writer: ChainDatabase, name: string) {
  const chain = new TradingChain(writer, name);
  const stables = [{ token: address(0xd0), decimals: 6, usd: '1' }];
  const derive = async (...blocks: TestBlock[]) => {
    await chain.append(blocks);
    const startedAt = performance.now();
    while (
      (await deriveStep(connectionTo(writer, name), toQuotes({ stables }, [], EXCHANGES))).kind !== 'idle'
    );
    return performance.now() - startedAt;
  };
  await derive({ time: 0, happenings: POOLS.map((pool) => ({ kind: 'pool', pool })) });
  const among = await derive(...Array.from({ length: BLOCKS }, (_, number) => tradingBlock(number)));
  let alone = 0;
  for (let number = 0; number < 100; number += 1) alone += await derive(tradingBlock(BLOCKS + number));
  return { among: among / BLOCKS, alone: alone / 100 };
}
