import { LruMap } from '../shared/runtime/expiring-memory.ts';
import { DrawsTogether } from '../shared/runtime/together.ts';
import { type Bucket, type Cost, drawOf, FULL_BUCKET, flowingStates, type KeyPlan } from './bucket/bucket.ts';
import { type Drawing, type Drawn, drawFromBucket } from './bucket/draw-bucket.ts';
import type { KeyCache } from './keys/key-cache.ts';

/** How long CU drawn ahead may be used, in milliseconds. */
const AHEAD_VALID_MS = 1_000;
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

/** A request that a draw is needed for. */
interface AskedDraw {
  readonly cu: number;
  /** When it arrived, in milliseconds since the epoch. */
  readonly now: number;
}

/** The outcome of a draw for one of its requests. */
export type DrawnRequest =
  | { readonly state: 'drawn'; readonly bucket: Bucket }
  | Exclude<Drawn, { state: 'drawn' }>;

/** The dependencies of the draws of a process. */
interface KeyDrawing extends Drawing {
  readonly keys: Pick<KeyCache, 'confirm'>;
  readonly ahead: DrawAhead;
}

type PlannedDraw = AskedDraw & { readonly plan: KeyPlan };

/** Of requests that are not drawn for together: a draw above the capacity of a full bucket cannot be decided. */
const NOT_TOGETHER: DrawnRequest = {
  state: 'refused',
  bucket: FULL_BUCKET,
  decision: { fits: false, limit: 'cu', retryAfterMs: 0 },
};

/**
 * The draws of one process. If a plan draws ahead, those of a key go together: requests that arrive while one is under way take
 * from what it has drawn ahead; the next draw serves all the others.
 */
export class KeyDraws {
  readonly #parts: KeyDrawing;
  readonly #draws: DrawsTogether<PlannedDraw, DrawnRequest>;

  constructor(parts: KeyDrawing) {
    this.#parts = parts;
    const { ahead, buckets } = parts;
    this.#draws = new DrawsTogether({
      ahead: (keyId, { plan, cu, now }) =>
        ahead.take(keyId, plan, cu, now) ? { state: 'drawn', bucket: buckets.recall(keyId) } : undefined,
      draw: (keyId, asked) => this.#draw(keyId, asked),
      isRefused: ({ state }) => state === 'refused',
    });
  }

  /** Draws for a request, and ahead for further ones if the plan allows it and the key is busy in this process. */
  draw(keyId: string, plan: KeyPlan, asked: AskedDraw): Promise<DrawnRequest> {
    const planned = { ...asked, plan };
    return plan.drawAhead ? this.#draws.ask(keyId, planned) : this.#draw(keyId, [planned]);
  }

  async #draw(keyId: string, asked: readonly PlannedDraw[]): Promise<DrawnRequest> {
    const { ahead, buckets, keys } = this.#parts;
    const { plan } = asked[0] as PlannedDraw;
    const own = costOf(asked);
    const { bucketCapacity, requestsPerSecond = own.requests } = plan;
    const isTooMuch = own.cu > bucketCapacity || own.requests > requestsPerSecond;
    if (asked.length > 1 && (isTooMuch || asked.some((one) => one.plan !== plan))) return NOT_TOGETHER;
    // Arrival of the last request: the draw cannot be earlier.
    const now = Math.max(...asked.map((one) => one.now));
    const more = ahead.wanted(keyId, { plan, bucket: buckets.recall(keyId) }, own, now);
    const drawn = await drawFromBucket(this.#parts, keyId, drawOf(plan, sum(own, more), now));
    if (drawn.state === 'drawn') keys.confirm(keyId, drawn.item, now);
    if (drawn.state === 'drawn' && plan.drawAhead) ahead.put(keyId, plan, { own, ahead: more }, now);
    if (drawn.state === 'inactive') ahead.drop(keyId);
    if (drawn.state !== 'refused' || more.requests === 0) return drawn;
    return drawFromBucket(this.#parts, keyId, drawOf(plan, own, now));
  }
}

function costOf(requests: readonly AskedDraw[]): Cost {
  return requests.reduce((cost, { cu }) => sum(cost, { cu, requests: 1 }), NOTHING);
}

function sum(one: Cost, other: Cost): Cost {
  return { cu: one.cu + other.cu, requests: one.requests + other.requests };
}
