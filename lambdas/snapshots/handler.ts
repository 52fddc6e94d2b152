import { errorField } from '../shared/runtime/log.ts';
import type { Sleep } from '../shared/runtime/sleep.ts';
import type { Telemetry } from '../shared/runtime/telemetry.ts';
import { SnapshotLostError } from './hold-snapshot.ts';
import { ageOfBalances, type BalancesAge } from './snapshot.ts';
import { type SnapshotParts, takeSnapshot } from './take-snapshot.ts';

/** Time that is kept for the transaction under way, in milliseconds. */
const END_BEFORE_TIMEOUT_MS = 60_000;

/** Longest time that a run waits for the first snapshot to be due: the next run comes after a minute. */
const MAX_FIRST_WAIT_MS = 50_000;
const FIRST_PAUSE_MS = 1_000;

/** What the schedule says. */
export interface SnapshotEvent {
  /** Name of the chain. */
  readonly chain: string;
}

interface RunParts extends SnapshotParts {
  readonly pause: Sleep;
  readonly telemetry: Telemetry;
}

/**
 * Brings the balances snapshot of a chain on. Until the first is complete, a run waits for the index to catch up instead of
 * leaving that to the next. The age of the balances is emitted before the work, so that it is known also when that fails.
 */
export async function runSnapshot(
  parts: RunParts,
  { chain }: SnapshotEvent,
  remainingMs: number,
): Promise<void> {
  const { clock, pause, telemetry } = parts;
  const startedMs = clock.now();
  const deadline = startedMs + remainingMs - END_BEFORE_TIMEOUT_MS;
  const waitUntil = Math.min(deadline, startedMs + MAX_FIRST_WAIT_MS);
  try {
    let age = await ageOfBalances(parts.connection);
    emitAge(age, chain, parts);
    let outcome = await takeSnapshot(parts, deadline);
    while (outcome.kind === 'idle' && !age.inForce && clock.now() < waitUntil) {
      await pause(FIRST_PAUSE_MS);
      outcome = await takeSnapshot(parts, deadline);
      age = await ageOfBalances(parts.connection);
    }
    if (outcome.kind === 'idle' || outcome.kind === 'busy') return;
    if (outcome.kind === 'completed') emitAge(await ageOfBalances(parts.connection), chain, parts);
    const durationMs = clock.now() - startedMs;
    telemetry.log('info', `balances_${outcome.kind}`, { chain, count: outcome.snapshot.block, durationMs });
  } catch (error) {
    if (error instanceof SnapshotLostError) return;
    telemetry.log('warn', 'balances_failed', { chain, error: errorField(error) });
    throw error;
  }
}

function emitAge({ seconds }: BalancesAge, chain: string, { clock, telemetry }: RunParts): void {
  if (seconds === undefined) return;
  telemetry.emit({ values: { SnapshotAge: seconds }, dimensions: { Chain: chain } }, clock.now());
}
