/** A multiplier that was announced. Times are seconds since the epoch; multipliers have 18 decimals. */
interface Announcement {
  readonly announcedAt: number;
  readonly effectiveAt: number;
  readonly multiplier: bigint;
}

/** What a stock token's contract holds from one announcement to the next. */
interface MultiplierState {
  /** In force before the time. */
  readonly current: bigint;
  /** In force from the time on. */
  readonly next: bigint;
  /** Seconds since the epoch. */
  readonly effectiveAt: number;
}

/**
 * What a contract holds after each announcement, as the reference contract of ERC-8056 does: what had been
 * announced before becomes current if its time has passed, and is forgotten if not.
 * @param announcements in the order of the chain
 */
export function multiplierStates(initial: bigint, announcements: readonly Announcement[]): MultiplierState[] {
  let state: MultiplierState = { current: initial, next: initial, effectiveAt: 0 };
  return announcements.map(({ announcedAt, effectiveAt, multiplier }) => {
    const current = announcedAt > state.effectiveAt ? state.next : state.current;
    state = { current, next: multiplier, effectiveAt };
    return state;
  });
}
