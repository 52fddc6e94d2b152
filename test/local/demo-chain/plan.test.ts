import fc from 'fast-check';
import { type Address, maxUint256, zeroAddress } from 'viem';
import { blockTimes, DEMO_BLOCKS, DEMO_SPAN_SECONDS } from '../../../local/demo-chain/plan.ts';
import { ConstantProductPair } from '../../../local/demo-chain/pools/constant-product-pair.ts';
import { nearestTick, Q96, sqrtPriceAtTick } from '../../../local/demo-chain/pools/tick-price.ts';
import { Random } from '../../../local/demo-chain/script/random.ts';
import { plannedChain } from './expected-chain.ts';

const END = Date.parse('2026-11-20T09:30:00Z') / 1_000;
const ACCOUNTS = Array.from({ length: 10 }, (_, index): Address => `0x${String(index).repeat(40)}`);
const FINALITY_LAG = 256;
const LEAST_FINAL_BLOCKS = 600;
const MOST_TRANSACTIONS = 4_000;
/** A plan takes a tenth of a second. */
const PLANNED_SEEDS = 12;
const seeds = fc.integer({ min: 0, max: 2 ** 32 - 1 });

test('equal arguments give equal plans, other seeds other ones with the same contracts', () => {
  const plan = plannedChain(1, ACCOUNTS, END);
  expect(plannedChain(1, ACCOUNTS, END)).toEqual(plan);
  const other = plannedChain(2, ACCOUNTS, END);
  expect(other.expected.contracts).toEqual(plan.expected.contracts);
  expect(other.expected.pools.map(({ id }) => id)).toEqual(plan.expected.pools.map(({ id }) => id));
  expect(other.expected.transfers).not.toEqual(plan.expected.transfers);
});

test('a chain with risks has all that the one without has, and a lure for everybody and a stranger who may take tokens', () => {
  const plan = plannedChain(1, ACCOUNTS, END);
  const risky = plannedChain(1, ACCOUNTS, END, { hasRisks: true });
  const known = new Set(plan.expected.tokens.map(({ address }) => address));
  known.add(plan.expected.contracts.nft).add(plan.expected.contracts.items);
  known.add(plan.expected.contracts.odd.logEmitter);
  const lures = risky.expected.transfers.filter(({ token }) => !known.has(token));
  expect(risky.expected.transfers.filter(({ token }) => known.has(token))).toEqual(plan.expected.transfers);
  expect(new Set(lures.map(({ to }) => to))).toEqual(new Set(ACCOUNTS));
  expect(Math.max(...lures.map(({ blockNumber }) => blockNumber))).toBeLessThan(DEMO_BLOCKS - FINALITY_LAG);
  // A token, a mint for each account, and two approvals.
  expect(risky.expected.transactionCount - plan.expected.transactionCount).toBe(ACCOUNTS.length + 3);
});

test('any seed gives a plan of bounded size in which every token adds up', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const { blocks, expected } = plannedChain(seed, ACCOUNTS, END);
      expect(blocks.length).toBe(DEMO_BLOCKS);
      expect(expected.transactionCount).toBeLessThan(MOST_TRANSACTIONS);
      for (const { behaviour, balances, totalSupply } of expected.tokens) {
        const sum = [...balances.values()].reduce((total, balance) => total + balance, 0n);
        // Each balance of a rebasing token is rounded down by itself.
        if (behaviour === 'rebasing') expect(sum <= totalSupply + BigInt(balances.size)).toBe(true);
        else expect(sum).toBe(totalSupply);
      }
    }),
    { numRuns: PLANNED_SEEDS },
  );
});

test('any seed brings the final part of the chain something of everything', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const { expected } = plannedChain(seed, ACCOUNTS, END);
      const last = expected.lastBlock - FINALITY_LAG;
      expect(last).toBeGreaterThan(LEAST_FINAL_BLOCKS);
      const isFinal = ({ blockNumber }: { readonly blockNumber: number }) => blockNumber <= last;
      const transfers = expected.transfers.filter(isFinal);
      const { contracts } = expected;
      const { logEmitter: _, ...odd } = contracts.odd;
      for (const token of [contracts.nft, contracts.items, ...contracts.stocks, ...Object.values(odd)]) {
        const moved = transfers.filter((row) => row.token === token && row.from !== zeroAddress);
        expect([token, moved.length]).not.toEqual([token, 0]);
      }
      for (const { id } of expected.pools) {
        expect(expected.swaps.filter((swap) => isFinal(swap) && swap.pool === id).length).toBeGreaterThan(10);
      }
      expect(expected.nftSales.filter(isFinal).length).toBeGreaterThan(0);
      expect(new Set(expected.oddLogs.filter(isFinal).map(({ kind }) => kind)).size).toBe(7);
      const announced = expected.stocks.flatMap(({ announcements }) => announcements);
      expect(announced.filter((one) => !isFinal(one))).toEqual([]);
    }),
    { numRuns: PLANNED_SEEDS },
  );
});

test('block times increase strictly, start inside the span and end at its end', () => {
  fc.assert(
    fc.property(seeds, fc.integer({ min: 1, max: 2_000 }), (seed, count) => {
      const times = blockTimes(new Random(seed), count, END, DEMO_SPAN_SECONDS);
      expect(times.length).toBe(count);
      expect(times[0]).toBeGreaterThan(END - DEMO_SPAN_SECONDS);
      expect(times.at(-1)).toBe(END);
      expect(times.filter((time, index) => index > 0 && time <= (times[index - 1] ?? 0))).toEqual([]);
    }),
  );
});

test('the price at a tick is that of its definition', () => {
  expect(sqrtPriceAtTick(0)).toBe(Q96);
  // The bounds that the contracts name.
  expect(sqrtPriceAtTick(-887_272)).toBe(4_295_128_739n);
  expect(sqrtPriceAtTick(887_272)).toBe(1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_342n);
  fc.assert(
    fc.property(fc.integer({ min: -400_000, max: 400_000 }), (tick) => {
      expect(sqrtPriceAtTick(tick + 1) > sqrtPriceAtTick(tick)).toBe(true);
      const price = (Number(sqrtPriceAtTick(tick)) / Number(Q96)) ** 2;
      expect(nearestTick(price, 1)).toBe(tick);
    }),
  );
});

test('a pair never loses by a swap, nor by shares that come and go', () => {
  const amount = fc.bigInt({ min: 10_000n, max: 10n ** 24n });
  fc.assert(
    fc.property(amount, amount, amount, fc.boolean(), (amount0, amount1, amountIn, zeroForOne) => {
      const pair = new ConstantProductPair();
      const first = pair.add(amount0, amount1);
      const product = pair.reserve0 * pair.reserve1;
      const out = pair.swap(zeroForOne, amountIn);
      expect(out < (zeroForOne ? amount1 : amount0)).toBe(true);
      expect(pair.reserve0 * pair.reserve1 >= product).toBe(true);
      const second = pair.add(amountIn, amountIn);
      const { amount0: back0, amount1: back1 } = pair.remove(second);
      expect(back0 <= amountIn && back1 <= amountIn).toBe(true);
      pair.remove(first);
      expect(pair.reserve0 >= 0n && pair.reserve1 >= 0n && pair.shares === 1_000n).toBe(true);
    }),
  );
});

test('random choices stay in their bounds and take all of them', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const random = new Random(seed);
      const drawn = Array.from({ length: 200 }, () => random.integer(-1, 2));
      expect(new Set(drawn)).toEqual(new Set([-1, 0, 1, 2]));
      expect(random.share(maxUint256, 10_000, 10_000)).toBe(maxUint256);
      expect(random.bytes(20)).toMatch(/^0x[0-9a-f]{40}$/);
    }),
  );
});
