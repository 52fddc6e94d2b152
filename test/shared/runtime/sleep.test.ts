/** A wait ends with its time or its signal. */
import { getEventListeners } from 'node:events';
import { sleep } from '../../../lambdas/shared/runtime/sleep.ts';

test('a wait ends with its time, or with its signal, and leaves nothing behind', async () => {
  const { signal } = new AbortController();
  await sleep(1, signal);
  const stop = new AbortController();
  const stopped = sleep(2 ** 30, stop.signal);
  stop.abort('enough');
  await stopped;
  await sleep(2 ** 30, stop.signal);
  for (const used of [signal, stop.signal]) expect(getEventListeners(used, 'abort')).toEqual([]);
});
