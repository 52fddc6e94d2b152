import type { Sleep } from '../shared/runtime/sleep.ts';

/** Lambda kills an environment a second after its SIGTERM, at the latest: a round of charges fits in this several times. */
const HAND_OVER_EVERY_MS = 150;

/**
 * Ends a process that was told to: takes no new connection, hands over what is not stored, and goes on doing so while
 * requests are under way. A kill in between loses the charges of one pause, and the requests.
 * @param handOver hands every charge to the queue that is not stored
 */
export async function endGently(
  server: { close(): unknown; closeAllConnections(): void },
  { handOver, underWay }: { readonly handOver: () => Promise<void>; readonly underWay: () => number },
  pause: Sleep,
): Promise<void> {
  server.close();
  await handOver();
  while (underWay() > 0) {
    await pause(HAND_OVER_EVERY_MS);
    await handOver();
  }
  server.closeAllConnections();
}
