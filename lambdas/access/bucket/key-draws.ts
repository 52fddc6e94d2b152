import { Reserves, SharedBucket } from '../../shared/runtime/shared-bucket.ts';
import type { Item } from '../store/store.ts';
import { type Bucket, type Cost, drawOf, FULL_BUCKET, flowingStates, type KeyPlan } from './bucket.ts';
import { type Drawing, type Drawn, drawFromBucket } from './draw-bucket.ts';

/** How long CU drawn ahead may be used, in milliseconds. */
const AHEAD_VALID_MS = 1_000;
const NOTHING: Cost = { cu: 0, requests: 0 };

/**
 * What this instance has drawn from buckets ahead of its requests. A reserve is used within a second of its draw, so a
 * key is admitted at most its capacity and the refill of the window, the clock spread and that second.
 */
export class DrawAhead extends Reserves<keyof Cost> {
  constructor() {
    super({ nothing: NOTHING, validMs: AHEAD_VALID_MS });
  }

  /** Takes a request from the reserve of its key; false if that has too little, or was drawn by another plan. */
  take(keyId: string, plan: KeyPlan, cu: number, now: number): boolean {
    return plan.drawAhead && this.use(keyId, plan, { cu, requests: 1 }, now);
  }

  /** What to draw beside requests of a cost: as much as the key used in the last second, while its bucket stays half full. */
  wanted(
    keyId: string,
    { plan, bucket }: { readonly plan: KeyPlan; readonly bucket: Bucket },
    own: Cost,
    now: number,
  ): Cost {
    if (!plan.drawAhead) return NOTHING;
    const used = this.lately(keyId, now);
    const fits = flowingStates(plan, bucket, now).every(({ name, quota, remaining }) => {
      const drawn = name === 'cu' ? own.cu + used.cu : own.requests + used.requests;
      return remaining - drawn >= quota / 2;
    });
    return fits ? used : NOTHING;
  }
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
  readonly ahead: DrawAhead;
  /** Called with the item of an active key as a draw has left it. */
  readonly confirm: (keyId: string, item: Item, now: number) => void;
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
  readonly #draws: SharedBucket<PlannedDraw, DrawnRequest>;

  constructor(parts: KeyDrawing) {
    this.#parts = parts;
    const { ahead, buckets } = parts;
    this.#draws = new SharedBucket({
      known: (keyId, { plan, cu, now }) =>
        ahead.take(keyId, plan, cu, now) ? { state: 'drawn', bucket: buckets.recall(keyId) } : undefined,
      draw: (keyId, asked) => this.#draw(keyId, asked),
      isRefused: ({ state }) => state === 'refused',
    });
  }

  /** Draws for a request, and ahead for further ones if the plan allows it and the key is busy in this process. */
  draw(keyId: string, plan: KeyPlan, asked: AskedDraw): Promise<DrawnRequest> {
    const planned = { ...asked, plan };
    return plan.drawAhead ? this.#draws.draw(keyId, planned) : this.#draw(keyId, [planned]);
  }

  async #draw(keyId: string, asked: readonly PlannedDraw[]): Promise<DrawnRequest> {
    const { ahead, buckets, confirm } = this.#parts;
    const { plan } = asked[0] as PlannedDraw;
    const own = costOf(asked);
    const { bucketCapacity, requestsPerSecond = own.requests } = plan;
    const isTooMuch = own.cu > bucketCapacity || own.requests > requestsPerSecond;
    if (asked.length > 1 && (isTooMuch || asked.some((one) => one.plan !== plan))) return NOT_TOGETHER;
    // Arrival of the last request: the draw cannot be earlier.
    const now = Math.max(...asked.map((one) => one.now));
    const more = ahead.wanted(keyId, { plan, bucket: buckets.recall(keyId) }, own, now);
    const drawn = await drawFromBucket(this.#parts, keyId, drawOf(plan, sum(own, more), now));
    if (drawn.state === 'drawn') confirm(keyId, drawn.item, now);
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
