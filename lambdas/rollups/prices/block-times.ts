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
  return firstOf({ from, times }, Math.max(0, wantedBlock - from), wantedTime);
}

/** The first block of the step that is after a time in seconds; undefined where a block before the step was, or none is. */
export function firstAfter({ before, ...step }: BlockTimes, time: number): Moment | undefined {
  return before !== undefined && before.time > time ? undefined : firstOf(step, 0, time + 1);
}

function firstOf(
  { from, times }: Pick<BlockTimes, 'from' | 'times'>,
  first: number,
  wantedTime: number,
): Moment | undefined {
  let [lower, upper] = [first, times.length];
  while (lower < upper) {
    const middle = (lower + upper) >> 1;
    if ((times[middle] ?? 0) >= wantedTime) upper = middle;
    else lower = middle + 1;
  }
  const found = times[lower];
  return found === undefined ? undefined : { block: from + lower, time: found };
}
