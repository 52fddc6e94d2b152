import type { Sleep } from '../../shared/runtime/sleep.ts';

/** How often a process that runs on between requests stores what it has held back for its time, in milliseconds. */
export const STORE_EVERY_MS = 500;

/** What it needs of a meter. */
interface HoldingMeter {
  storeAllDue(): Promise<void>;
}

/**
 * Stores charges that were held back for their time without waiting for a request to do it, one round after the other. An
 * environment that stands still between requests cannot; one that serves many at a time never does.
 * @param pause how it waits between two rounds
 */
export async function storeRegularly(
  meter: HoldingMeter,
  pause: Sleep,
  isOver: () => boolean = () => false,
): Promise<void> {
  while (!isOver()) {
    await pause(STORE_EVERY_MS);
    await meter.storeAllDue();
  }
}
