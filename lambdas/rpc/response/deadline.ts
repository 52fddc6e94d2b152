/**
 * Time that a function keeps for the charge and the response once the node's time is over, in milliseconds: 3.5 s for a
 * charge that store and queue let wait as long as they may, and the rest to compress the response.
 */
export const CHARGE_RESERVE_MS = 5_000;

/**
 * When the node must have answered, in milliseconds since the epoch: after its own time-out, and early enough for
 * the charge and the response to be done before the function ends.
 */
export function deadlineOf(nowMs: number, remainingMs: number, upstreamTimeoutMs: number): number {
  return nowMs + Math.max(0, Math.min(upstreamTimeoutMs, remainingMs - CHARGE_RESERVE_MS));
}
