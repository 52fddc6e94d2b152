import { LruMap } from '../../shared/runtime/lru-map.ts';
import { type Bucket, type Cost, flowingStates } from './bucket.ts';
import type { KeyPlan } from './key-limits.ts';

/** How long CU drawn ahead may be used, in milliseconds. */
export const AHEAD_VALID_MS = 1_000;
const REMEMBERED_KEYS = 10_000;
const NOTHING: Cost = { cu: 0, requests: 0 };

interface Reserve {
  /** By which it was drawn. */
  plan: KeyPlan;
  /** The rest of the CU drawn ahead. */
  left: Cost;
  /** Until when, in milliseconds since the epoch. */
  until: number;
  /** What the key used on this instance since `since`, and in the second before. */
  used: Cost;
  since: number;
  usedBefore: Cost;
}

/**
 * What this instance has drawn from buckets ahead of its requests. A reserve is used within a second of its draw, so a
 * key is admitted at most its capacity and the refill of the window, the clock spread and that second.
 */
export class DrawAhead {
  readonly #reserves = new LruMap<Reserve>(REMEMBERED_KEYS);

  /** Takes a request from the reserve of its key; false if that has too little, or was drawn by another plan. */
  take(keyId: string, plan: KeyPlan, cu: number, now: number): boolean {
    const reserve = this.#reserves.get(keyId);
    if (reserve?.plan !== plan || now >= reserve.until || now < reserve.until - AHEAD_VALID_MS) return false;
    const { left } = reserve;
    if (left.cu < cu || left.requests < 1) return false;
    reserve.left = { cu: left.cu - cu, requests: left.requests - 1 };
    this.#note(reserve, { cu, requests: 1 }, now);
    return true;
  }

  /** What to draw beside requests of a cost: as much as the key used in the last second, while its bucket stays half full. */
  wanted(
    keyId: string,
    { plan, bucket }: { readonly plan: KeyPlan; readonly bucket: Bucket },
    own: Cost,
    now: number,
  ): Cost {
    const reserve = this.#reserves.get(keyId);
    if (!plan.drawAhead || reserve === undefined) return NOTHING;
    const age = now - reserve.since;
    const used = age < AHEAD_VALID_MS ? larger(reserve.used, reserve.usedBefore) : reserve.used;
    if (age < 0 || age >= 2 * AHEAD_VALID_MS) return NOTHING;
    const fits = flowingStates(plan, bucket, now).every(({ name, quota, remaining }) => {
      const drawn = name === 'cu' ? own.cu + used.cu : own.requests + used.requests;
      return remaining - drawn >= quota / 2;
    });
    return fits ? used : NOTHING;
  }

  /** Records the draw of requests' cost by a plan, with what it drew ahead. `now`: the time of the draw. */
  put(keyId: string, plan: KeyPlan, { own, ahead }: { own: Cost; ahead: Cost }, now: number): void {
    const reserve = this.#reserves.get(keyId) ?? {
      plan,
      left: NOTHING,
      until: 0,
      used: NOTHING,
      since: now,
      usedBefore: NOTHING,
    };
    reserve.plan = plan;
    reserve.left = ahead;
    reserve.until = now + AHEAD_VALID_MS;
    this.#note(reserve, own, now);
    this.#reserves.set(keyId, reserve);
  }

  /** Discards the CU drawn ahead for a key that is no longer active. */
  drop(keyId: string): void {
    this.#reserves.delete(keyId);
  }

  #note(reserve: Reserve, own: Cost, now: number): void {
    const age = now - reserve.since;
    if (age < 0 || age >= AHEAD_VALID_MS) {
      reserve.usedBefore = age < 2 * AHEAD_VALID_MS ? reserve.used : NOTHING;
      reserve.used = NOTHING;
      reserve.since = now;
    }
    reserve.used = { cu: reserve.used.cu + own.cu, requests: reserve.used.requests + own.requests };
  }
}

function larger(one: Cost, other: Cost): Cost {
  return one.cu >= other.cu ? one : other;
}
