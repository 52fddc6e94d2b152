import type { RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { createStickyUpstream } from '../../../lambdas/indexer/fetch/sticky-upstream.ts';
import { followSlot } from '../../../lambdas/indexer/follow/follow-slot.ts';
import { createHeadPace } from '../../../lambdas/indexer/follow/head-pace.ts';
import { createStickyReader } from '../../../lambdas/indexer/follow/sticky-reader.ts';
import { UpstreamError } from '../../../lambdas/shared/http/upstream-error.ts';
import { RecordedTelemetry } from '../../support/recorded-telemetry.ts';
import { createFakeNode, type ReceivedCall } from '../fetch/fake-node.ts';
import { answersOf, makeChain } from '../fetch/node-chain.ts';
import { indexInMemory } from './index-in-memory.ts';

const SLOT_MS = 59_000;
const RESTART_MS = 20_000;
const BAD = 11;
const TRACES = 'debug_traceBlockByNumber';
const RECEIPTS = 'eth_getBlockReceipts';

/** What a node does with a request: closes the connection, is gone until a time, or answers. */
interface Upstream {
  /** Whether it closes the connection at this call. */
  readonly closesAt?: (call: ReceivedCall) => boolean;
  /** For how long it is gone after that, in milliseconds. */
  readonly goneMs?: number;
}

const isOf = (method: string, block?: number) => (call: ReceivedCall) =>
  call.method === method && (block === undefined || Number(call.params[0]) === block);

/** An index of a chain above block 0, read from nodes that close connections, on a clock that only waits move. */
function world(length: number, nodes: readonly Upstream[]) {
  let now = 0;
  let traceRequests = 0;
  const clock = { now: () => now };
  const wait = async (ms: number) => {
    now += ms;
  };
  const stored: RawBlock[] = [];
  const moves: string[] = [];
  const chain = makeChain(length);
  const usual = answersOf(chain);
  const asked: ReceivedCall[][] = nodes.map(() => []);
  const backAt = nodes.map(() => 0);
  const upstreams = nodes.map(({ closesAt = () => false, goneMs = 0 }, place) => {
    const fake = createFakeNode((call) =>
      call.params[0] === 'latest' ? { result: chain.at(-1)?.block } : usual(call),
    );
    const post: typeof fake.post = async (request) => {
      if (now < (backAt[place] ?? 0))
        throw new UpstreamError('unreachable', { sent: false, reusedSocket: false, code: 'ECONNREFUSED' });
      const calls = JSON.parse(Buffer.from(request.body).toString()) as ReceivedCall[];
      asked[place]?.push(...calls);
      if (calls.some(isOf(TRACES))) traceRequests += 1;
      if (!calls.some(closesAt)) return fake.post(request);
      backAt[place] = now + goneMs;
      throw new UpstreamError('closed', { sent: true, reusedSocket: false, code: 'ECONNRESET' });
    };
    return { name: `node-${place}`, connection: { ...fake, post } };
  });
  const connection = createStickyUpstream(upstreams, (upstream) => moves.push(upstream));
  const reader = createStickyReader({
    connection,
    form: { traces: true },
    clock,
    wait,
  });
  const index = indexInMemory(stored);
  const telemetry = new RecordedTelemetry();
  const decode = (block: RawBlock) => block as never;
  const pace = createHeadPace();
  const parts = { chain: 'one', reader, index: index as never, decode, clock, telemetry, pause: wait, pace };
  return {
    stored,
    moves,
    logged: telemetry.logged,
    /** Times that a node was asked for the traces of a block. */
    traced: (block: number, place = 0) => asked[place]?.filter(isOf(TRACES, block)).length,
    traceRequests: () => traceRequests,
    stop: (place: number, untilMs: number) => {
      backAt[place] = untilMs;
    },
    now: () => now,
    /** What one read of the blocks above 0 gives. */
    read: async () => {
      const blocks: string[] = [];
      for await (const page of reader.pages(1, length - 1, { deadline: now + SLOT_MS }))
        blocks.push(...page.map(({ traces }) => traces.kind));
      return blocks;
    },
    gaps: () =>
      stored.flatMap(({ number, traces }) => (traces.kind === 'gap' ? [`${number} ${traces.reason}`] : [])),
    slots: async (count: number) => {
      for (let slot = 0; slot < count; slot += 1) {
        const until = now + SLOT_MS;
        await followSlot(parts, until).catch(() => undefined);
        now = Math.max(now, until);
      }
    },
  };
}

describe('a block at whose traces the node', () => {
  test('closes the connection, and answers all else, is a gap, and the head goes on in the same slot', async () => {
    const parts = world(41, [{ closesAt: isOf(TRACES, BAD) }]);
    await parts.slots(1);
    expect(parts.stored.length).toBe(40);
    expect(parts.gaps()).toEqual([`${BAD} rpc_error`]);
    expect(parts.stored[BAD - 1]?.traces).toMatchObject({ message: 'upstream closed (ECONNRESET)' });
    expect(parts.traced(BAD)).toBeLessThanOrEqual(20);
  });

  test('closes the connection is passed within one read, also where there are two: a fill counts nothing before it', async () => {
    const isBad = (call: ReceivedCall) => [BAD, BAD + 4].some((block) => isOf(TRACES, block)(call));
    const blocks = await world(41, [{ closesAt: isBad }]).read();
    expect(blocks.length).toBe(40);
    expect(blocks.flatMap((kind, index) => (kind === 'gap' ? [index + 1] : []))).toEqual([BAD, BAD + 4]);
  });

  test('crashes, to be back after 20 seconds, is a gap after a few crashes', async () => {
    const parts = world(41, [{ closesAt: isOf(TRACES, BAD), goneMs: RESTART_MS }]);
    await parts.slots(4);
    expect(parts.stored.length).toBe(40);
    expect(parts.gaps()).toEqual([`${BAD} rpc_error`]);
    expect(parts.traced(BAD)).toBeLessThanOrEqual(5);
  });

  test('crashes is traced by another upstream, if that can', async () => {
    const crashing = { closesAt: isOf(TRACES, BAD), goneMs: RESTART_MS };
    const parts = world(41, [crashing, {}]);
    await parts.slots(1);
    expect(parts.stored.length).toBe(40);
    expect(parts.gaps()).toEqual([]);
    expect(parts.moves).toEqual(['node-1']);
  });

  test('crashes, as every other upstream does, is a gap', async () => {
    const crashing = { closesAt: isOf(TRACES, BAD), goneMs: RESTART_MS };
    const parts = world(41, [crashing, crashing]);
    await parts.slots(4);
    expect(parts.stored.length).toBe(40);
    expect(parts.gaps()).toEqual([`${BAD} rpc_error`]);
    expect([parts.traced(BAD, 0), parts.traced(BAD, 1)]).not.toContain(0);
  });
});

test.each([
  ['a node that closes', 1],
  ['each of two nodes that close', 2],
])('%s the connection whenever it is asked for traces is asked once a minute', async (_, count) => {
  const parts = world(400, Array(count).fill({ closesAt: isOf(TRACES) }));
  await parts.slots(2);
  expect(parts.stored.length).toBe(399);
  expect(parts.gaps().length).toBe(399);
  expect(new Set(parts.gaps().map((gap) => gap.split(' ')[1]))).toEqual(new Set(['rpc_error']));
  expect(parts.traceRequests()).toBeLessThan(100);
});

describe('a node that is gone', () => {
  test('as soon as it is asked for traces, and for long, makes no gap', async () => {
    const gone = { isOnce: true };
    const closesAt = (call: ReceivedCall) => call.method === TRACES && gone.isOnce;
    const parts = world(41, [{ closesAt, goneMs: 20 * SLOT_MS }]);
    await parts.slots(10);
    expect(parts.stored.length).toBe(0);
    gone.isOnce = false;
    await parts.slots(12);
    expect(parts.stored.length).toBe(40);
    expect(parts.gaps()).toEqual([]);
  });

  test('again and again, each time for a while, makes none', async () => {
    const parts = world(41, [{}]);
    for (let outage = 0; outage < 8; outage += 1) {
      parts.stop(0, parts.now() + 2 * SLOT_MS);
      await parts.slots(2);
    }
    await parts.slots(1);
    expect(parts.stored.length).toBe(40);
    expect(parts.gaps()).toEqual([]);
  });
});

describe('a block at whose receipts the node closes the connection', () => {
  test('stops the index right before it, and the log says what was asked', async () => {
    const parts = world(41, [{ closesAt: isOf(RECEIPTS, BAD) }]);
    await parts.slots(2);
    expect(parts.stored.length).toBe(BAD - 1);
    expect(parts.logged.map(({ error }) => error).join()).toContain(
      `block ${BAD}: unavailable (blocks and receipts: upstream closed (ECONNRESET))`,
    );
  });

  test('is read from another upstream', async () => {
    const parts = world(41, [{ closesAt: isOf(RECEIPTS, BAD) }, {}]);
    await parts.slots(1);
    expect(parts.stored.length).toBe(40);
    expect(parts.moves).toEqual(['node-1']);
    expect(parts.gaps()).toEqual([]);
  });

  test('is waited for if every other upstream does so too, with each asked in turn', async () => {
    const closing = { closesAt: isOf(RECEIPTS, BAD) };
    const parts = world(41, [closing, closing]);
    await parts.slots(2);
    expect(parts.stored.length).toBe(BAD - 1);
    expect(parts.moves.slice(0, 3)).toEqual(['node-1', 'node-0', 'node-1']);
    expect(parts.moves.length).toBeLessThan(20);
  });
});
