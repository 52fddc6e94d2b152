import type { Context } from 'aws-lambda';
import { connectQueue, openStore } from 'gateway-access';
import type { WorkEvent } from '../access/account-work.ts';
import { createWorkQueue, WORK_QUEUE_URL_VARIABLE } from '../shared/aws/work-queue.ts';
import { systemClock } from '../shared/runtime/clock.ts';
import { requireVariable } from '../shared/runtime/environment.ts';
import { sleep } from '../shared/runtime/sleep.ts';
import { systemTelemetry } from '../shared/runtime/telemetry.ts';
import { runAudit } from './handler.ts';

const books = { store: openStore(), clock: systemClock, pause: sleep, telemetry: systemTelemetry };
const queue = createWorkQueue(connectQueue, requireVariable(WORK_QUEUE_URL_VARIABLE));

/** Audits the books: started by the hourly rule, and by the queue with what an earlier run had no time for. */
export const handler = (event: WorkEvent, context: Context): Promise<void> =>
  runAudit({ books, queue, remainingMs: () => context.getRemainingTimeInMillis() }, event);
