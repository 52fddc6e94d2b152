import { LruMap } from './expiring-memory.ts';

/** One of several that are drawn for together. */
interface Waiting<Asked, Drawn> {
  readonly asked: Asked;
  readonly resolve: (drawn: Drawn) => void;
  readonly reject: (error: unknown) => void;
}

/** How a process draws from the buckets of one kind. */
interface SharedBucketOptions<Asked, Drawn> {
  /** What is known without a draw, such as that enough was drawn ahead. @default each needs a draw */
  readonly known?: (name: string, asked: Asked) => Drawn | undefined;
  /** Draws for some, all or nothing. What it rejects with, each of them rejects with. */
  readonly draw: (name: string, asked: readonly Asked[]) => Promise<Drawn>;
  /** Whether a draw got nothing, so that fewer may. */
  readonly isRefused: (drawn: Drawn) => boolean;
}

/**
 * The draws of a process from buckets that all processes share: while one from a bucket is under way, all that come are the
 * next one together. So the writes to an item follow one another, however many requests of a process wait. What has no room
 * for all is tried in halves: a draw that is refused is mostly refused without a write.
 */
export class SharedBucket<Asked, Drawn> {
  readonly #options: SharedBucketOptions<Asked, Drawn>;
  /** For each bucket with a draw under way: those that came meanwhile. */
  readonly #waiting = new Map<string, Waiting<Asked, Drawn>[]>();

  constructor(options: SharedBucketOptions<Asked, Drawn>) {
    this.#options = options;
  }

  /** Draws for one from the bucket of a name, with those that wait for it already. */
  draw(name: string, asked: Asked): Promise<Drawn> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(name);
      if (waiting !== undefined) waiting.push({ asked, resolve, reject });
      else void this.#settleAll(name, [{ asked, resolve, reject }]);
    });
  }

  async #settleAll(name: string, waiting: Waiting<Asked, Drawn>[]): Promise<void> {
    this.#waiting.set(name, waiting);
    while (waiting.length > 0) await this.#settle(name, waiting.splice(0));
    this.#waiting.delete(name);
  }

  async #settle(name: string, all: readonly Waiting<Asked, Drawn>[]): Promise<void> {
    const open = all.filter(({ asked, resolve }) => {
      const known = this.#options.known?.(name, asked);
      if (known !== undefined) resolve(known);
      return known === undefined;
    });
    if (open.length === 0) return;
    try {
      const asked = open.map((one) => one.asked);
      const drawn = await this.#options.draw(name, asked);
      if (open.length === 1 || !this.#options.isRefused(drawn))
        for (const { resolve } of open) resolve(drawn);
      else {
        const half = Math.ceil(open.length / 2);
        await this.#settle(name, open.slice(0, half));
        await this.#settle(name, open.slice(half));
      }
    } catch (error) {
      for (const { reject } of open) reject(error);
    }
  }
}

/** What is drawn of each limit of a bucket. */
type Amounts<Limit extends string> = Readonly<Record<Limit, number>>;

/** What a process has drawn from one bucket and not used. */
interface Reserve<Limit extends string> {
  /** The terms that it was drawn by. */
  by: unknown;
  /** Below zero: what was used beyond it. */
  left: Amounts<Limit>;
  /** In milliseconds since the epoch. */
  drawnAt: number;
  /** What was used since `since`, and in as long a time before. */
  used: Amounts<Limit>;
  since: number;
  usedBefore: Amounts<Limit>;
}

/** How a process draws ahead. */
interface ReserveOptions<Limit extends string> {
  readonly nothing: Amounts<Limit>;
  /** How long what was drawn ahead may be used, in milliseconds: what is left then was for nothing. */
  readonly validMs: number;
  /** Whether what is left may be exceeded, and is then owed to the next draw. @default false */
  readonly mayOwe?: boolean;
}

const REMEMBERED_RESERVES = 10_000;

/** What a process has drawn ahead, by the names of buckets: as much as it used lately, so that most requests need no draw. */
export class Reserves<Limit extends string> {
  readonly #options: ReserveOptions<Limit>;
  readonly #reserves = new LruMap<Reserve<Limit>>(REMEMBERED_RESERVES);

  constructor(options: ReserveOptions<Limit>) {
    this.#options = options;
  }

  /** Uses what was drawn ahead; false if that is too little, or was drawn by other terms. */
  use(name: string, by: unknown, amounts: Amounts<Limit>, now: number): boolean {
    const { validMs, mayOwe = false } = this.#options;
    const reserve = this.#reserves.get(name);
    if (
      reserve === undefined ||
      reserve.by !== by ||
      now < reserve.drawnAt ||
      now >= reserve.drawnAt + validMs
    )
      return false;
    const { left } = reserve;
    const after = combined(left, amounts, (one, amount) => one - amount);
    // Amounts are whole numbers.
    if (Object.values<number>(mayOwe ? left : after).some((one) => one < (mayOwe ? 1 : 0))) return false;
    reserve.left = after;
    this.#note(reserve, amounts, now);
    return true;
  }

  /** As much as was used of a bucket in the last `validMs`, or is owed to it. */
  lately(name: string, now: number): Amounts<Limit> {
    const { nothing, validMs } = this.#options;
    const reserve = this.#reserves.get(name);
    if (reserve === undefined) return nothing;
    const { left, used, usedBefore } = reserve;
    const age = now - reserve.since;
    const inWindow = age < validMs ? combined(used, usedBefore, Math.max) : used;
    const isOver = age < 0 || age >= 2 * validMs;
    return combined(isOver ? nothing : inWindow, left, (amount, one) => Math.max(amount, -one));
  }

  /** What was used of a bucket beyond its draws. */
  owed(name: string): Amounts<Limit> {
    const { nothing } = this.#options;
    const { left = nothing } = this.#reserves.get(name) ?? {};
    return combined(nothing, left, (none, one) => Math.max(none, -one));
  }

  /** Records a draw by some terms: what it was needed for, and what is left of it. `now`: the time of the draw. */
  put(
    name: string,
    by: unknown,
    { own, ahead }: { own: Amounts<Limit>; ahead: Amounts<Limit> },
    now: number,
  ): void {
    const { nothing } = this.#options;
    const before = this.#reserves.get(name) ?? {
      left: nothing,
      used: nothing,
      usedBefore: nothing,
      since: now,
    };
    const left = combined(ahead, before.left, (one, other) => one + Math.min(0, other));
    const reserve = { ...before, by, left, drawnAt: now };
    this.#note(reserve, own, now);
    this.#reserves.set(name, reserve);
  }

  /** Gives up what was drawn ahead, and learns anew how much is used. What is owed stays. */
  drop(name: string): void {
    const { nothing } = this.#options;
    const reserve = this.#reserves.get(name);
    if (reserve === undefined) return;
    reserve.left = combined(reserve.left, nothing, Math.min);
    reserve.used = nothing;
    reserve.usedBefore = nothing;
  }

  #note(reserve: Reserve<Limit>, amounts: Amounts<Limit>, now: number): void {
    const { nothing, validMs } = this.#options;
    const age = now - reserve.since;
    if (age < 0 || age >= validMs) {
      reserve.usedBefore = age < 2 * validMs ? reserve.used : nothing;
      reserve.used = nothing;
      reserve.since = now;
    }
    reserve.used = combined(reserve.used, amounts, (one, other) => one + other);
  }
}

function combined<Limit extends string>(
  amounts: Amounts<Limit>,
  others: Amounts<Limit>,
  by: (amount: number, other: number) => number,
): Amounts<Limit> {
  const both: Record<Limit, number> = { ...amounts };
  for (const limit in both) both[limit] = by(amounts[limit], others[limit]);
  return both;
}

/** The pause of a process that a bucket has refused, in milliseconds. */
interface RefusalPause {
  readonly firstMs: number;
  readonly maxMs: number;
  /** Refusals before, each of which doubles it. */
  readonly refusals?: number;
  /** Time after which there is room, as far as is known. */
  readonly waitMs?: number;
}

/** A pause after a refusal, in milliseconds: not together with other processes. `random`: from 0 to 1. */
export function pauseAfterRefusal(
  { firstMs, maxMs, refusals = 0, waitMs = 0 }: RefusalPause,
  random: number,
): number {
  return Math.min(maxMs, Math.max(waitMs, firstMs * 2 ** refusals)) * (1 + random);
}
