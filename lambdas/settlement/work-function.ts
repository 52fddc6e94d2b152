import type { Context } from 'aws-lambda';
import { connectQueue, openStore } from 'gateway-access';
import type { Bookkeeping, WorkEvent, WorkParts } from '../access/account-work.ts';
import { createWorkQueue, WORK_QUEUE_URL_VARIABLE } from '../shared/aws/work-queue.ts';
import { systemClock } from '../shared/runtime/clock.ts';
import { requireVariable } from '../shared/runtime/environment.ts';
import { sleep } from '../shared/runtime/sleep.ts';
import { systemTelemetry } from '../shared/runtime/telemetry.ts';

/**
 * The handler of a function that works through accounts: for its schedule, and for the queue with what is left.
 * @param toBooks what it works with beside the store
 */
export function workFunction<Books extends Bookkeeping>(
  run: (parts: WorkParts & { readonly books: Books }, event: WorkEvent) => Promise<void>,
  toBooks: (common: Bookkeeping) => Books,
) {
  const books = toBooks({
    store: openStore(),
    clock: systemClock,
    pause: sleep,
    telemetry: systemTelemetry,
  });
  const queue = createWorkQueue(connectQueue, requireVariable(WORK_QUEUE_URL_VARIABLE));
  return (event: WorkEvent, context: Context): Promise<void> =>
    run({ books, queue, remainingMs: () => context.getRemainingTimeInMillis() }, event);
}
