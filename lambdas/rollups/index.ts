import type { Context } from 'aws-lambda';
import { connectRdsData } from 'gateway-access';
import { connectionTo } from '../shared/chain-database/chain-queries.ts';
import { openChainDatabase } from '../shared/chain-database/open-chain-database.ts';
import { systemClock } from '../shared/runtime/clock.ts';
import { INDEXED_CHAIN_VARIABLE, requireVariable } from '../shared/runtime/environment.ts';
import { chainNamed, loadStageSettings } from '../shared/runtime/settings.ts';
import { sleep } from '../shared/runtime/sleep.ts';
import type { SlotEvent } from '../shared/runtime/slot.ts';
import { systemTelemetry } from '../shared/runtime/telemetry.ts';
import { runRollupSlot } from './handler.ts';
import { toQuotes } from './prices/quotes.ts';

/** Longest time that a database which wakes from its pause is waited for, in milliseconds. */
const RESUME_WAIT_MS = 40_000;

const settings = loadStageSettings(requireVariable('LAMBDA_TASK_ROOT'));
const chain = chainNamed(settings.chains, requireVariable(INDEXED_CHAIN_VARIABLE));
const database = openChainDatabase({ connect: connectRdsData, resumeWaitMs: RESUME_WAIT_MS });

/** Derives prices, candles and daily figures of one chain: started every minute. */
export const handler = (event: SlotEvent, context: Context): Promise<void> =>
  runRollupSlot(
    {
      connection: connectionTo(database, chain.chain),
      quotes: toQuotes(chain.quotes, chain.stocks?.priceFeeds, chain.exchanges),
      clock: systemClock,
      telemetry: systemTelemetry,
      pause: sleep,
      remainingMs: () => context.getRemainingTimeInMillis(),
    },
    event,
  );
