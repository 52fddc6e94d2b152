/** A bill that contradicts its charges, its lane, its calls of nodes or its price is found, and no other is. */
import { BillCheck, type PriceBounds } from '../../lambdas/access/bill-check.ts';
import { REMEMBERED_LANES } from '../../lambdas/access/charge/charge.ts';
import { OwnLane } from '../../lambdas/access/charge/lane.ts';
import { putPriceList, rememberPriceLists } from '../../lambdas/access/store/price-lists.ts';
import type { Store } from '../../lambdas/access/store/store.ts';
import { FIRST_PRICE_LIST, type PriceList } from '../../lambdas/shared/bill/price-list.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';

const HOUR = '2026-11-20T09';
const NEXT_HOUR = '2026-11-20T10';
const CLOCK = { time: Date.parse(`${HOUR}:00:00Z`), now: () => CLOCK.time };
const DEARER: PriceList = { ...FIRST_PRICE_LIST, from: NEXT_HOUR, cached: 1, default: 11 };

const laneNamed = (lane: string) => new OwnLane({ account: 'acme', shard: 0, hour: HOUR, lane });

/** A request that was charged once, and says so. */
function billed(cu: number, check = new BillCheck({ clock: CLOCK }), lane = laneNamed('abcdefghijk')) {
  lane.add(cu, []);
  const charge = check.charged(cu, lane.position);
  return { charges: [charge], told: { billedCu: cu, lane: charge.lane }, hasCalledNodes: true };
}

test('charges of many lanes in one process agree, whatever the order in which their responses leave', () => {
  const check = new BillCheck({ clock: CLOCK });
  const lanes = ['one', 'two', 'three'].map(laneNamed);
  const requests = Array.from({ length: 300 }, (_, index) =>
    billed((index % 7) + 1, check, lanes[(index * index) % lanes.length]),
  );
  expect(requests.reverse().map((one) => check.brokenRule(one))).toEqual(requests.map(() => undefined));
});

test('a lane that charging has forgotten begins anew, and only then', () => {
  const check = new BillCheck({ clock: CLOCK });
  for (let index = 0; index <= REMEMBERED_LANES; index += 1) {
    const { charges } = billed(1, check, laneNamed(String(index)));
    expect(charges[0]?.hasRisen).toBe(true);
  }
  expect(billed(1, check, laneNamed('0')).charges[0]?.hasRisen).toBe(true);
  expect(billed(1, check, laneNamed(String(REMEMBERED_LANES))).charges[0]?.hasRisen).toBe(false);
});

const { told, ...of } = billed(20);
const { told: toldTwo, ...ofTwo } = billed(2);
const cachedTwice = { ...ofTwo, told: { ...toldTwo, cacheMarks: 'hit, hit' }, hasCalledNodes: false };
const [charge] = of.charges;
test.each([
  ['billed_without_lane', { ...of, charges: [], told: { ...told, lane: undefined } }],
  ['lane_without_billed', { ...of, told: { ...told, billedCu: 0 } }],
  ['lane_rise', { ...of, told, charges: [{ cu: 20, lane: told.lane, hasRisen: false }] }],
  ['charged_otherwise', { ...of, told: { ...told, billedCu: 21 } }],
  ['charged_otherwise', { ...of, told: { ...told, billedCu: Number.NaN } }],
  ['charged_otherwise', { ...of, told: { ...told, lane: `${told.lane}0` } }],
  ['charged_otherwise', { ...of, told: { billedCu: 0, lane: undefined } }],
  ['charged_otherwise', { ...of, told, charges: [...of.charges, ...of.charges] }],
  ['billed_without_call', { ...of, told: { ...told, cacheMarks: 'miss' }, hasCalledNodes: false }],
  ['billed_without_call', { ...of, told: { ...told, cacheMarks: 'hit, -' }, hasCalledNodes: false }],
  [undefined, { ...of, told: { ...told, cacheMarks: 'hit, miss' } }],
  [undefined, { ...of, told: undefined }],
  ['lane_rise', { ...of, told, charges: [new BillCheck({ clock: CLOCK }).charged(20, undefined)] }],
  [undefined, cachedTwice],
  [undefined, { ...of, charges: [], told: { billedCu: 0, lane: undefined, cacheMarks: 'miss' } }],
])('what breaks %s is called so', (rule, request) => {
  expect(charge?.hasRisen).toBe(true);
  expect(new BillCheck({ clock: CLOCK }).brokenRule(request)).toBe(rule);
});

test.each([
  ['one more charge', (n: number, total: bigint) => [n + 1, total] as const],
  ['no charge', (n: number, total: bigint) => [n - 1, total] as const],
  ['more than was charged', (n: number, total: bigint) => [n, total + 1n] as const],
  ['less', (n: number, total: bigint) => [n, total - 1n] as const],
])('a lane that rises by %s has not risen rightly', (_, change) => {
  const check = new BillCheck({ clock: CLOCK });
  const at = (n: number, total: bigint) => `${HOUR}/abcdefghijk;n=${n};total=${total}`;
  expect(check.charged(5, at(1, 5n)).hasRisen).toBe(true);
  expect(check.charged(7, at(...change(2, 12n))).hasRisen).toBe(false);
});

/** What the ledger lacks is put as soon as it was read once. */
function checkedBy(store: Store) {
  const listOf = rememberPriceLists(store, CLOCK);
  const check = new BillCheck({ clock: CLOCK, listOf, random: () => 0 });
  const priceAgain = ({ default: cu }: PriceList): PriceBounds => ({ least: cu, most: cu });
  return async (cu: number, hour: string) => {
    const lane = new OwnLane({ account: 'acme', shard: 0, hour, lane: 'abcdefghijk' });
    return check.find(billed(cu, new BillCheck({ clock: CLOCK }), lane), priceAgain);
  };
}

test('a price is that of the ledger at the hour of the lane; a list that was put meanwhile is read first', async () => {
  const store = new MemoryStore();
  let reads = 0;
  const query = store.query.bind(store);
  store.query = (asked) => {
    reads += 1;
    return query(asked);
  };
  const find = checkedBy(store);
  expect(await find(10, HOUR)).toBeUndefined();
  await putPriceList(store, CLOCK, DEARER);
  expect(await find(10, HOUR)).toBeUndefined();
  expect(reads).toBe(1);
  // This instance's clock is behind that of another, whose lists it has not.
  expect(await find(11, NEXT_HOUR)).toBeUndefined();
  expect(await find(10, NEXT_HOUR)).toEqual({
    rule: 'price',
    detail: 'billed 10 CU, by the price list 11',
  });
  expect(await find(11, HOUR)).toMatchObject({ rule: 'price' });
});

/** What finds a response that was not billed, by a price of 10 CU. */
function findFree(random: () => number) {
  const listOf = async (hour: string) => (hour === HOUR ? FIRST_PRICE_LIST : undefined);
  const check = new BillCheck({ clock: CLOCK, listOf, random });
  const free = { charges: [], told: { billedCu: 0, lane: undefined }, hasCalledNodes: true };
  return () => check.find(free, () => ({ least: 10, most: 10 }));
}

test('what has a price and was not billed is found, by the list of this hour', async () => {
  expect(await findFree(() => 0)()).toEqual({
    rule: 'price',
    detail: 'billed 0 CU, by the price list 10',
  });
});

test('a response that does not tell its price has none that is wrong', async () => {
  const check = new BillCheck({ clock: CLOCK, listOf: async () => FIRST_PRICE_LIST, random: () => 0 });
  expect(await check.find(billed(20), () => undefined)).toBeUndefined();
});

test('one price in 64 is worked out again, at distances that no client can tell', async () => {
  for (const [random, distance] of [
    [0, 1],
    [0.5, 64],
    [0.999, 127],
  ] as const) {
    const find = findFree(() => random);
    for (let response = 1; response <= 2 * distance; response += 1)
      expect((await find()) !== undefined).toBe(response % distance === 0);
  }
});

test('what is told and was not charged is found, and said so', async () => {
  const check = new BillCheck({ clock: CLOCK });
  expect(await check.find({ ...of, charges: [], told })).toEqual({
    rule: 'charged_otherwise',
    detail: `told ${told.lane} 20; charged nothing`,
  });
});

test('a store that is away finds nothing wrong', async () => {
  const find = checkedBy({
    query: () => Promise.reject(new Error('away')),
  } as unknown as Store);
  await expect(find(10, HOUR)).rejects.toThrow('away');
});
