/** An attempt ends with its request, and leaves nothing behind. */
import { getEventListeners } from 'node:events';
import { linkedAbort } from '../../../lambdas/shared/upstream/asking/ask.ts';

test('is aborted with its parent, for the same reason, also where that was aborted before', () => {
  const parent = new AbortController();
  const before = linkedAbort(parent.signal);
  parent.abort('over');
  const after = linkedAbort(parent.signal);
  for (const { signal } of [before, after]) expect([signal.aborted, signal.reason]).toEqual([true, 'over']);
});

test('leaves nothing behind once it is unlinked', () => {
  const parent = new AbortController();
  const linked = linkedAbort(parent.signal);
  linked.unlink();
  expect(getEventListeners(parent.signal, 'abort')).toEqual([]);
  parent.abort('over');
  expect(linked.signal.aborted).toBe(false);
});
