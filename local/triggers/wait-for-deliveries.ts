import { setTimeout as sleep } from 'node:timers/promises';

/** Time that deliveries have to end when the run does; then their functions are ended. */
const CLOSE_WAIT_MS = 3_000;

/** Waits for deliveries that are under way, a little. */
export async function waitForDeliveries(deliveries: Iterable<Promise<unknown>>): Promise<void> {
  const ended = new AbortController();
  const late = sleep(CLOSE_WAIT_MS, undefined, { signal: ended.signal }).catch(() => undefined);
  await Promise.race([Promise.all(deliveries), late]).finally(() => ended.abort());
}
