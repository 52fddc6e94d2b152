import type { Clock } from '../../shared/runtime/clock.ts';
import type { RandomBytes } from '../../shared/runtime/random-bytes.ts';
import type { Sleep } from '../../shared/runtime/sleep.ts';
import type { MethodUsage } from '../contract/metering.ts';
import { type Store, StoreUnavailableError } from '../store/store.ts';
import { type LaneKey, type LaneTotal, storeLane } from './lane.ts';
import { coversLane, markUnsettled, newMark } from './unsettled.ts';
import { addUsage, encodeUsage, encodeWithCodes } from './usage-text.ts';

/** A lane of this process in memory. */
export class OwnLane {
  readonly key: LaneKey;
  /** When its hour was put on the work list of settlement, in milliseconds since the epoch; undefined: never. */
  markedAtMs: number | undefined;
  /** Whether the last attempt to store it failed. */
  failing = false;
  /** When it was last stored, in milliseconds since the epoch. */
  storedAtMs = Number.NEGATIVE_INFINITY;
  /** The write that is under way: there is at most one. */
  writing: Promise<void> | undefined;
  /** Compute units that the store or the queue has. */
  safe = 0n;
  #total = 0n;
  #charges = 0;
  readonly #usage = new Map<string, MethodUsage>();

  readonly #hasCodes: boolean;

  /** `hasCodes`: whether what is stored names methods by their codes. */
  constructor(key: LaneKey, hasCodes: boolean) {
    this.key = key;
    this.#hasCodes = hasCodes;
  }

  /** Compute units charged on it so far. */
  get total(): bigint {
    return this.#total;
  }

  /** Compute units that a death of this process would lose. */
  get unsafe(): bigint {
    return this.#total - this.safe;
  }

  /** Whether nothing of what is unsafe can be with the store: no attempt was made. */
  get isHeld(): boolean {
    return this.writing === undefined && !this.failing;
  }

  /** Adds a charge. `cu`: the sum of the usage. */
  add(cu: number, usage: readonly MethodUsage[]): void {
    this.#total += BigInt(cu);
    this.#charges += 1;
    for (const line of usage) addUsage(this.#usage, line);
  }

  /** What it has come to, for the customer: `<hour>/<lane>;n=<charges>;total=<compute units>`. */
  get position(): string {
    return `${this.key.hour}/${this.key.lane};n=${this.#charges};total=${this.#total}`;
  }

  /** What it has come to. */
  state(): LaneTotal {
    const usage = [...this.#usage.values()];
    const used = this.#hasCodes ? encodeWithCodes(usage) : encodeUsage(usage);
    return { ...this.key, charges: this.#charges, total: this.#total, used };
  }
}

/** What storing works on. */
export interface Storing {
  readonly store: Store;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
}

/** When the hour of a lane was last marked; noted as soon as that is certain. */
interface Marked {
  markedAtMs: number | undefined;
}

/**
 * Stores a lane, after its hour is on the work list of settlement by a mark that covers it. Rejects with
 * `StoreUnavailableError` if the outcome is unknown.
 * `marked`: what this process knows of the mark.
 */
export async function storeBehindMark(
  { store, clock, randomBytes }: Storing,
  lane: LaneTotal,
  marked: Marked = { markedAtMs: undefined },
): Promise<void> {
  const now = clock.now();
  if (!coversLane(lane.hour, marked.markedAtMs, now)) {
    await markUnsettled(store, lane, newMark(now, randomBytes));
    marked.markedAtMs = now;
    // A process that stood still meanwhile marks again.
    if (!coversLane(lane.hour, now, clock.now()))
      throw new StoreUnavailableError('a mark took too long', false);
  }
  await storeLane(store, lane);
}

/** How often a process that runs on between requests stores what it has held back for its time, in milliseconds. */
const STORE_EVERY_MS = 500;

/** What it needs of a meter. */
interface HoldingMeter {
  storeAllDue(): Promise<void>;
}

/**
 * Stores charges that were held back for their time without waiting for a request to do it, one round after the other. An
 * environment that stands still between requests cannot; one that serves many at a time never does.
 * @param pause how it waits between two rounds
 */
export async function storeRegularly(
  meter: HoldingMeter,
  pause: Sleep,
  isOver: () => boolean = () => false,
): Promise<void> {
  while (!isOver()) {
    await pause(STORE_EVERY_MS);
    await meter.storeAllDue();
  }
}
