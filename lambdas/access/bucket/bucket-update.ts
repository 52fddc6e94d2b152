import type { Condition, Update } from '../store/store.ts';
import type { Consumption, LimitConsumption, UpdateForm } from './bucket.ts';

/**
 * The update that draws from a key's bucket. Per limit, with t the time at which the bucket is full again:
 *
 *                now          now + tolerance - increment      now + tolerance
 *   ---- full ----|------------- draining, fits -------|---- draining, does not fit ----|
 *      t = now + increment        t = t + increment                refused
 *
 * Invariant: an applied draw moves t forward by at least `increment` and leaves it at most `tolerance` after the
 * `now` that it was made with; nothing moves t back. So what a key is admitted between two instants is bounded by
 * its capacity and the refill between the slowest and the fastest clock, however many instances draw.
 * A key that is not active admits nothing.
 */
export function bucketUpdate(
  keyId: string,
  draw: Consumption,
  forms: { readonly tat: UpdateForm; readonly rt: UpdateForm | undefined },
): Update {
  const limits = [limitUpdate('tat', draw.tat, forms.tat, draw.now)];
  if (draw.rt !== undefined && forms.rt !== undefined) {
    limits.push(limitUpdate('rt', draw.rt, forms.rt, draw.now));
  }
  return {
    table: 'keys',
    key: { key_id: keyId },
    when: [{ is: '=', attribute: 'status', value: 'active' }, ...limits.flatMap((limit) => limit.when)],
    set: Object.fromEntries(limits.flatMap((limit) => Object.entries(limit.set))),
    add: Object.fromEntries(limits.flatMap((limit) => Object.entries(limit.add))),
  };
}

/** The part of an update that draws from one limit. */
export interface LimitUpdate {
  readonly when: Condition;
  readonly set: Readonly<Record<string, bigint>>;
  readonly add: Readonly<Record<string, bigint>>;
}

/** Draws from the limit whose time an attribute holds, as {@link bucketUpdate} describes. */
export function limitUpdate(
  attribute: string,
  take: LimitConsumption,
  form: UpdateForm,
  now: bigint,
): LimitUpdate {
  if (form === 'full') {
    return {
      when: [
        [
          { is: 'absent', attribute },
          { is: '<=', attribute, value: now },
        ],
      ],
      set: { [attribute]: now + take.increment },
      add: {},
    };
  }
  return {
    when: [
      { is: '>', attribute, value: now },
      { is: '<=', attribute, value: now + take.tolerance - take.increment },
    ],
    set: {},
    add: { [attribute]: take.increment },
  };
}
