import { middy, readSecret } from 'gateway-access';
import { systemClock } from '../clock.ts';
import { requireVariable } from '../environment.ts';
import { decodeBlock } from '../indexer/decode/decode-block.ts';
import { DECODE_OPTIONS } from '../indexer/decode-options.ts';
import { BACKFILL_QUEUE_URL_VARIABLE } from '../indexer/environment.ts';
import { chainNamed, type Indexer, openIndexer } from '../indexer/open-indexer.ts';
import { loadStageSettings } from '../settings.ts';
import { createWorkQueue } from '../work-queue.ts';
import { type BackfillEvent, runBackfill } from './handler.ts';

const settings = loadStageSettings(requireVariable('LAMBDA_TASK_ROOT'));
const queue = createWorkQueue(requireVariable(BACKFILL_QUEUE_URL_VARIABLE));
const indexers = new Map<string, Indexer>();

function indexerOf(name: string): Indexer {
  const indexer = indexers.get(name) ?? openIndexer(chainNamed(settings.chains, name), readSecret);
  indexers.set(name, indexer);
  return indexer;
}

/** Stores the past of chains, range by range, as the queue hands them out. */
export const handler = middy<BackfillEvent, void>().handler((event, context) =>
  runBackfill(
    {
      chainOf: (chain) => ({ ...indexerOf(chain), decode: (block) => decodeBlock(block, DECODE_OPTIONS) }),
      queue,
      clock: systemClock,
      remainingMs: () => context.getRemainingTimeInMillis(),
    },
    event,
  ),
);
