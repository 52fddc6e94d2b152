// What instances share is read once for all that want it, no more often than its interval, and stays while the store is away.
import fc from 'fast-check';
import { SharedItem } from '../../../../lambdas/shared/upstream/sharing/shared-item.ts';
import { VirtualClock } from '../../../nodes/virtual-clock.ts';
import { RecordedTelemetry } from '../../../support/recorded-telemetry.ts';

const INTERVAL_MS = 500;
const LATENCY_MS = 20;

/** An item that is the number of its reading, and when each began. */
function open() {
  const clock = new VirtualClock();
  const begun: number[] = [];
  const telemetry = new RecordedTelemetry();
  const state = { fails: false };
  const item = new SharedItem<number>({
    first: 0,
    get: async () => {
      begun.push(clock.now());
      await clock.wait(LATENCY_MS);
      if (state.fails) throw new Error('no answer');
      return begun.length;
    },
    intervalMs: INTERVAL_MS,
    clock,
    wait: (ms) => clock.wait(ms),
    asking: { telemetry, event: 'item_unread' },
  });
  return { clock, begun, item, state, telemetry };
}

test('all that want it in one interval share a reading, and the first one behind it begins another', async () => {
  const { clock, item } = open();
  const read = () => clock.until(Promise.all([item.lately(), item.lately()]));
  expect(await read()).toEqual([1, 1]);
  await clock.pass(INTERVAL_MS - LATENCY_MS - 1);
  expect(await read()).toEqual([1, 1]);
  await clock.pass(1);
  expect(await read()).toEqual([2, 2]);
});

test('while the store is away it is what it was, and that is logged', async () => {
  const { clock, item, state, telemetry } = open();
  await clock.until(item.lately());
  state.fails = true;
  await clock.pass(INTERVAL_MS);
  expect(await clock.until(item.lately())).toBe(1);
  expect(telemetry.logged).toMatchObject([{ event: 'item_unread' }]);
});

test('whoever wants a reading since a time gets one, and no two begin within an interval', async () => {
  const wants = fc.array(fc.record({ afterMs: fc.nat(700), agoMs: fc.nat(700) }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(wants, async (all) => {
      const { clock, begun, item } = open();
      for (const { afterMs, agoMs } of all) {
        await clock.pass(afterMs);
        const time = clock.now() - agoMs;
        const { at, read } = item.since(time);
        expect(at).toBeGreaterThanOrEqual(time);
        expect(at).toBeLessThanOrEqual(clock.now() + INTERVAL_MS);
        const value = await clock.until(read);
        expect(begun[value - 1]).toBe(at);
      }
      for (const [place, at] of begun.entries())
        expect(at - (begun[place - 1] ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(INTERVAL_MS);
    }),
  );
});
