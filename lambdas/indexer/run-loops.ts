import type { WorkQueue } from '../shared/aws/work-queue.ts';
import { errorField } from '../shared/runtime/log.ts';
import type { Sleep } from '../shared/runtime/sleep.ts';
import type { SlotEvent } from '../shared/runtime/slot.ts';
import type { Telemetry } from '../shared/runtime/telemetry.ts';

/** Time that is kept for telling that a loop was cut short, in milliseconds: a queue is asked three times for three seconds. */
const RESERVE_MS = 10_000;

/** What one slot of a minute does beside others, at its own pace. */
export interface SlotLoop {
  /** Event of the log when it fails. */
  readonly failed: string;
  readonly run: () => Promise<void>;
  /** Keeps slots in which it failed. */
  readonly failures: WorkQueue;
}

interface LoopParts {
  readonly chain: string;
  readonly telemetry: Telemetry;
  readonly pause: Sleep;
  readonly remainingMs: () => number;
}

/**
 * Runs the loops of a slot side by side, and resolves once all are over. One that fails is kept in its own queue at that moment,
 * and the others go on. One that hangs has failed when the function is about to be stopped, so that nothing that it waits for
 * is told as a failure of another: what it still does ends with its step, as the slot is over.
 * @throws {AggregateError} failures that their queues did not take: Lambda keeps the slot in the function's own queue
 */
export async function runLoops(
  loops: readonly SlotLoop[],
  event: SlotEvent,
  { chain, telemetry, pause, remainingMs }: LoopParts,
): Promise<void> {
  const ended = new AbortController();
  const cut = pause(Math.max(0, remainingMs() - RESERVE_MS), ended.signal).then(() => {
    throw new Error('the slot was cut short');
  });
  const runLoop = async ({ failed, run, failures }: SlotLoop) => {
    try {
      await Promise.race([run(), cut]);
    } catch (error) {
      telemetry.log('error', failed, { chain, error: errorField(error) });
      await failures.send(event);
    }
  };
  const outcomes = await Promise.allSettled(loops.map(runLoop));
  ended.abort('over');
  await cut.catch(() => {});
  const lost = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  if (lost.length > 0) throw new AggregateError(lost, 'failed slots could not be kept');
}
