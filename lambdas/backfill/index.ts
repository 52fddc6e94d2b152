import type { Context } from 'aws-lambda';
import { connectQueue, readSecret } from 'gateway-access';
import { type Indexer, openIndexer } from '../indexer/open-indexer.ts';
import { createWorkQueue } from '../shared/aws/work-queue.ts';
import { systemClock } from '../shared/runtime/clock.ts';
import { BACKFILL_QUEUE_URL_VARIABLE, requireVariable } from '../shared/runtime/environment.ts';
import { log } from '../shared/runtime/log.ts';
import { chainNamed, loadStageSettings } from '../shared/runtime/settings.ts';
import { type BackfillEvent, runBackfill } from './handler.ts';

const settings = loadStageSettings(requireVariable('LAMBDA_TASK_ROOT'));
const queue = createWorkQueue(connectQueue, requireVariable(BACKFILL_QUEUE_URL_VARIABLE));
const parts = new Map<string, Indexer>();

function chainOf(name: string): Indexer {
  const known = parts.get(name);
  if (known !== undefined) return known;
  const opened = openIndexer(chainNamed(settings.chains, name), readSecret);
  parts.set(name, opened);
  return opened;
}

/** Stores the past of chains, range by range, as the queue hands them out. */
export const handler = (event: BackfillEvent, context: Context): Promise<void> =>
  runBackfill(
    {
      chainOf,
      queue,
      clock: systemClock,
      log,
      remainingMs: () => context.getRemainingTimeInMillis(),
    },
    event,
  ).finally(() => {
    for (const { tellNodeCalls } of parts.values()) tellNodeCalls();
  });
