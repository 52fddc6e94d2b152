import type { MethodUsage } from '../contract/metering.ts';
import type { LaneKey, LaneTotal } from './lane.ts';
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
