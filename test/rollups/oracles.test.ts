/** What a fresh oracle says is the price, at once; one that is not fresh, or contradicts the pools, makes a price less certain. */

import { DOLLAR, ETHER, HEARTBEAT_SECONDS, SimulatedMarket, TETHER } from './simulated-market.ts';
import { address } from './trading-chain.ts';

const STOCK = address(0x57);
const HOUR = 3_600;
const WEEK = 7 * 24 * HOUR;

/** A market that has stood for an hour, with a stock of 175 dollars and 18,000 of depth, whose oracle says so too. */
function begin() {
  const sim = new SimulatedMarket();
  const ether = sim.pair(ETHER, DOLLAR, 4_000, 12_000_000);
  sim.pair(ETHER, TETHER, 3_000, 9_000_000);
  const pool = sim.pair(STOCK, DOLLAR, 10_457, 1_829_975);
  sim.mine();
  sim.pass(HOUR);
  sim.answer(STOCK, 175);
  sim.mine();
  const said = () => {
    const { dollars, method, confidence, reasons, depthUsd } = sim.price(STOCK) ?? {};
    return { dollars, method, confidence, reasons, hasDepth: (depthUsd?.digits ?? 0n) > 0n };
  };
  return { sim, ether, pool, said };
}

const spoken = { method: 'oracle', confidence: 'high', reasons: [], hasDepth: true };

test('is a second source beside one pool', () => {
  const { sim, said } = begin();
  expect(said()).toEqual({ ...spoken, dollars: 175 });
  expect(sim.price(STOCK)?.costToMoveUsd).toBeNull();
});

test('is taken at once, and is certain when the pool has followed', () => {
  const { sim, pool, said } = begin();
  sim.answer(STOCK, 120);
  sim.trade(pool, 120);
  sim.mine();
  expect(said()).toEqual({
    ...spoken,
    dollars: 120,
    confidence: 'low',
    reasons: ['oracle'],
    hasDepth: false,
  });
  sim.pass(10 * 60);
  expect(said()).toEqual({ ...spoken, dollars: 120 });
});

test('that halves with a split, while a token does not, is low, and nothing is sold at it', () => {
  const { sim, said } = begin();
  sim.answer(STOCK, 87.5);
  sim.mine();
  sim.pass(HOUR / 2);
  expect(said()).toEqual({
    ...spoken,
    dollars: 87.5,
    confidence: 'low',
    reasons: ['oracle'],
    hasDepth: false,
  });
});

test.each([
  ['that stops', (sim: SimulatedMarket) => sim.pass(HEARTBEAT_SECONDS + 60)],
  ['that is paused over a weekend', (sim: SimulatedMarket) => sim.pause(STOCK)],
])('%s leaves the price to the pools, and bounds it', (_, end) => {
  const { sim, pool, said } = begin();
  end(sim);
  const traded = (price: number) => {
    sim.trade(pool, price);
    sim.mine();
    sim.pass(11 * 60);
    return said();
  };
  const { confidence, reasons } = { confidence: 'medium', reasons: ['single_source'] };
  expect(traded(176)).toEqual({
    dollars: expect.closeTo(176),
    method: 'stable_pool',
    confidence,
    reasons,
    hasDepth: true,
  });
  expect(traded(200)).toMatchObject({
    dollars: expect.closeTo(200),
    confidence,
    reasons: [...reasons, 'oracle'],
  });
  const far = { dollars: expect.closeTo(260), confidence: 'low', reasons: [...reasons, 'oracle'] };
  expect(traded(260)).toMatchObject(far);
  sim.sleep(WEEK);
  sim.mine();
  expect(said()).toMatchObject({ ...far, confidence, reasons });
});

test.each([
  [50_000, 'low'],
  [500_000, 'medium'],
])('beside one pool of %i dollars is as certain as that is deep', (dollars, confidence) => {
  const { sim } = begin();
  const token = address(0x58);
  sim.pair(token, DOLLAR, dollars, dollars);
  sim.pass(HOUR);
  sim.answer(token, 1);
  sim.mine();
  expect(sim.price(token)).toMatchObject({ dollars: 1, confidence, reasons: ['thin'] });
});

test('is left where it stops, without a trade, and is not used where no pool has depth', () => {
  const { sim, said } = begin();
  sim.sleep(HEARTBEAT_SECONDS);
  sim.mine();
  expect(said()).toMatchObject({ dollars: 175, method: 'stable_pool', confidence: 'medium' });
  const alone = address(0x58);
  sim.answer(alone, 5);
  sim.mine();
  const untraded = { dollars: 5, confidence: 'low', reasons: ['no_depth'] };
  expect(sim.price(alone)).toMatchObject({ ...untraded, method: 'oracle', poolId: null, sources: [] });
  sim.pass(HEARTBEAT_SECONDS + 60);
  expect(sim.price(alone)).toMatchObject({ ...untraded, depthUsd: { digits: 0n } });
});

test('of a stable token tells when its peg is lost: prices through it are low until it holds again', () => {
  const { sim } = begin();
  const token = address(0x58);
  const traded = sim.pair(token, DOLLAR, 1_000_000, 3_000_000);
  sim.pass(HOUR);
  expect(sim.price(token)).toMatchObject({ confidence: 'medium', reasons: ['single_source'] });
  for (const [dollars, confidence, reasons] of [
    [0.985, 'high', []],
    [0.88, 'low', ['peg', 'oracle']],
    [1.001, 'high', []],
    [1.03, 'low', ['peg', 'oracle']],
  ] as const) {
    sim.answer(DOLLAR, dollars);
    sim.mine();
    expect(sim.price(DOLLAR)).toMatchObject({ dollars: 1, method: 'peg', confidence, reasons });
  }
  sim.sync(traded);
  sim.mine();
  expect(sim.price(token)).toMatchObject({ confidence: 'low', reasons: ['single_source', 'peg'] });
  sim.pass(HEARTBEAT_SECONDS + 60);
  expect(sim.price(DOLLAR)).toMatchObject({ confidence: 'high', reasons: [] });
});

test('a quote that two pools part by is low still when an oracle has nothing against it', () => {
  const { sim, ether } = begin();
  sim.trade(ether, 2_700);
  sim.mine();
  sim.pass(11 * 60);
  expect(sim.price(DOLLAR)).toMatchObject({ confidence: 'low', reasons: ['peg'] });
  sim.answer(DOLLAR, 1);
  sim.mine();
  expect(sim.price(DOLLAR)).toMatchObject({ confidence: 'low', reasons: ['peg'] });
});
