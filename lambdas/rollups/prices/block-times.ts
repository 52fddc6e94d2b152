/** What a price is made of must have stood for so many seconds, and so many blocks. */
export const STANDING_SECONDS = 600;
export const STANDING_BLOCKS = 30;
/** A block, and its time in seconds since the epoch. */
export interface Moment {
  readonly block: number;
  readonly time: number;
}

/** Times of the blocks of a step. */
export interface BlockTimes {
  /** The block before the step; undefined at the first block. */
  readonly before: Moment | undefined;
  readonly from: number;
  /** One for each block from `from` on, none less than the one before it. */
  readonly times: readonly number[];
}

/** The first block of the step at which what came at a moment has stood; undefined before and after the step. */
export function standsAt({ before, from, times }: BlockTimes, { block, time }: Moment): Moment | undefined {
  const [wantedBlock, wantedTime] = [block + STANDING_BLOCKS, time + STANDING_SECONDS];
  if (before !== undefined && before.block >= wantedBlock && before.time >= wantedTime) return undefined;
  let [lower, upper] = [Math.max(0, wantedBlock - from), times.length];
  while (lower < upper) {
    const middle = (lower + upper) >> 1;
    if ((times[middle] ?? 0) >= wantedTime) upper = middle;
    else lower = middle + 1;
  }
  const found = times[lower];
  return found === undefined ? undefined : { block: from + lower, time: found };
}
