import type { Context } from 'aws-lambda';
import { connectQueue, connectRdsData, openCacheStore, readSecret } from 'gateway-access';
import { runRollupSlot } from '../rollups/handler.ts';
import { toQuotes } from '../rollups/prices/quotes.ts';
import { createWorkQueue } from '../shared/aws/work-queue.ts';
import { connectionTo } from '../shared/chain-database/chain-queries.ts';
import { openChainDatabase } from '../shared/chain-database/open-chain-database.ts';
import { systemClock } from '../shared/runtime/clock.ts';
import {
  FAILED_ROLLUPS_QUEUE_VARIABLE,
  HEAD_PAUSE_VARIABLE,
  INDEXED_CHAIN_VARIABLE,
  requireVariable,
} from '../shared/runtime/environment.ts';
import { chainNamed, loadStageSettings } from '../shared/runtime/settings.ts';
import { sleep } from '../shared/runtime/sleep.ts';
import type { SlotEvent } from '../shared/runtime/slot.ts';
import { systemTelemetry } from '../shared/runtime/telemetry.ts';
import { createHeadRecorder } from './chain-head-record.ts';
import { ChainHistory } from './chain-history.ts';
import type { ReadDeadline } from './follow/chain-reader.ts';
import { createHistoryCompleter } from './follow/complete-history.ts';
import { createHistoryDeriver } from './follow/derive-history.ts';
import { runSlot } from './follow/follow-slot.ts';
import { createHeadPace } from './follow/head-pace.ts';
import { createGapRetrier } from './follow/idle-work.ts';
import { openIndexer, RESUME_WAIT_MS } from './open-indexer.ts';
import { runLoops } from './run-loops.ts';

const settings = loadStageSettings(requireVariable('LAMBDA_TASK_ROOT'));
const chain = chainNamed(settings.chains, requireVariable(INDEXED_CHAIN_VARIABLE));
const indexer = openIndexer(chain, readSecret);
const retryGaps = createGapRetrier({ ...indexer, clock: systemClock });
const completeHistory = createHistoryCompleter({ ...indexer, clock: systemClock });
const deriveHistory = createHistoryDeriver(chain.chain, indexer.transfers, systemClock);
const headPauseMs = process.env[HEAD_PAUSE_VARIABLE];
const pace = createHeadPace(headPauseMs === undefined ? undefined : Number(headPauseMs));
const records = openCacheStore();
const recordHead = createHeadRecorder(records, chain.chain, systemClock);
const history = new ChainHistory({
  records,
  chain: chain.chain,
  clock: systemClock,
  isBatched: settings.batchMinutes !== undefined,
});

const quotes = toQuotes(chain.quotes, chain.stocks?.priceFeeds, chain.exchanges);
// A client of its own: neither loop waits for what the other asks.
const derived = connectionTo(
  openChainDatabase({ connect: connectRdsData, resumeWaitMs: RESUME_WAIT_MS }),
  chain.chain,
);
const failedRollups = createWorkQueue(connectQueue, requireVariable(FAILED_ROLLUPS_QUEUE_VARIABLE));

/** Follows the head of one chain, and derives prices, candles and daily figures of what is stored: started every minute. */
export const handler = (event: SlotEvent, context: Context): Promise<void> => {
  const remainingMs = () => context.getRemainingTimeInMillis();
  const common = { clock: systemClock, telemetry: systemTelemetry, pause: sleep, remainingMs };
  const loops = {
    follow: () => follow(common, event),
    derive: () => runRollupSlot({ ...common, connection: derived, quotes }, event),
    failedRollups,
  };
  return runLoops(loops, event, { ...common, chain: chain.chain, endProcess: () => process.exit(1) });
};

function follow(
  common: Pick<Parameters<typeof runSlot>[0], 'clock' | 'telemetry' | 'pause' | 'remainingMs'>,
  event: SlotEvent,
): Promise<void> {
  return runSlot(
    {
      ...common,
      ...indexer,
      chain: chain.chain,
      reader: history.watch(indexer.reader),
      onStored: (block, halted) => {
        history.note(block);
        return recordHead(block, halted);
      },
      pace,
      whenIdle: async (reading: ReadDeadline) => {
        await indexer.describe(reading);
        await completeHistory(reading);
        await deriveHistory(reading);
        await retryGaps(reading);
      },
    },
    event,
  ).finally(async () => {
    indexer.tellNodeCalls();
    await history.keep();
  });
}
