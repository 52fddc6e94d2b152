import type { RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import type { NodePost } from '../../../lambdas/indexer/fetch/send-batch.ts';
import { followSlot } from '../../../lambdas/indexer/follow/follow-slot.ts';
import { createHeadPace } from '../../../lambdas/indexer/follow/head-pace.ts';
import { createNodeReader } from '../../../lambdas/indexer/follow/node-reader.ts';
import { UpstreamError } from '../../../lambdas/shared/http/upstream-error.ts';
import { RecordedTelemetry } from '../../support/recorded-telemetry.ts';
import { createFakeNode, type ReceivedCall } from '../fetch/fake-node.ts';
import { answersOf, makeChain } from '../fetch/node-chain.ts';
import { indexInMemory } from './index-in-memory.ts';

const SLOT_MS = 59_000;
const TRACES = 'debug_traceBlockByNumber';

/** A clock that continues to the next moment that somebody waits for, as soon as nobody does anything else. */
function virtualClock() {
  let now = 0;
  let isRunning = false;
  const waiting: { readonly until: number; readonly resolve: () => void }[] = [];
  const run = async () => {
    isRunning = true;
    while (waiting.length > 0) {
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      waiting.sort((a, b) => a.until - b.until);
      const next = waiting.shift();
      now = Math.max(now, next?.until ?? now);
      next?.resolve();
    }
    isRunning = false;
  };
  return {
    now: () => now,
    until: (until: number) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ until, resolve });
      if (!isRunning) void run();
      return promise;
    },
  };
}

/** An index of a chain above block 0, whose node takes so many milliseconds to trace each block, one after the other. */
function world(length: number, timeOf: (block: number) => number) {
  const clock = virtualClock();
  let busyUntil = 0;
  const stored: RawBlock[] = [];
  const chain = makeChain(length);
  const usual = answersOf(chain);
  const fake = createFakeNode((call) =>
    call.params[0] === 'latest' ? { result: chain.at(-1)?.block } : usual(call),
  );
  let asked = 0;
  let refuses = false;
  const node: NodePost = {
    ...fake,
    post: async (request) => {
      const calls = JSON.parse(Buffer.from(request.body).toString()) as ReceivedCall[];
      const traced = calls.filter(({ method }) => method === TRACES);
      asked += traced.length;
      if (refuses && traced.length > 0) return { status: 429, body: Buffer.from('') };
      const durationMs = traced.reduce((sum, { params }) => sum + timeOf(Number(params[0])), 0);
      const end = traced.length === 0 ? clock.now() : Math.max(clock.now(), busyUntil) + durationMs;
      await clock.until(Math.min(end, request.deadline));
      if (end <= request.deadline) {
        busyUntil = Math.max(busyUntil, end);
        return fake.post(request);
      }
      throw new UpstreamError('timeout', { sent: true, reusedSocket: false });
    },
  };
  const wait = (ms: number) => clock.until(clock.now() + ms);
  const index = indexInMemory(stored);
  const parts = {
    chain: 'one',
    reader: createNodeReader(node, clock, { traces: true }, wait),
    index: index as never,
    decode: (block: RawBlock) => block as never,
    clock,
    telemetry: new RecordedTelemetry(),
    pause: wait,
    pace: createHeadPace(),
  };
  return {
    stored,
    asked: () => asked,
    refuseTraces: () => {
      refuses = true;
    },
    gaps: () =>
      stored.flatMap(({ number, traces }) => (traces.kind === 'gap' ? [`${number} ${traces.reason}`] : [])),
    slot: async () => {
      const until = clock.now() + SLOT_MS;
      await followSlot(parts, until).catch(() => undefined);
      await clock.until(until);
    },
  };
}

test('the cursor passes a block that is never traced within a slot, and only that block is a gap', async () => {
  const { stored, gaps, slot } = world(41, (block) => (block === 11 ? Number.POSITIVE_INFINITY : 0));
  await slot();
  expect(stored).toHaveLength(40);
  expect(gaps()).toEqual(['11 timeout']);
});

test.each([3_000, 5_000, 8_000])(
  'a node that traces a block in %i ms is followed in every slot, and loses no block',
  async (timeMs) => {
    const { stored, gaps, slot } = world(200, () => timeMs);
    let before = -1;
    for (let slots = 0; slots < 6; slots += 1) {
      await slot();
      expect(stored.length).toBeGreaterThan(before);
      before = Math.max(1, stored.length);
    }
    expect(stored.length).toBeGreaterThan(12);
    expect(gaps()).toEqual([]);
  },
);

test('a node that hangs at every block holds the head for one slot, and is then asked once a minute', async () => {
  const parts = world(400, () => Number.POSITIVE_INFINITY);
  await parts.slot();
  await parts.slot();
  expect(parts.stored).toHaveLength(399);
  expect(parts.gaps()).toHaveLength(399);
  expect(parts.asked()).toBeLessThan(100);
});

test('nor does a node that wants no calls for traces at all', async () => {
  const parts = world(400, () => 0);
  parts.refuseTraces();
  await parts.slot();
  await parts.slot();
  expect(parts.stored).toHaveLength(399);
  expect(parts.gaps()).toHaveLength(399);
});
