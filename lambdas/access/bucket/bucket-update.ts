import type { Changes } from '../store/expression.ts';
import { absentOr, type Update } from '../store/store.ts';
import { TABLES } from '../store/tables.ts';
import { type Bucket, type Draw, type FlowingLimit, SHARED_LAG, type Take } from './bucket.ts';

/**
 * The update that draws from a key's bucket. Per limit, with t the time at which the bucket is full again:
 *
 *                now          now + tolerance - increment      now + tolerance
 *   ---- full ----|------------- draining, fits -------|---- draining, does not fit ----|
 *      t = now + increment        t = t + increment                refused
 *
 * Of a limit that others draw from as well, no instance knows which form is right: it takes the second one from now -
 * {@link SHARED_LAG} on, which is right as long as the key is busy.
 *
 * Invariant: an applied draw moves t forward by at least `increment`, to at least `now` - `SHARED_LAG` + `increment`,
 * and leaves it at most `tolerance` after the `now` that it was made with; nothing moves t back. So what a key is admitted
 * between two instants is bounded by its capacity and the refill between the slowest and the fastest clock and of that
 * lag, however many instances draw.
 * Of a key with a limit of its day, the same update counts the day:
 *
 *   day < today          day = today, day_cu = cu
 *   day = the known one  day_cu = day_cu + cu, if that is at most the limit
 *
 * Invariant: `day` never goes back, and `day_cu` is all that was drawn since it rose: whichever clock is the first past
 * midnight begins the day for all, and an instance whose clock is behind counts on it. So what a key is admitted in a day
 * is at most its limit, by the first clock.
 * A key that is not stored stays so. Whether it is active is in the item that the update returns, and not in its
 * condition: a role that may name `status` in a condition may set it as well.
 * `bucket`: as it was last seen; it decides which form is tried. `shared`: the limits that others draw from.
 */
export function bucketUpdate(
  keyId: string,
  { now, takes, ofDay }: Draw,
  bucket: Bucket,
  shared: ReadonlySet<FlowingLimit> = new Set(),
): Update {
  const flowing = takes.map((take) => {
    const { attribute } = take;
    const isShared = bucket[attribute] <= now && shared.has(attribute);
    return isShared
      ? drainingUpdate(attribute, take, now, now - SHARED_LAG)
      : limitUpdate(attribute, bucket[attribute], take, now);
  });
  const limits = ofDay === undefined ? flowing : [...flowing, dayUpdate(bucket.day, ofDay)];
  return {
    table: 'keys',
    key: { [TABLES.keys.partitionKey]: keyId },
    when: [{ is: 'present', attribute: TABLES.keys.partitionKey }, ...limits.flatMap(({ when }) => when)],
    set: Object.assign({}, ...limits.map(({ set }) => set)),
    add: Object.assign({}, ...limits.map(({ add }) => add)),
  };
}

/** Draws from one limit, as {@link bucketUpdate} describes. `fullAt`: what its attribute is expected to hold. */
export function limitUpdate(attribute: string, fullAt: bigint, take: Take, now: bigint): Changes {
  if (fullAt > now) return drainingUpdate(attribute, take, now, now);
  return { when: [absentOr(attribute, '<=', now)], set: { [attribute]: now + take.increment } };
}

/** Counts a draw of a day. `day`: the one that the item is expected to have. */
function dayUpdate(day: bigint, { today, cu, limit }: NonNullable<Draw['ofDay']>): Changes {
  if (day < today) {
    return { when: [absentOr('day', '<', today)], set: { day: today, day_cu: cu } };
  }
  return {
    when: [
      { is: '=', attribute: 'day', value: day },
      { is: '<=', attribute: 'day_cu', value: limit - cu },
    ],
    add: { day_cu: cu },
  };
}

function drainingUpdate(attribute: string, take: Take, now: bigint, after: bigint): Changes {
  return {
    when: [
      { is: '>', attribute, value: after },
      { is: '<=', attribute, value: now + take.tolerance - take.increment },
    ],
    add: { [attribute]: take.increment },
  };
}
