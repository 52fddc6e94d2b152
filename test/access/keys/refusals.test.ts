/** What bounds refuse is counted for the owner of a key, by few writes. */
import type { BoundRefusals, RefusalStore } from '../../../lambdas/access/contract/refusals.ts';
import { Refusals } from '../../../lambdas/access/keys/refusals.ts';
import { StoreUnavailableError } from '../../../lambdas/access/store/store.ts';
import { RecordedTelemetry } from '../../support/recorded-telemetry.ts';
import { StillClock } from '../metering-world.ts';

const WRITE_INTERVAL_MS = 60_000;

const HOLDER = { keyId: 'k', account: 'acme' };
let clock: StillClock;
let telemetry: RecordedTelemetry;
let written: { readonly keyId: string; readonly refused: BoundRefusals }[];
let fault: Error | undefined;
let refusals: Refusals;

beforeEach(() => {
  clock = new StillClock();
  telemetry = new RecordedTelemetry();
  written = [];
  fault = undefined;
  const store: RefusalStore = {
    add: async (keyId, refused) => {
      written.push({ keyId, refused });
      if (fault !== undefined) throw fault;
    },
    read: async () => ({ counts: {} }),
  };
  refusals = new Refusals({ refusals: store, clock, telemetry });
});

test('a flood is one write at once, and one a minute, with all that was refused', async () => {
  for (let second = 0; second < 120; second++) {
    for (let time = 0; time < 100; time++)
      refusals.note(HOLDER, time % 2 === 0 ? 'method' : 'day', '192.0.2.77');
    clock.timeMs += 1_000;
  }
  clock.timeMs += WRITE_INTERVAL_MS;
  await refusals.storeDue();
  expect(written.map(({ refused }) => refused.counts)).toEqual([
    { method: 1 },
    { method: 3_000, day: 3_000 },
    { method: 2_999, day: 3_000 },
  ]);
  expect(written[0]?.refused.last).toMatchObject({ reason: 'method', address: '192.0.2.0/24' });
  await refusals.storeDue();
  await refusals.handOver();
  expect(written).toHaveLength(3);
});

test.each([
  ['::ffff:198.51.100.9', '198.51.100.0/24'],
  ['2001:db8:1:2::9', '2001:db8:1:0:0:0:0:0/48'],
  [undefined, 'unknown'],
  ['not an address', 'unknown'],
])('of the address %s the owner sees %s', (address, shown) => {
  refusals.note(HOLDER, 'address', address);
  expect(written[0]?.refused.last?.address).toBe(shown);
});

test('what the store certainly did not take is written with the next, and nothing twice', async () => {
  fault = new StoreUnavailableError('throttled', false);
  refusals.note(HOLDER, 'chain', undefined);
  await refusals.storeDue();
  expect(written).toHaveLength(1);
  fault = new StoreUnavailableError('timed out', true);
  clock.timeMs += WRITE_INTERVAL_MS;
  refusals.note(HOLDER, 'chain', undefined);
  await refusals.storeDue();
  fault = undefined;
  clock.timeMs += WRITE_INTERVAL_MS;
  refusals.note(HOLDER, 'api', undefined);
  await refusals.storeDue();
  expect(written.map(({ refused }) => refused.counts)).toEqual([{ chain: 1 }, { chain: 2 }, { api: 1 }]);
  expect(telemetry.logged.map(({ event }) => event)).toEqual([
    'refusals_not_counted',
    'refusals_not_counted',
  ]);
});

test('what is refused while a write fails stays the last that its owner sees', async () => {
  fault = new StoreUnavailableError('throttled', false);
  refusals.note(HOLDER, 'chain', undefined);
  clock.timeMs += 1;
  refusals.note(HOLDER, 'api', undefined);
  await refusals.storeDue();
  clock.timeMs += WRITE_INTERVAL_MS;
  await refusals.storeDue();
  expect(written[1]?.refused).toMatchObject({ counts: { chain: 1, api: 1 }, last: { reason: 'api' } });
});

test('of many keys that are due ten are written at a time', async () => {
  for (let key = 0; key < 25; key += 1)
    for (const reason of ['day', 'method'] as const)
      refusals.note({ ...HOLDER, keyId: String(key) }, reason, undefined);
  clock.timeMs += WRITE_INTERVAL_MS;
  for (const count of [10, 10, 5, 0]) {
    written = [];
    await refusals.storeDue();
    expect(written).toHaveLength(count);
  }
});

test('what is not due is written before the process ends', async () => {
  refusals.note(HOLDER, 'day', undefined);
  refusals.note(HOLDER, 'day', undefined);
  refusals.note({ ...HOLDER, keyId: 'other' }, 'day', undefined);
  await refusals.handOver();
  expect(written.map(({ keyId }) => keyId)).toEqual(['k', 'other', 'k']);
});

test('a process counts a bounded number of keys', async () => {
  for (let key = 0; key < 3_000; key++)
    for (const reason of ['day', 'method'] as const)
      refusals.note({ ...HOLDER, keyId: String(key) }, reason, undefined);
  written = [];
  await refusals.handOver();
  expect(written).toHaveLength(1_000);
});
