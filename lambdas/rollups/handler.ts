import type { ChainConnection } from '../shared/chain-database/chain-queries.ts';
import { isDatabaseAway } from '../shared/chain-database/database-error.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import { errorField } from '../shared/runtime/log.ts';
import type { Sleep } from '../shared/runtime/sleep.ts';
import { type SlotEvent, slotEnd } from '../shared/runtime/slot.ts';
import type { Telemetry } from '../shared/runtime/telemetry.ts';
import { type DeriveOutcome, deriveStep, hasNewBlocks } from './derive-step.ts';
import type { Quotes } from './prices/quotes.ts';

/** Time that is kept for the transaction under way, in milliseconds. */
const RESERVE_MS = 30_000;
/** Pause while there is nothing to derive, in milliseconds. */
const IDLE_PAUSE_MS = 1_000;
/** Pauses after failures in a row, in milliseconds: the first, and the longest. */
const FIRST_FAILURE_PAUSE_MS = 500;
const MAX_FAILURE_PAUSE_MS = 10_000;

export interface RollupSlotParts {
  readonly connection: ChainConnection;
  readonly quotes: Quotes;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly pause: Sleep;
  readonly remainingMs: () => number;
}

/**
 * Derives what the indexer stores, for one slot. Failures are logged and tried again after longer and longer
 * pauses. A slot that was over before it began does nothing, and tells nothing.
 * @throws what the last step failed with, if none succeeded
 */
export async function runRollupSlot(parts: RollupSlotParts, event: SlotEvent): Promise<void> {
  const { connection, clock, pause, telemetry } = parts;
  const chain = connection.name;
  const startedMs = clock.now();
  const until = slotEnd(event, startedMs, { remainingMs: parts.remainingMs(), reserveMs: RESERVE_MS });
  let count = 0;
  let failures = 0;
  let failure: unknown;
  let succeeded = false;
  let left = 0;
  // What new blocks do not show is looked for once in each slot.
  let more = true;
  const dimensions = { Chain: chain };
  const onSetAside = () => telemetry.emit({ values: { DerivationsSetAside: 1 }, dimensions }, clock.now());
  while (clock.now() < until) {
    try {
      more ||= await hasNewBlocks(connection);
      const outcome: DeriveOutcome = more
        ? await deriveStep(connection, parts.quotes, onSetAside)
        : { kind: 'idle' };
      succeeded = true;
      failures = 0;
      if (outcome.kind === 'derived') count += outcome.blocks;
      left = outcome.kind === 'derived' ? outcome.left : 0;
      more = outcome.kind !== 'idle' && !(outcome.kind === 'derived' && outcome.left === 0);
      if (!more) await pause(IDLE_PAUSE_MS);
    } catch (error) {
      failures += 1;
      failure = error;
      telemetry.log('warn', 'derive_step_failed', { chain, count: failures, error: errorField(error) });
      await pause(Math.min(MAX_FAILURE_PAUSE_MS, FIRST_FAILURE_PAUSE_MS * 2 ** (failures - 1)));
    }
  }
  if (!succeeded && failure === undefined) return telemetry.log('info', 'derive_slot_missed', { chain });
  telemetry.log('info', 'derive_slot', { chain, count, durationMs: clock.now() - startedMs });
  if (!succeeded) {
    if (isDatabaseAway(failure)) telemetry.emit({ values: { SlotsWithoutDatabase: 1 } }, clock.now());
    throw failure;
  }
  telemetry.emit({ values: { RollupLagBlocks: left }, dimensions }, clock.now());
}
