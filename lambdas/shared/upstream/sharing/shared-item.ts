import { isRefusal } from '../../aws/refusal.ts';
import type { Clock } from '../../runtime/clock.ts';
import { LruMap } from '../../runtime/expiring-memory.ts';
import { errorField } from '../../runtime/log.ts';
import { type Sleep, sleep } from '../../runtime/sleep.ts';
import type { Telemetry } from '../../runtime/telemetry.ts';

/** A text that instances share. */
export interface SharedText {
  /** Grows by one with each change. */
  readonly sequence: number;
  /** When it was shared, in milliseconds since the epoch by the clock of the instance that did. */
  readonly toldAt: number;
  readonly text: string;
}

/** Where instances share what they know of chains. Both methods reject when the store does not answer in its time. */
export interface SharedTextStore {
  /**
   * As it was a moment ago, or as it is now if that is asked for; undefined if no instance has shared one lately.
   * @param options `isNow` costs twice as much. @default false
   */
  read(name: string, options?: { readonly isNow?: boolean }): Promise<SharedText | undefined>;
  /** Stores a text in the place of just the one that was read; resolves to whether that was there. */
  write(name: string, text: SharedText, read: SharedText | undefined): Promise<boolean>;
}

/** For how long a store that does not answer, or an item that it refuses, is left alone, in milliseconds. */
const PAUSE_MS = 1_000;
/** Refused items that are remembered. */
const MAX_REFUSED = 1_000;

/** Asks a store about an item, by its name; `unread` if that fails, or has failed within the last second. Never rejects. */
export type AskStore = <Result>(item: string, request: () => Promise<Result>) => Promise<Result | 'unread'>;

interface AskStoreOptions {
  /** @default it is of no chain */
  readonly chain?: string;
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'log'>;
  /** What a failure is called in the log: at most once a second. */
  readonly event: string;
}

/**
 * Asks a store of what instances share. While it is away it costs what it would have said, and no response. A store that refuses
 * is there: an item that too many ask for is throttled by itself, and no other is left alone for that.
 */
export function forgiveStore({ chain, clock, telemetry, event }: AskStoreOptions): AskStore {
  let [awayUntil, toldUntil] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const refusedUntil = new LruMap<number>(MAX_REFUSED);
  return async (item, request) => {
    if (clock.now() < Math.max(awayUntil, refusedUntil.get(item) ?? awayUntil)) return 'unread';
    try {
      return await request();
    } catch (error) {
      const now = clock.now();
      if (isRefusal(error)) refusedUntil.set(item, now + PAUSE_MS);
      else awayUntil = now + PAUSE_MS;
      if (now < toldUntil) return 'unread';
      toldUntil = now + PAUSE_MS;
      telemetry.log('warn', event, { ...(chain !== undefined && { chain }), error: errorField(error) });
      return 'unread';
    }
  };
}

interface SharedItemOptions<Value> {
  /** What is known before it was read. */
  readonly first: Value;
  /** Reads it. Gets what was known before, which stays where this rejects with `asking`. */
  readonly get: (before: Value) => Promise<Value>;
  /** Least time between two readings, in milliseconds. */
  readonly intervalMs: number;
  readonly clock: Clock;
  /** How a store is asked that can be away. @default `get` does not reject */
  readonly asking?: Omit<AskStoreOptions, 'clock'>;
  /** @default the machine's timers */
  readonly wait?: Sleep | undefined;
}

/** A reading that has begun, or will. */
export interface ItemReading<Value> {
  /** When it begins, in milliseconds since the epoch. */
  readonly at: number;
  /** What is known then. */
  readonly read: Promise<Value>;
}

/**
 * What instances share of a chain, a key or a node, as this one knows it: read where it is wanted and has come of age, by one
 * reading for all that want it meanwhile. While the store is away it is what it was.
 */
export class SharedItem<Value> {
  readonly #options: SharedItemOptions<Value>;
  readonly #ask: AskStore;
  #known: Value;
  /** The last reading. */
  last: ItemReading<Value>;

  constructor(options: SharedItemOptions<Value>) {
    const { first, clock, asking } = options;
    this.#options = options;
    this.#ask = asking === undefined ? (_, request) => request() : forgiveStore({ ...asking, clock });
    this.#known = first;
    this.last = { at: Number.NEGATIVE_INFINITY, read: Promise.resolve(first) };
  }

  /** What is known by a reading within the interval. */
  lately(): Promise<Value> {
    const { intervalMs, clock } = this.#options;
    if (clock.now() - this.last.at >= intervalMs) this.#begin();
    return this.last.read;
  }

  /** A reading that has begun since a time, in milliseconds since the epoch, or will as soon as one may. */
  since(time: number): ItemReading<Value> {
    if (this.last.at < time) this.#begin();
    return this.last;
  }

  #begin(): void {
    const { intervalMs, clock, wait = sleep } = this.#options;
    const now = clock.now();
    const at = Math.max(now, this.last.at + intervalMs);
    this.last = { at, read: at > now ? wait(at - now).then(() => this.#read()) : this.#read() };
  }

  async #read(): Promise<Value> {
    const read = await this.#ask('', () => this.#options.get(this.#known));
    if (read !== 'unread') this.#known = read;
    return this.#known;
  }
}

/** One text that instances share; `unread` where the store does not answer. Neither method rejects. */
export interface SharedTextItem {
  /** @param options `isNow`: as it is now, and not as it was a moment ago. @default false */
  read(options?: { readonly isNow?: boolean }): Promise<SharedText | undefined | 'unread'>;
  /** Stores a text in the place of just the one that was read; resolves to what is stored, undefined if another one was there. */
  write(
    next: Omit<SharedText, 'sequence'>,
    read: SharedText | undefined,
  ): Promise<SharedText | undefined | 'unread'>;
}

/** The text of a name. */
export function shareText(
  name: string,
  { store, ...asking }: AskStoreOptions & { readonly store: SharedTextStore },
): SharedTextItem {
  const ask = forgiveStore(asking);
  return {
    read: (options) => ask(name, () => store.read(name, options)),
    write: ({ toldAt, text }, read) =>
      ask(name, async () => {
        const next = { sequence: (read?.sequence ?? 0) + 1, toldAt: Math.floor(toldAt), text };
        return (await store.write(name, next, read)) ? next : undefined;
      }),
  };
}

/** Whether there is a text. */
export function isText(item: SharedText | undefined | 'unread'): item is SharedText {
  return typeof item === 'object';
}
