import type { Context } from 'aws-lambda';
import { openCacheStore, readSecret } from 'gateway-access';
import { systemClock } from '../shared/runtime/clock.ts';
import {
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
import { createHeadPace } from './follow/head-pace.ts';
import { createGapRetrier } from './follow/retry-gaps.ts';
import { runSlot } from './handler.ts';
import { openIndexer } from './open-indexer.ts';

const settings = loadStageSettings(requireVariable('LAMBDA_TASK_ROOT'));
const chain = chainNamed(settings.chains, requireVariable(INDEXED_CHAIN_VARIABLE));
const indexer = openIndexer(chain, readSecret);
const retryGaps = createGapRetrier({ ...indexer, clock: systemClock });
const completeHistory = createHistoryCompleter({ ...indexer, clock: systemClock });
const deriveHistory = createHistoryDeriver({ ...indexer, chain: chain.chain, clock: systemClock });
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

/** Follows the head of one chain: started every minute. */
export const handler = (event: SlotEvent, context: Context): Promise<void> =>
  runSlot(
    {
      ...indexer,
      chain: chain.chain,
      reader: history.watch(indexer.reader),
      onStored: (block, halted) => {
        history.note(block);
        return recordHead(block, halted);
      },
      clock: systemClock,
      telemetry: systemTelemetry,
      pause: sleep,
      pace,
      whenIdle: async (reading: ReadDeadline) => {
        await indexer.describe(reading);
        await completeHistory(reading);
        await deriveHistory(reading);
        await retryGaps(reading);
      },
      remainingMs: () => context.getRemainingTimeInMillis(),
    },
    event,
  ).finally(async () => {
    indexer.tellNodeCalls();
    await history.keep();
  });
