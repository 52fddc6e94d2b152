import { errorField, log } from '../log.ts';
import { emitMetrics } from '../metrics.ts';
import { CompletedElsewhereError } from './complete-snapshot.ts';
import { ageOfBalances } from './snapshot.ts';
import { type SnapshotParts, takeSnapshot } from './take-snapshot.ts';

/** Time that is kept for the transaction under way, in milliseconds. */
const END_BEFORE_TIMEOUT_MS = 60_000;

/** What the schedule says. */
export interface SnapshotEvent {
  /** Name of the chain. */
  readonly chain: string;
}

/** Brings the balances snapshot of a chain on. */
export async function runSnapshot(
  parts: SnapshotParts,
  { chain }: SnapshotEvent,
  remainingMs: number,
): Promise<void> {
  const startedMs = parts.clock.now();
  try {
    const outcome = await takeSnapshot(parts, startedMs + remainingMs - END_BEFORE_TIMEOUT_MS);
    await emitAge(parts, chain);
    if (outcome.kind === 'idle') return;
    const durationMs = parts.clock.now() - startedMs;
    log('info', `balances_${outcome.kind}`, { chain, count: outcome.snapshot.block, durationMs });
  } catch (error) {
    if (error instanceof CompletedElsewhereError) return;
    log('warn', 'balances_failed', { chain, error: errorField(error) });
    throw error;
  }
}

async function emitAge({ database, schema, clock }: SnapshotParts, chain: string): Promise<void> {
  const SnapshotAge = await ageOfBalances(database, schema);
  if (SnapshotAge === undefined) return;
  emitMetrics({ values: { SnapshotAge }, dimensions: { Chain: chain } }, clock.now());
}
