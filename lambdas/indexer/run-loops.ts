import type { WorkQueue } from '../shared/aws/work-queue.ts';
import { errorField } from '../shared/runtime/log.ts';
import type { Sleep } from '../shared/runtime/sleep.ts';
import type { SlotEvent } from '../shared/runtime/slot.ts';
import type { Telemetry } from '../shared/runtime/telemetry.ts';

/** Time that is kept for telling that a loop was cut short, in milliseconds: a queue is asked three times for three seconds. */
const RESERVE_MS = 10_000;

/** What a chain does in one slot of a minute, each at its own pace. */
interface SlotLoops {
  readonly follow: () => Promise<void>;
  readonly derive: () => Promise<void>;
  /** Keeps slots in which `derive` failed. Those in which `follow` did, Lambda keeps in the function's own queue. */
  readonly failedRollups: WorkQueue;
}

interface LoopParts {
  readonly chain: string;
  readonly telemetry: Telemetry;
  readonly pause: Sleep;
  readonly remainingMs: () => number;
  /** Ends the process, so that Lambda starts another: what hangs would go on beside later slots, and hang them too. */
  readonly endProcess: () => void;
}

/**
 * Runs both loops of a slot side by side until both are over; one that fails leaves the other alone. One that hangs has failed when
 * the function is about to be stopped: then its process ends, and with it the run.
 * @throws {AggregateError} what `follow` failed with, or why a slot could not be kept: Lambda keeps it in the function's own queue
 */
export async function runLoops(
  { follow, derive, failedRollups }: SlotLoops,
  event: SlotEvent,
  { chain, telemetry, pause, remainingMs, endProcess }: LoopParts,
): Promise<void> {
  const ended = new AbortController();
  const cutShort = new Error('the slot was cut short');
  const cut = pause(Math.max(0, remainingMs() - RESERVE_MS), ended.signal).then(() => {
    throw cutShort;
  });
  let hangs = false;
  const runLoop = async (failed: string, run: () => Promise<void>) => {
    try {
      await Promise.race([run(), cut]);
    } catch (error) {
      hangs ||= error === cutShort;
      telemetry.log('error', failed, { chain, error: errorField(error) });
      throw error;
    }
  };
  const outcomes = await Promise.allSettled([
    runLoop('index_slot_failed', follow),
    runLoop('derive_slot_failed', derive).catch(() => failedRollups.send(event)),
  ]);
  ended.abort('over');
  await cut.catch(() => {});
  if (hangs) endProcess();
  const lost = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  if (lost.length > 0) throw new AggregateError(lost, 'the slot failed');
}
