/** A node that breaks off at the traces of a block ends the read, until that is said to be the answer for this block. */
import type { UntracedBlock } from '../../../lambdas/indexer/blocks/assemble-block.ts';
import { createTraceQuestion } from '../../../lambdas/indexer/fetch/ask-for-traces.ts';
import { BatchSize } from '../../../lambdas/indexer/fetch/call-in-batches.ts';
import { NodeError } from '../../../lambdas/indexer/fetch/node-error.ts';
import type { PageOptions } from '../../../lambdas/indexer/fetch/send-batch.ts';

const BAD = 8;
const CLOSED = new NodeError('unavailable', 'upstream closed');

/** A node that closes the connection at the traces of one block, and what it is asked for, by block. */
function world() {
  const asked: number[][] = [];
  const node = {
    async send(calls: readonly { readonly params: readonly unknown[] }[]) {
      const blocks = calls.map(({ params }) => Number(params[0]));
      asked.push(blocks);
      if (blocks.includes(BAD)) throw CLOSED;
      return { responses: blocks.map((block) => ({ result: block })), bytes: 0 };
    },
  };
  const size = new BatchSize(4, 4);
  const ask = createTraceQuestion(node, { now: () => 0 }, size);
  return {
    asked,
    ask: (blocks: readonly number[], options: Partial<PageOptions> = {}) =>
      ask(
        blocks.slice(0, size.current).map((number) => ({ number }) as UntracedBlock),
        { deadline: 10_000, ...options },
      ),
  };
}

test('blocks are asked for one by one after that, and the one is asked for alone once more', async () => {
  const { asked, ask } = world();
  await expect(ask([7, BAD])).rejects.toBe(CLOSED);
  expect(await ask([7, BAD])).toEqual([{ result: 7 }]);
  await expect(ask([BAD, 9])).rejects.toBe(CLOSED);
  expect(asked).toEqual([[7, BAD], [7], [BAD]]);
  const later = world();
  expect(await later.ask([BAD, 9], { gapOf: BAD })).toEqual([{ error: CLOSED }]);
  expect(later.asked).toEqual([[BAD]]);
});

test.each<[string, Partial<PageOptions>]>([
  ['the time was up', { deadline: 0 }],
  ['the reader has left', { signal: AbortSignal.abort() }],
])('a request that ended because %s says nothing of the block', async (_, options) => {
  await expect(world().ask([BAD], { gapOf: BAD, ...options })).rejects.toBe(CLOSED);
});
