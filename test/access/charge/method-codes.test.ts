/** A code that was released stands for its method for ever, in lanes, ledger and bills. */
import { hash } from 'node:crypto';
import fc from 'fast-check';
import { laneUpdate } from '../../../lambdas/access/charge/lane.ts';
import { decodeLane, encodeLane } from '../../../lambdas/access/charge/lane-message.ts';
import { codeOf, methodOf } from '../../../lambdas/access/charge/method-codes.ts';
import { decodeUsage, encodeUsage, encodeWithCodes } from '../../../lambdas/access/charge/usage-text.ts';
import { OPERATIONS } from '../../../lambdas/data/operations/operations.ts';
import { METHODS } from '../../../lambdas/shared/methods/method-table.ts';
import { chargeAt, clockAt, openAccount, settleMarked } from '../../settlement/settlement-fixture.ts';
import { itemSize } from '../../simulation/stores/item-size.ts';
import { MemoryStore } from '../../simulation/stores/memory-store.ts';

/** What is released: the names of the first codes, in their order, never change. */
const RELEASED = {
  count: 132,
  sha256: '0444e6d32b32807d32eee6a75fc051f7bdfd742b793f6f8b9fc24b617c467096',
};

const HOUR = '2026-11-20T09';
const named = METHODS.map(({ name }) => name);
const lineOf = (method: string) => ({ chain: 'c1', method, calls: 3, cu: 60, cached: 0, errors: 1 });

test('codes that were released stand for what they stood for', () => {
  const names = Array.from({ length: RELEASED.count }, (_, place) => methodOf(`.${place.toString(36)}`));
  expect(hash('sha256', names.join(' '))).toBe(RELEASED.sha256);
});

test('every method of the table and every operation has a code, and a code is no name', () => {
  const used = [...named, ...Object.keys(OPERATIONS).map((id) => `data/${id}`)];
  expect(used.filter((method) => codeOf(method) === method)).toEqual([]);
  for (const method of used) {
    expect(codeOf(method)).toMatch(/^\.[0-9a-z]{1,2}$/);
    expect(methodOf(codeOf(method))).toBe(method);
  }
  expect(codeOf('eth_unheardOf')).toBe('eth_unheardOf');
  expect(methodOf('.zzz')).toBeUndefined();
});

test('a text with codes says what one without says', () => {
  const method = fc.oneof(fc.constantFrom(...named), fc.constantFrom('*', 'other', 'eth_unheardOf'));
  fc.assert(
    fc.property(fc.uniqueArray(method, { maxLength: 20 }), (methods) => {
      const usage = methods.map(lineOf);
      expect(decodeUsage(encodeWithCodes(usage))).toEqual(decodeUsage(encodeUsage(usage)));
    }),
  );
});

test('a lane with codes has at most 640 bytes, and names 25 methods', () => {
  const account = 'a'.repeat(63);
  const lane = { account, shard: 63, hour: HOUR, lane: 'lane-------' };
  const prices = [1, 5, 10, 15, 20, 30, 50, 200];
  const dear = named.map((method, place) => {
    const price = prices[place % prices.length] ?? 1;
    return { ...lineOf(method), calls: 99_999, cached: 9_999, errors: 9_999, cu: 90_000 * price + 9_999 };
  });
  const used = encodeWithCodes(dear);
  const { key, set } = laneUpdate({ ...lane, charges: 10 ** 7, total: 10n ** 15n, used });
  expect(itemSize({ ...key, ...set })).toBeLessThanOrEqual(640);
  const usual = named
    .slice(0, 25)
    .map((method) => ({ ...lineOf(method), calls: 999, cu: 9_990, cached: 0, errors: 0 }));
  expect(decodeUsage(encodeWithCodes(usual))).toHaveLength(25);
});

test('an unknown code fails its hour and never becomes a name; the queue stores its lane all the same', async () => {
  const store = new MemoryStore();
  const clock = clockAt('2026-11-20T11:15:00Z');
  await openAccount(store, 'acme');
  await chargeAt(store, 'acme', `${HOUR}:10:00Z`, 60, { usage: [] });
  await chargeAt(store, 'acme', '2026-11-20T10:10:00Z', 20);
  const key = { account_shard: 'acme#0', hour_lane: `${HOUR}#lane-1` };
  const put = (used: string) => store.restore('lanes', key, { ...store.peek('lanes', key), used });
  put('c1 .zzz:3:60');
  await expect(settleMarked(store, clock, 'acme', [HOUR])).rejects.toThrow('no method has the code .zzz');
  const settled = () => store.items('ledger').flatMap(({ hour, used }) => (hour ? [`${hour} ${used}`] : []));
  expect(settled()).toEqual(['2026-11-20T10 example_mainnet eth_blockNumber:20:20']);
  put(`c1 ${codeOf('eth_getLogs')}:3:60`);
  await settleMarked(store, clock, 'acme', [HOUR]);
  expect(settled()).toContain(`${HOUR} c1 eth_getLogs:3:60`);
  const queued = {
    account: 'acme',
    shard: 0,
    hour: HOUR,
    lane: 'lane-------',
    charges: 3,
    total: 60n,
    used: 'c1 .zzz:3:60',
  };
  expect(decodeLane(encodeLane(queued))).toEqual(queued);
});
