import type { Random } from './random.ts';
import type { Tally } from './tally.ts';
import type { VirtualTime } from './virtual-time.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** How often things go wrong, and how long it stays so. */
interface Conditions {
  readonly faultRate: number;
  /** Only the one fault happens that no program notices at once. @default false */
  readonly silent?: true;
  readonly minMs: number;
  readonly maxMs: number;
}

const CALM: Conditions = { faultRate: 0.002, minMs: 10 * SECOND_MS, maxMs: 60 * MINUTE_MS };
const ROUGH: Conditions = { faultRate: 0.1, minMs: 10 * SECOND_MS, maxMs: 60 * MINUTE_MS };
const OUTAGE: Conditions = { faultRate: 0.9, minMs: SECOND_MS, maxMs: 5 * MINUTE_MS };
const ECHOES: Conditions = { faultRate: 0.5, silent: true, minMs: 10 * SECOND_MS, maxMs: 60 * MINUTE_MS };
/** Conditions that follow one another; one that is named twice is twice as likely. */
const CLIMATES = {
  mild: [CALM, CALM, CALM, ROUGH, ROUGH, OUTAGE, ECHOES],
  harsh: [CALM, ROUGH, OUTAGE, OUTAGE, ECHOES],
} as const;
export type Climate = keyof typeof CLIMATES;

/** Decides which messages to one place go wrong, and how. Conditions change with time. */
export class Weather<Fault extends string> {
  readonly #parts: { readonly time: VirtualTime; readonly random: Random; readonly tally: Tally };
  readonly #place: string;
  readonly #faults: readonly [Fault, ...Fault[]];
  readonly #silentFault: Fault;
  readonly #climate: Climate;
  #conditions = CALM;
  #untilMs = 0;
  #cleared = false;

  /** `faults`: what can go wrong; one that is named twice is twice as likely. `silentFault`: is not noticed at once. */
  constructor(
    parts: { readonly time: VirtualTime; readonly random: Random; readonly tally: Tally },
    place: string,
    faults: readonly [Fault, ...Fault[]],
    silentFault: Fault,
    climate: Climate = 'mild',
  ) {
    this.#parts = parts;
    this.#place = place;
    this.#faults = faults;
    this.#silentFault = silentFault;
    this.#climate = climate;
  }

  /** Nothing goes wrong from now on. */
  clear(): void {
    this.#cleared = true;
  }

  get isClear(): boolean {
    return this.#cleared;
  }

  /** Fault of the next message; undefined: none. */
  next(): Fault | undefined {
    if (this.#cleared) return undefined;
    const { time, random, tally } = this.#parts;
    while (time.nowMs >= this.#untilMs) this.#change();
    if (!random.chance(this.#conditions.faultRate)) return undefined;
    const fault = this.#conditions.silent ? this.#silentFault : random.pick(this.#faults);
    tally.add(`fault: ${this.#place} ${fault}`);
    return fault;
  }

  #change(): void {
    const { time, random } = this.#parts;
    this.#conditions = random.pick(CLIMATES[this.#climate]);
    const from = Math.max(this.#untilMs, time.nowMs - this.#conditions.maxMs);
    this.#untilMs = from + random.magnitude(this.#conditions.minMs, this.#conditions.maxMs);
  }
}
