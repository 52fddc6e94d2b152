import { type Bucket, type Cost, decide, drawOf } from './bucket/bucket.ts';
import type { DrawAhead } from './bucket/draw-ahead.ts';
import { type Drawing, type Drawn, drawFromBucket } from './bucket/draw-bucket.ts';
import type { KeyPlan } from './bucket/key-limits.ts';
import type { KeyCache } from './keys/key-cache.ts';

const NOTHING: Cost = { cu: 0, requests: 0 };

/** A request that asks to be drawn for. */
export interface AskedDraw {
  readonly cu: number;
  /** When it arrived, in milliseconds since the epoch. */
  readonly now: number;
}

/** What became of a draw, for one of the requests that it was for. */
export type DrawnRequest =
  | { readonly state: 'drawn'; readonly bucket: Bucket }
  | Exclude<Drawn, { state: 'drawn' }>;

/** What the draws of a process work on. */
export interface KeyDrawing extends Drawing {
  readonly keys: Pick<KeyCache, 'confirm'>;
  readonly ahead: DrawAhead;
}

interface Waiting extends AskedDraw {
  readonly plan: KeyPlan;
  readonly resolve: (drawn: DrawnRequest) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The draws of one process. A key that is drawn from ahead has one draw under way at a time: requests that come meanwhile take what it
 * has drawn ahead, and the next draw is for all the others. So a key has as many writes a second as one process can make one after
 * the other, however many requests it has at a time. At most all requests of the process wait, each for two draws.
 */
export class KeyDraws {
  readonly #parts: KeyDrawing;
  /** Of each key that a draw is under way for, the requests that came meanwhile. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(parts: KeyDrawing) {
    this.#parts = parts;
  }

  /** Draws for a request, and further ones ahead if the plan lets it and the key is busy in this process. */
  async draw(keyId: string, plan: KeyPlan, asked: AskedDraw): Promise<DrawnRequest> {
    if (!plan.drawAhead) return this.#drawTogether(keyId, plan, [asked]);
    const waiting = this.#waiting.get(keyId);
    if (waiting !== undefined)
      return new Promise((resolve, reject) => waiting.push({ ...asked, plan, resolve, reject }));
    this.#waiting.set(keyId, []);
    try {
      return await this.#drawTogether(keyId, plan, [asked]);
    } finally {
      void this.#goOn(keyId);
    }
  }

  /** Serves the requests that wait, until none has come meanwhile. */
  async #goOn(keyId: string): Promise<void> {
    const { ahead, buckets } = this.#parts;
    const waiting = this.#waiting.get(keyId) ?? [];
    while (waiting.length > 0) {
      const left = waiting.splice(0).filter(({ plan, cu, now, resolve }) => {
        const isTaken = ahead.take(keyId, plan, cu, now);
        if (isTaken) resolve({ state: 'drawn', bucket: buckets.recall(keyId) });
        return !isTaken;
      });
      for (const [plan, some] of Map.groupBy(left, (one) => one.plan)) await this.#drawAll(keyId, plan, some);
    }
    this.#waiting.delete(keyId);
  }

  /** One draw for all that fit what is known of the bucket; the others are decided one by one. */
  async #drawAll(keyId: string, plan: KeyPlan, waiting: readonly Waiting[]): Promise<void> {
    const bucket = this.#parts.buckets.recall(keyId);
    const together: Waiting[] = [];
    const alone: Waiting[] = [];
    for (const one of waiting) (fits(plan, bucket, [...together, one]) ? together : alone).push(one);
    if (together.length > 0) await this.#settle(keyId, plan, together);
    await Promise.all(alone.map((one) => this.#settle(keyId, plan, [one])));
  }

  /** Tells requests what became of their draw; one that did not fit for all is made for each. */
  async #settle(keyId: string, plan: KeyPlan, waiting: readonly Waiting[]): Promise<void> {
    try {
      const drawn = await this.#drawTogether(keyId, plan, waiting);
      if (drawn.state === 'refused' && waiting.length > 1)
        await Promise.all(waiting.map((one) => this.#settle(keyId, plan, [one])));
      else for (const { resolve } of waiting) resolve(drawn);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }

  async #drawTogether(keyId: string, plan: KeyPlan, requests: readonly AskedDraw[]): Promise<DrawnRequest> {
    const { ahead, buckets, keys } = this.#parts;
    const own = costOf(requests);
    const now = lastOf(requests);
    const more = ahead.wanted(keyId, { plan, bucket: buckets.recall(keyId) }, own, now);
    const drawn = await drawFromBucket(this.#parts, keyId, drawOf(plan, sum(own, more), now));
    if (drawn.state === 'drawn') keys.confirm(keyId, drawn.item, now);
    if (drawn.state === 'drawn' && plan.drawAhead) ahead.put(keyId, plan, { own, ahead: more }, now);
    if (drawn.state === 'inactive') ahead.drop(keyId);
    if (drawn.state !== 'refused' || more.requests === 0) return drawn;
    return drawFromBucket(this.#parts, keyId, drawOf(plan, own, now));
  }
}

/** Whether a bucket has room for requests together. A draw of more than it holds when it is full cannot be decided. */
function fits(plan: KeyPlan, bucket: Bucket, requests: readonly AskedDraw[]): boolean {
  const cost = costOf(requests);
  const { bucketCapacity, requestsPerSecond = cost.requests } = plan;
  if (cost.cu > bucketCapacity || cost.requests > requestsPerSecond) return false;
  return decide(bucket, drawOf(plan, cost, lastOf(requests))).fits;
}

function costOf(requests: readonly AskedDraw[]): Cost {
  return requests.reduce((cost, { cu }) => sum(cost, { cu, requests: 1 }), NOTHING);
}

/** When the last of them arrived: none of them was drawn for earlier. */
function lastOf(requests: readonly AskedDraw[]): number {
  return Math.max(...requests.map(({ now }) => now));
}

function sum(one: Cost, other: Cost): Cost {
  return { cu: one.cu + other.cu, requests: one.requests + other.requests };
}
