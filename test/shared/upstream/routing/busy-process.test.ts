/**
 * A process that is too busy to read what nodes have answered takes none of them for silent, and tells no other process so; a
 * silent node is found by a process that is late by little.
 */
import { UpstreamError } from '../../../../lambdas/shared/http/upstream-error.ts';
import { openChainUpstreams } from '../../../../lambdas/shared/upstream/chain-upstreams.ts';
import { WaitingBudget } from '../../../../lambdas/shared/upstream/health/waiting-budget.ts';
import type { WaitingWord } from '../../../../lambdas/shared/upstream/health/waiting-room.ts';
import { ChainBulkhead } from '../../../../lambdas/shared/upstream/routing/bulkhead.ts';
import { SimulatedChain } from '../../../nodes/simulated-chain.ts';
import { type Fate, simulateUpstream } from '../../../nodes/simulated-upstream.ts';
import { VirtualClock } from '../../../nodes/virtual-clock.ts';

const MAX_RESPONSE_BYTES = 1_024;
const NODE_MS = 20;
/** A call waits for so long, in milliseconds. */
const WAITED_MS = 20_000;

/** Spans of time in which the process reads nothing and no timer is over, in milliseconds from the start. */
type Busy = readonly (readonly [from: number, to: number])[];

/** A call that waits for a node, in a process that is busy at times. */
async function waited(busy: Busy, fate: Fate) {
  const clock = new VirtualClock();
  const startedAt = clock.now();
  const busyMs = (at: number) => (busy.find(([from, to]) => from <= at && at < to)?.[1] ?? at) - at;
  const wait = async (ms: number, signal?: AbortSignal) => {
    const due = clock.now() - startedAt + Math.max(0, ms);
    await clock.wait(ms + busyMs(due), signal);
  };
  const chain = new SimulatedChain(clock, 1_000);
  const { connection } = simulateUpstream({
    clock,
    wait,
    answer: (call) => chain.answer(call),
    fate: () => fate,
    latencyMs: () => NODE_MS,
  });
  const post: typeof connection.post = async (request) => {
    const response = await connection.post(request);
    // The timer of the request is over before its response is read.
    if (clock.now() > request.deadline)
      throw new UpstreamError('timeout', { sent: true, reusedSocket: true });
    return response;
  };
  const upstreams = openChainUpstreams([{ name: 'node', connection: { ...connection, post } }], {
    clock,
    wait,
    random: () => 0.5,
    maxResponseBytes: MAX_RESPONSE_BYTES,
  });
  const words: WaitingWord[] = [];
  const store = {
    draw: async () => ({ granted: true, silentAt: 0, unheardAt: 0 }),
    giveBack: async () => {},
    tell: async (_of: string, word: WaitingWord) => {
      words.push(word);
    },
  };
  const budget = new WaitingBudget({ store, clock, random: () => 0.5, concurrency: 12, chains: 1 });
  const bulkhead = new ChainBulkhead(upstreams, { chain: 'chain', budget });
  const turn = await bulkhead.enter('read', undefined);
  if (!('signal' in turn)) throw new Error('refused');
  await clock.pass(WAITED_MS);
  const { aborted } = turn.signal;
  turn.leave();
  return { isSilent: bulkhead.isSilent, isToldSilent: words.includes('silent'), aborted };
}

const HEARD = { isSilent: false, isToldSilent: false, aborted: false };

test.each([
  ['for longer than its question may take', [[505, 3_600]]],
  [
    'before it asks, and again while it asks',
    [
      [100, 5_100],
      [5_155, 9_000],
    ],
  ],
  [
    'time and again',
    [
      [505, 3_600],
      [3_605, 7_000],
      [7_010, 10_400],
    ],
  ],
] as const)('a process that is busy %s finds no node silent', async (_, busy) => {
  expect(await waited(busy, { kind: 'answer' })).toEqual(HEARD);
});

test.each([
  [[]],
  [
    [
      [500, 600],
      [1_000, 1_200],
    ],
  ],
] as const)(
  'a node that is silent is found, also by a process that is busy for moments: %j',
  async (busy) => {
    expect(await waited(busy, { kind: 'stall' })).toEqual({
      isSilent: true,
      isToldSilent: true,
      aborted: true,
    });
  },
);
