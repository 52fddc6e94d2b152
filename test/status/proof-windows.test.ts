/** Clients learn for ten minutes which proofs nodes lack, by a reading in ten seconds. */
import type { StoredResponse } from '../../lambdas/shared/aws/cache-store.ts';
import { tellLackingProofs } from '../../lambdas/shared/upstream/sharing/lacking-proofs.ts';
import { createProofWindows } from '../../lambdas/status/describe-chains.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';

const CHAINS = [{ chain: 'one' }, { chain: 'two' }];

function world() {
  const items = new Map<string, StoredResponse>();
  const state = { now: 1_000_000, reads: 0, fails: false };
  const records = {
    read: async (keys: readonly string[]) => {
      state.reads += 1;
      if (state.fails) throw new Error('throttled');
      return keys.flatMap((key) => items.get(key) ?? []);
    },
    write: async (responses: readonly StoredResponse[]) => {
      for (const one of responses) items.set(one.key, one);
    },
  };
  const { log, logged } = new RecordedTelemetry();
  const clock = { now: () => state.now };
  return { state, records, logged, read: createProofWindows({ records, chains: CHAINS, clock, log }) };
}

test('what processes say of a chain is known for ten minutes', async () => {
  const { state, records, read } = world();
  expect(await read()).toEqual(new Map());
  await tellLackingProofs(records, 'two', 64, state.now);
  state.now += 10_000;
  expect(await read()).toEqual(new Map([['two', 64]]));
  // The table keeps items longer than they are to be read.
  state.now += 10 * 60_000;
  expect(await read()).toEqual(new Map());
});

test('of what several processes say the least counts, until it expires', async () => {
  const { state, records, read } = world();
  for (const [blocks, known] of [
    [130, 130],
    [100_000, 130],
    [64, 64],
  ] as const) {
    await tellLackingProofs(records, 'one', blocks, state.now);
    expect(await read()).toEqual(new Map([['one', known]]));
    state.now += 10_000;
  }
  state.now += 9 * 60_000;
  // The same number lasts for ten minutes more.
  await tellLackingProofs(records, 'one', 64, state.now);
  state.now += 9 * 60_000;
  expect(await read()).toEqual(new Map([['one', 64]]));
  state.now += 60_000;
  await tellLackingProofs(records, 'one', 100_000, state.now);
  expect(await read()).toEqual(new Map([['one', 100_000]]));
});

test('many requests read once in ten seconds, and a failed reading changes nothing', async () => {
  const { state, records, logged, read } = world();
  await tellLackingProofs(records, 'one', 0, state.now);
  const { reads } = state;
  await Promise.all(Array.from({ length: 50 }, read));
  expect(state.reads).toBe(reads + 1);
  state.now += 10_000;
  state.fails = true;
  expect(await read()).toEqual(new Map([['one', 0]]));
  expect(logged).toMatchObject([{ event: 'lacking_proofs_unread' }]);
});

test('a stage without an index knows nothing of it', async () => {
  const read = createProofWindows({
    ...{ records: undefined, chains: CHAINS, clock: { now: () => 0 } },
    log: () => undefined,
  });
  expect(await read()).toEqual(new Map());
});
