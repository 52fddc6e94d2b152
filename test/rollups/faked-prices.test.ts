/** Ten ways to fake a price, with 10 million dollars and a minute each: no price that is medium or high moves by more than 5 %. */

import { readFileSync } from 'node:fs';
import type { Hex } from '../../lambdas/chain-data/decode/raw-block.ts';
import { DOLLAR, ETHER, SimulatedMarket, TETHER } from './simulated-market.ts';
import { address } from './trading-chain.ts';

const STOCK = address(0x57);
const SMALL = address(0x58);
const UNLISTED = address(0x59);
const MINUTE = 60;
const MONEY = 10_000_000;
/** Ticks of 175 dollars and of a million dollars for a token. */
const MILLION = 138_162;

interface Stage {
  readonly sim: SimulatedMarket;
  readonly stock: ReturnType<SimulatedMarket['pair']>;
  readonly second: ReturnType<SimulatedMarket['pair']>;
  readonly small: ReturnType<SimulatedMarket['pair']>;
}

/** A market that has stood for an hour: a stock of 175 dollars with two pools, and a token of 3 dollars with one. */
function stage(): Stage {
  const sim = new SimulatedMarket();
  sim.pair(ETHER, DOLLAR, 4_000, 12_000_000);
  sim.pair(ETHER, TETHER, 3_000, 9_000_000);
  const stock = sim.pair(STOCK, DOLLAR, 10_457, 1_829_975);
  const second = sim.pair(STOCK, ETHER, 3_000, 175);
  const small = sim.pair(SMALL, DOLLAR, 50_000, 150_000);
  sim.mine();
  sim.pass(3_600);
  return { sim, stock, second, small };
}

/** What an attack took, and what it moved. */
interface Outcome {
  readonly needed: number;
  readonly lost: number;
}

const FEE = 0.003;
const loss = (traded: number) => 2 * FEE * traded;
const PRICED: readonly Hex[] = [STOCK, SMALL, ETHER];

/** Trades a pool to a price and back in the block after. */
function spike({ sim }: Stage, pool: Stage['stock'], price: number): Outcome {
  const fair = pool.quote / pool.tokens;
  const needed = Math.abs(sim.trade(pool, price));
  sim.mine();
  sim.trade(pool, fair);
  sim.mine();
  return { needed, lost: loss(needed) };
}

/** Uses a minute of blocks, each as the attacker likes. */
function everyBlock({ sim }: Stage, act: (block: number) => Outcome): Outcome {
  const outcomes: Outcome[] = [];
  for (let block = 0; block < 10; block += 1) {
    outcomes.push(act(block));
    sim.mine();
  }
  return {
    needed: outcomes.reduce((most, { needed }) => Math.max(most, needed), 0),
    lost: outcomes.reduce((sum, { lost }) => sum + lost, 0),
  };
}

const ATTACKS: Readonly<Record<string, (stage: Stage) => Outcome>> = {
  'a position that is never traded': ({ sim }) => {
    sim.position(STOCK, MILLION, { ticks: [-60, 60], liquidity: 10n ** 18n });
    sim.position(STOCK, MILLION, { ticks: [MILLION - 162, MILLION + 258], liquidity: 10n ** 13n });
    sim.pass(MINUTE);
    return { needed: MONEY, lost: 0 };
  },
  'wash trades by twenty keys': (all) =>
    everyBlock(all, (block) => {
      const needed = Math.abs(all.sim.trade(all.small, block % 2 === 0 ? 4.5 : 2));
      return { needed, lost: FEE * needed };
    }),
  'a donation to a pool': ({ sim, stock }) => {
    stock.quote += 5_000_000;
    sim.sync(stock);
    sim.pass(MINUTE);
    return { needed: 5_000_000, lost: 5_000_000 };
  },
  'a flash swap': (all) => spike(all, all.stock, 5_000),
  'a thin pool of an unlisted quote': ({ sim }) => {
    sim.pair(SMALL, UNLISTED, 10, 10_000_000);
    sim.pass(MINUTE);
    return { needed: 30, lost: 0 };
  },
  'a V4 pool with a hook': ({ sim }) => {
    const hooks: Hex = `0x${'0'.repeat(37)}080`;
    sim.position(STOCK, MILLION, { ticks: [MILLION - 6_042, MILLION + 5_958], liquidity: 10n ** 15n, hooks });
    sim.pass(MINUTE);
    return { needed: MONEY, lost: 0 };
  },
  'a creep of 19.9 % a block': (all) =>
    everyBlock(all, () => {
      const needed = all.sim.trade(all.small, (all.small.quote / all.small.tokens) * 1.199);
      return { needed, lost: FEE * needed };
    }),
  'decimals that change': ({ sim, small }) => {
    sim.unsettled.add(SMALL);
    sim.sync(small);
    sim.pass(MINUTE);
    return { needed: 0, lost: 0 };
  },
  'a rebase of all balances': ({ sim, small }) => {
    small.tokens *= 100;
    sim.sync(small);
    sim.pass(MINUTE);
    return { needed: 0, lost: 0 };
  },
  'two blocks around a snapshot, in all pools': (all) => {
    const first = Math.abs(all.sim.trade(all.second, (all.second.quote / all.second.tokens) * 2));
    const rest = spike(all, all.stock, 350);
    all.sim.trade(all.second, 175 / 3_000);
    all.sim.mine();
    return { needed: rest.needed + first * 3_000, lost: rest.lost + loss(first * 3_000) };
  },
};

/** The largest change of a price that claims to be founded, in all blocks of an attack and after it, of any that is used, and of the plain rule. */
function changes(attack: (stage: Stage) => Outcome) {
  const all = stage();
  const { sim } = all;
  const before = new Map(PRICED.map((token) => [token, sim.price(token)?.dollars ?? Number.NaN]));
  const plain = new Map(PRICED.map((token) => [token, sim.deepest(token)]));
  let [founded, used, deepest] = [0, 0, 0];
  const mine = sim.mine.bind(sim);
  sim.mine = (blocks = 1) => {
    for (let count = 0; count < blocks; count += 1) {
      mine();
      for (const token of PRICED) {
        const price = sim.price(token);
        const change = Math.abs((price?.dollars ?? Number.NaN) / (before.get(token) ?? 1) - 1);
        if (price !== undefined && price.confidence !== 'low') founded = Math.max(founded, change);
        if (price !== undefined) used = Math.max(used, change);
        deepest = Math.max(deepest, Math.abs(sim.deepest(token) / (plain.get(token) ?? 1) - 1));
      }
    }
  };
  const outcome = attack(all);
  return { ...outcome, founded, used, deepest };
}

test('the market that is attacked has prices that are founded', () => {
  const { sim } = stage();
  const found = [STOCK, SMALL, ETHER].map((token) => {
    const { dollars = 0, confidence } = sim.price(token) ?? {};
    return [Math.round(dollars), confidence];
  });
  expect(found).toEqual([
    [175, 'high'],
    [3, 'medium'],
    [3_000, 'high'],
  ]);
});

test.each(Object.entries(ATTACKS))('%s moves no founded price by more than 5 %%', (_, attack) => {
  const { founded, needed } = changes(attack);
  expect(needed).toBeLessThanOrEqual(MONEY);
  expect(founded).toBeLessThanOrEqual(0.05);
});

test.each([
  ['a token with one pool', SMALL, 30],
  ['a stock with two', STOCK, 1_750],
])(
  'a pool of ten millions that nobody trades in for an hour moves the price of no other: %s',
  (_, token, price) => {
    const { sim } = stage();
    const before = sim.price(token)?.dollars ?? Number.NaN;
    sim.pair(token, DOLLAR, MONEY / price, MONEY);
    for (let minute = 0; minute < 60; minute += 1) {
      sim.pass(MINUTE);
      expect(sim.price(token)?.dollars).toBe(before);
    }
  },
);

test('pools of a token with itself, of a quoted one too, price nothing', () => {
  const { sim } = stage();
  const alone = address(0x5a);
  const before = [...PRICED, DOLLAR, TETHER].map((token) => sim.price(token));
  for (const token of [alone, STOCK, ETHER, DOLLAR]) sim.pair(token, token, MONEY, 5 * MONEY);
  sim.mine();
  sim.pass(3_600);
  expect(sim.price(alone)).toBeUndefined();
  for (const [index, token] of [...PRICED, DOLLAR, TETHER].entries())
    expect(sim.price(token)).toMatchObject({
      dollars: before[index]?.dollars,
      confidence: before[index]?.confidence,
      reasons: before[index]?.reasons,
    });
});

test('the attacks move the plain rule: the deepest pool, as it is now', () => {
  const moved = Object.entries(ATTACKS).filter(([, attack]) => changes(attack).deepest > 0.05);
  expect(moved.map(([name]) => name)).toEqual([
    'a position that is never traded',
    'wash trades by twenty keys',
    'a donation to a pool',
    'a flash swap',
    'a creep of 19.9 % a block',
    'a rebase of all balances',
    'two blocks around a snapshot, in all pools',
  ]);
});

/** Money as the table has it: two digits count. */
const money = (dollars: number) => Number(dollars.toPrecision(2)).toLocaleString('en-US');

/** A change as the table has it. */
function moved(change: number): string {
  if (change < 0.005) return '0';
  return change < 1
    ? `${Math.round(change * 100)} %`
    : `x ${Number((1 + change).toPrecision(2)).toLocaleString('en-US')}`;
}

test('the table of the page has what each attack needs, loses and moves', () => {
  const page = readFileSync('docs/prices.md', 'utf8');
  const missing = Object.entries(ATTACKS)
    .map(([name, attack]) => {
      const { needed, lost, deepest, used, founded } = changes(attack);
      return `| ${name} | ${money(needed)} | ${money(lost)} | ${moved(deepest)} | ${moved(used)} | ${moved(founded)} |`;
    })
    .filter((row) => !page.includes(row));
  expect(missing).toEqual([]);
});
