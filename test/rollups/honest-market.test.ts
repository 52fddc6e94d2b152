/** An honest market has prices: near what trades get, founded where there is depth, and new ones soon after a crash. */

import { priceAt } from '../../lambdas/rollups/prices/price-tokens.ts';
import { DOLLAR, ETHER, SimulatedMarket, TETHER } from './simulated-market.ts';
import { address } from './trading-chain.ts';

const STOCK = address(0x57);
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A market whose native token has two deep pools. */
function begin() {
  const sim = new SimulatedMarket();
  const ether = sim.pair(ETHER, DOLLAR, 4_000, 12_000_000);
  sim.pair(ETHER, TETHER, 3_000, 9_000_000);
  sim.mine();
  sim.pass(HOUR);
  return { sim, ether };
}

/** Numbers from 0 to 1, the same in every run. */
function draws(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** 120 tokens with one to three pools of 10 to 200,000 dollars of depth, traded every half minute to three times a day. */
function manyTokens(hours: number) {
  const { sim } = begin();
  const draw = draws(60);
  const between = (low: number, high: number) => low * (high / low) ** draw();
  const tokens = Array.from({ length: 120 }, (_, index) => {
    const fair = between(0.05, 500);
    const pools = Array.from({ length: 1 + Math.floor(draw() * 3) }, () => {
      const quote = between(10, 200_000) / 0.00995;
      return draw() < 0.6
        ? { dollars: 1, pair: sim.pair(address(0x2000 + index), DOLLAR, quote / fair, quote) }
        : { dollars: 3_000, pair: sim.pair(address(0x2000 + index), ETHER, quote / fair, quote / 3_000) };
    });
    return { token: address(0x2000 + index), pools, fair, last: fair, pause: between(30, 8 * HOUR), next: 0 };
  });
  const walk = 0.01 / Math.sqrt(HOUR / 6);
  for (let block = 0; block < (hours * HOUR) / 6; block += 1) {
    for (const one of tokens) {
      one.fair *= 1 + walk * Math.sqrt(12) * (draw() - 0.5);
      if (sim.time < one.next) continue;
      for (const { pair, dollars } of one.pools)
        sim.trade(pair, (one.fair / dollars) * (1 + 0.006 * (draw() - 0.5)));
      one.last = one.fair;
      one.next = sim.time - one.pause * Math.log(1 - draw());
    }
    sim.mine();
  }
  return { sim, tokens };
}

test('95 % of tokens with 25 dollars of depth are priced within 2 %, and 60 % at least medium', () => {
  const { sim, tokens } = manyTokens(3);
  const deep = tokens.filter(({ pools }) =>
    pools.some(({ pair, dollars }) => pair.quote * dollars * 0.00995 >= 25),
  );
  const near = deep.filter(
    ({ token, last }) => Math.abs((sim.price(token)?.dollars ?? 0) / last - 1) <= 0.02,
  );
  const founded = deep.filter(({ token }) => (sim.price(token)?.confidence ?? 'low') !== 'low');
  expect(deep.length).toBeGreaterThan(100);
  expect(near.length / deep.length).toBeGreaterThanOrEqual(0.95);
  expect(founded.length / deep.length).toBeGreaterThanOrEqual(0.6);
});

describe('a crash', () => {
  /** Minutes until a price is taken, and what is said in the block of the crash. */
  function crash(part: number, hasSecond: boolean) {
    const { sim } = begin();
    const pools = [sim.pair(STOCK, DOLLAR, 10_457, 1_829_975)];
    if (hasSecond) pools.push(sim.pair(STOCK, ETHER, 3_000, 175));
    sim.mine();
    sim.pass(HOUR);
    for (const pool of pools) sim.trade(pool, (pool.quote / pool.tokens) * (1 - part));
    sim.mine();
    const { dollars, pending, confidence } = sim.price(STOCK) ?? {};
    let seconds = 0;
    const fallen = 175 * (1 - part);
    while (Math.abs((sim.price(STOCK)?.dollars ?? 0) / fallen - 1) > 0.02 && seconds < HOUR) {
      // Trades that go on show it earlier than the block at which the last one has stood.
      seconds += 30;
      for (const pool of pools)
        sim.trade(pool, (pool.quote / pool.tokens) * (seconds % 60 === 0 ? 0.999 : 1.001));
      sim.pass(30);
    }
    const said = [dollars, pending, confidence].map((value) =>
      typeof value === 'number' ? Math.round(value) : value,
    );
    return { said, minutes: seconds / MINUTE, after: sim.price(STOCK) };
  }

  test.each([
    ['30 %', 0.3, 122],
    ['60 %', 0.6, 70],
  ])('of %s is pending at once, and taken within twenty minutes', (_, part, fallen) => {
    const { said, minutes, after } = crash(part, false);
    expect(said).toEqual([175, fallen, 'low']);
    expect(minutes).toBeGreaterThan(1);
    expect(minutes).toBeLessThanOrEqual(20);
    expect(after).toMatchObject({ pending: undefined, confidence: 'medium' });
  });

  test('that a second pool shows is taken once half of the window has stood', () => {
    const { said, minutes, after } = crash(0.3, true);
    expect(said).toEqual([175, 123, 'low']);
    expect(minutes).toBeLessThanOrEqual(6);
    expect(after).toMatchObject({ confidence: 'high' });
  });

  test('after which nobody trades is taken at the block until which it has stood', () => {
    const { sim } = begin();
    const pool = sim.pair(STOCK, DOLLAR, 10_457, 1_829_975);
    sim.mine();
    sim.pass(HOUR);
    sim.trade(pool, 122.5);
    sim.mine();
    sim.pass(10 * MINUTE - 6);
    expect(sim.price(STOCK)?.dollars).toBeCloseTo(175);
    sim.mine();
    expect(sim.price(STOCK)?.dollars).toBeCloseTo(122.5, 1);
  });
});

test('a dollar at 88 cents makes all prices through both dollars low', () => {
  const { sim, ether } = begin();
  sim.pair(STOCK, DOLLAR, 10_457, 1_829_975);
  sim.mine();
  sim.pass(HOUR);
  sim.trade(ether, 3_000 / 0.88);
  sim.mine();
  sim.pass(20 * MINUTE);
  sim.pair(STOCK, DOLLAR, 1, 1);
  sim.pass(MINUTE);
  const said = [DOLLAR, TETHER, ETHER, STOCK].map((token) => {
    const { confidence, reasons = [] } = sim.price(token) ?? {};
    return [confidence, reasons.includes('peg')];
  });
  expect(said).toEqual(said.map(() => ['low', true]));
});

test('a stock with three trades a day has its price between them', () => {
  const { sim } = begin();
  const pool = sim.pair(STOCK, DOLLAR, 1_000, 175_000);
  sim.mine();
  for (const price of [175, 178, 172, 174]) {
    sim.trade(pool, price);
    sim.mine();
    sim.pass(8 * HOUR - 6);
    expect(sim.price(STOCK)?.dollars).toBeCloseTo(price, 1);
    expect(sim.price(STOCK)?.confidence).toBe('medium');
  }
});

test('a token whose one pool has 800 dollars has no price', () => {
  const { sim } = begin();
  sim.pair(STOCK, DOLLAR, 400, 400);
  sim.mine();
  sim.pass(HOUR);
  expect(sim.price(STOCK)).toBeUndefined();
});

describe('a stock with two pools that are equally deep', () => {
  function twins() {
    const sim = new SimulatedMarket();
    const ether = sim.pair(ETHER, DOLLAR, 4_000, 12_000_000);
    const pools = [1, 2].map(() => sim.pair(STOCK, ETHER, 10_000, 600));
    sim.mine();
    sim.pass(HOUR);
    return { sim, ether, pools };
  }

  test('is founded no better than the token that both quote in', () => {
    const { sim } = twins();
    expect(sim.price(STOCK)).toMatchObject({ confidence: 'medium', reasons: ['quote'] });
  });

  test('has its price from the one with the lower id, in whatever order they are read', () => {
    const { sim, pools } = twins();
    const ids = pools.map(({ id }) => id);
    const [lower = '0x'] = ids;
    const found = sim.market.pools.get(lower);
    if (found === undefined) throw new Error('no pool');
    sim.market.pools.delete(lower);
    sim.market.pools.set(lower, found);
    for (const pool of pools) sim.sync(pool);
    sim.mine();
    expect(sim.price(STOCK)).toMatchObject({ poolId: lower, sources: ids });
  });

  test('has a price of today, which is too old tomorrow where its quote has none', () => {
    const { sim, ether, pools } = twins();
    const [pool] = pools;
    if (pool === undefined) throw new Error('no pool');
    sim.sleep(13 * HOUR);
    sim.sync(pool);
    sim.mine();
    expect(sim.price(STOCK)?.time).toBe(sim.time);
    Object.assign(ether, { tokens: 0.001, quote: 3 });
    sim.sync(ether);
    sim.sleep(DAY - HOUR);
    sim.mine();
    const usable = () => priceAt(sim.market, STOCK, sim.time) !== undefined;
    expect([usable(), priceAt(sim.market, ETHER, sim.time)]).toEqual([true, undefined]);
    sim.sleep(HOUR);
    sim.sync(pool);
    sim.mine();
    expect(usable()).toBe(false);
  });
});
