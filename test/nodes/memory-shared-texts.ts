import type { SharedText, SharedTextStore } from '../../lambdas/shared/upstream/sharing/shared-item.ts';
import type { Random } from '../simulation/random.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** Time that functions give the store for a response, in milliseconds. */
const STORE_TIMEOUT_MS = 150;
/** Sizes from which a write and a read cost more than a unit, and what an item has beside its text, in bytes. */
const WRITE_UNIT_BYTES = 1_024;
const READ_UNIT_BYTES = 4_096;
const OVERHEAD_BYTES = 100;
/** What DynamoDB gives one item in a second. */
export const READ_UNITS_PER_SECOND = 3_000;
export const WRITE_UNITS_PER_SECOND = 1_000;
/** Time after which every read sees a write, in milliseconds. */
const READ_LAG_MS = 20;
const MS_PER_SECOND = 1_000;
/** Seconds and texts of an item that are remembered. */
const KEPT = 3;

/** Units that an item has given, of one kind. */
class Meter {
  readonly #limit: number;
  #second = 0;
  #used = 0;
  /** In all, and in the busiest second. */
  total = 0;
  most = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether there are so many units left in this second. What is throttled costs none. */
  take(units: number, now: number): boolean {
    const second = Math.floor(now / MS_PER_SECOND);
    if (second !== this.#second) this.#used = 0;
    this.#second = second;
    if (this.#used + units > this.#limit) return false;
    this.#used += units;
    this.total += units;
    this.most = Math.max(this.most, this.#used);
    return true;
  }
}

/** An item, and what it has cost. */
export class MeteredItem {
  readonly read = new Meter(READ_UNITS_PER_SECOND);
  readonly written = new Meter(WRITE_UNITS_PER_SECOND);
  writes = 0;
  refused = 0;
  throttled = 0;
  /** What was stored, with its time. */
  texts: readonly { readonly told: SharedText; readonly at: number }[] = [];
}

/**
 * Texts in memory that instances share, with the limits that DynamoDB has for one item: it throttles by the whole size of
 * the item, and a refused condition costs what a write does. Reads see a write a moment late, unless they ask for now.
 */
export class MemorySharedTexts implements SharedTextStore {
  readonly #clock: VirtualClock;
  readonly #random: Random;
  readonly #items = new Map<string, MeteredItem>();
  /** Time until a response, in milliseconds. */
  latencyMs = 5;
  /** Share of the requests that fail, from 0 to 1. */
  failing = 0;

  constructor(clock: VirtualClock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  item(name: string): MeteredItem {
    const item = this.#items.get(name) ?? new MeteredItem();
    this.#items.set(name, item);
    return item;
  }

  /** Of all items. */
  get items(): readonly MeteredItem[] {
    return [...this.#items.values()];
  }

  async read(name: string, { isNow = false } = {}): Promise<SharedText | undefined> {
    const item = this.item(name);
    const units = Math.ceil(sizeOf(item.texts.at(-1)?.told) / READ_UNIT_BYTES) / (isNow ? 1 : 2);
    await this.#travel(item, item.read, units);
    const until = this.#clock.now() - (isNow ? 0 : READ_LAG_MS);
    return item.texts.findLast(({ at }) => at <= until)?.told;
  }

  async write(name: string, told: SharedText, read: SharedText | undefined): Promise<boolean> {
    const item = this.item(name);
    item.writes += 1;
    const before = item.texts.at(-1)?.told;
    const bytes = Math.max(sizeOf(told), sizeOf(before));
    await this.#travel(item, item.written, Math.ceil(bytes / WRITE_UNIT_BYTES));
    const stored = item.texts.at(-1)?.told.sequence;
    if (stored !== read?.sequence) {
      item.refused += 1;
      return false;
    }
    item.texts = [...item.texts.slice(1 - KEPT), { told, at: this.#clock.now() }];
    return true;
  }

  async #travel(item: MeteredItem, meter: Meter, units: number): Promise<void> {
    const fails = this.#random.chance(this.failing);
    await this.#clock.wait(Math.min(this.latencyMs, STORE_TIMEOUT_MS));
    const isThrottled = !fails && !meter.take(units, this.#clock.now());
    if (isThrottled) item.throttled += 1;
    if (fails || isThrottled || this.latencyMs > STORE_TIMEOUT_MS) throw new Error('throttled');
  }
}

function sizeOf(told: SharedText | undefined): number {
  return OVERHEAD_BYTES + (told?.text.length ?? 0);
}
