import type { UntracedBlock } from '../../../lambdas/indexer/blocks/assemble-block.ts';
import { createTraceQuestion } from '../../../lambdas/indexer/fetch/ask-for-traces.ts';
import { BatchSize } from '../../../lambdas/indexer/fetch/call-in-batches.ts';
import { NodeError } from '../../../lambdas/indexer/fetch/node-error.ts';
import type { RetryingClient } from '../../../lambdas/indexer/fetch/retrying-client.ts';
import { UnansweredBlocks } from '../../../lambdas/indexer/fetch/unanswered-blocks.ts';

const TRACES = 'debug_traceBlockByNumber';
const DEADLINE = 10_000;
const CLOSED = new NodeError('unavailable', 'upstream closed');

/** A node that can be told what it does, and what it was asked, by block. */
function world(batch = 1) {
  let now = 0;
  const node = {
    /** Blocks at whose traces it closes the connection. */
    closesAt: new Set<number>(),
    isUp: true,
    /** What a request for traces takes, in milliseconds. */
    tracesMs: 0,
  };
  const asked: number[][] = [];
  const patient: RetryingClient = {
    async send(calls) {
      if (calls[0]?.method !== TRACES) {
        if (!node.isUp) throw CLOSED;
        return { responses: calls.map(() => ({ result: {} })), bytes: 0 };
      }
      const blocks = calls.map(({ params }) => Number(params[0]));
      asked.push(blocks);
      now += node.tracesMs;
      if (blocks.some((block) => node.closesAt.has(block))) throw CLOSED;
      return { responses: blocks.map((block) => ({ result: block })), bytes: 0 };
    },
  };
  const size = new BatchSize(batch, batch);
  const unanswered = new UnansweredBlocks();
  const ask = createTraceQuestion(patient, { now: () => now }, size, unanswered);
  return {
    node,
    asked,
    ask: (blocks: readonly number[], options: { deadline?: number; signal?: AbortSignal } = {}) =>
      ask(
        blocks.map((number) => ({ number }) as UntracedBlock),
        { deadline: now + DEADLINE, ...options },
      ),
  };
}

test('a block without an answer is asked for alone, four times, and then that is its answer', async () => {
  const { node, asked, ask } = world(4);
  node.closesAt.add(7);
  expect(await ask([7, 8, 9])).toEqual([{ error: CLOSED }]);
  expect(asked).toEqual([[7, 8, 9], [7], [7], [7]]);
});

test('one that was only asked for together with it is told', async () => {
  const { node, asked, ask } = world(4);
  node.closesAt.add(8);
  expect(await ask([7, 8])).toEqual([{ result: 7 }]);
  expect(asked).toEqual([[7, 8], [7]]);
});

test('of a node that is down no attempt counts, however often it is asked', async () => {
  const { node, asked, ask } = world();
  node.closesAt.add(7);
  node.isUp = false;
  for (let read = 0; read < 20; read += 1) await expect(ask([7])).rejects.toBe(CLOSED);
  expect(asked).toEqual([[7]]);
  node.isUp = true;
  node.closesAt.clear();
  expect(await ask([7])).toEqual([{ result: 7 }]);
});

test('a block that is told begins anew', async () => {
  const { node, asked, ask } = world();
  for (let outage = 0; outage < 5; outage += 1) {
    node.closesAt.add(7);
    node.isUp = false;
    await expect(ask([7])).rejects.toBe(CLOSED);
    node.closesAt.clear();
    node.isUp = true;
    expect(await ask([7])).toEqual([{ result: 7 }]);
  }
  expect(asked).toHaveLength(10);
});

test.each<[string, (parts: ReturnType<typeof world>) => Promise<unknown>]>([
  ['the time was up', ({ ask }) => ask([7], { deadline: 0 })],
  ['the reader has left', ({ ask }) => ask([7], { signal: AbortSignal.abort() })],
])('a request that ended because %s does not count', async (_, end) => {
  const parts = world();
  parts.node.closesAt.add(7);
  for (let read = 0; read < 8; read += 1) await expect(end(parts)).rejects.toBe(CLOSED);
  parts.node.closesAt.clear();
  expect(await parts.ask([7])).toEqual([{ result: 7 }]);
});

test('blocks that fail at once are asked for one after the other', async () => {
  const { node, asked, ask } = world();
  node.closesAt.add(7).add(9);
  expect(await Promise.all([ask([7]), ask([9])])).toEqual([[{ error: CLOSED }], [{ error: CLOSED }]]);
  expect(asked.flat()).toEqual([7, 9, 7, 7, 7, 9, 9, 9]);
});
