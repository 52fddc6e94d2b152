import type { Clock } from '../../../lambdas/shared/runtime/clock.ts';
import type { Sleep } from '../../../lambdas/shared/runtime/sleep.ts';
import type { Random } from '../random.ts';
import type { Tally } from '../tally.ts';
import type { VirtualTime } from '../virtual-time.ts';

/** Chance, with each message, that the process dies before it is sent, or before its response is read. */
const DEATH_RATE = 0.000_5;
/** Chance, with each message, that the clock is set anew. */
const CLOCK_STEP_RATE = 0.000_5;
/** Chance, with each message, that the process stands still for a while before it reads the response. */
const FREEZE_RATES: Readonly<Record<ProcessRole, number>> = {
  gateway: 0.001,
  charges: 0.01,
  settlement: 0.02,
  seal: 0.02,
  audit: 0.01,
  operator: 0.01,
  balances: 0.000_5,
  status: 0.01,
};
const MAX_FREEZE_MS = 70 * 60_000;

/** Purpose of a process. */
export type ProcessRole =
  | 'gateway'
  | 'charges'
  | 'settlement'
  | 'seal'
  | 'audit'
  | 'operator'
  | 'balances'
  | 'status';

/** The world of the processes. */
export interface Machine {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly tally: Tally;
  /** Furthest that a clock is off, in milliseconds. */
  readonly maxSkewMs: number;
}

/** Faults that a process has met on its ways to lanes and work list, and to the queue of charges. */
export interface ProcessFaults {
  store: number;
  queue: number;
}

/** Clocks that were in use. */
export class ClockSpread {
  #slowestMs = Number.POSITIVE_INFINITY;
  #fastestMs = Number.NEGATIVE_INFINITY;

  see(offsetMs: number): void {
    this.#slowestMs = Math.min(this.#slowestMs, offsetMs);
    this.#fastestMs = Math.max(this.#fastestMs, offsetMs);
  }

  /** Difference of the fastest and the slowest clock, in milliseconds. */
  get spreadMs(): number {
    return Math.max(0, this.#fastestMs - this.#slowestMs);
  }
}

/**
 * One life of a process. All that it does outside of itself goes through {@link send} and {@link receive}: a
 * process that is dead does neither, so nothing that waits for a response in it ever continues.
 */
export class SimulatedProcess {
  readonly role: ProcessRole;
  readonly #machine: Machine;
  readonly #spread: ClockSpread;
  #mortal: boolean;
  #alive = true;
  #offsetMs = 0;
  #frozenUntilMs = 0;
  #expiredUntilMs = 0;
  #diedMs = Number.POSITIVE_INFINITY;
  #hasEnded = false;

  readonly faults: ProcessFaults = { store: 0, queue: 0 };

  /** `mortal`: whether it may die, stand still and have a wrong clock. */
  constructor(role: ProcessRole, machine: Machine, spread: ClockSpread, mortal: boolean) {
    this.role = role;
    this.#machine = machine;
    this.#spread = spread;
    this.#mortal = mortal;
    if (mortal) this.#setClock();
  }

  readonly clock: Clock = { now: () => this.#machine.time.nowMs + this.#offsetMs };

  readonly pause: Sleep = (durationMs) =>
    new Promise((resolve) => {
      this.receive(this.#machine.time.nowMs + durationMs, resolve);
    });

  /** Of the run that it is in. */
  get time(): VirtualTime {
    return this.#machine.time;
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** When it died, in milliseconds; no end: it lives. */
  get diedMs(): number {
    return this.#diedMs;
  }

  /** Whether its services refuse what it signs. */
  get isExpired(): boolean {
    return this.#mortal && this.#machine.time.nowMs < this.#expiredUntilMs;
  }

  /** Dies, if it may. */
  die(): void {
    if (!this.#alive || !this.#mortal) return;
    this.#alive = false;
    this.#diedMs = this.#machine.time.nowMs;
    this.#machine.tally.add('processes died');
  }

  /** Whether it ended by itself, with all that it had to do done. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Ends by itself. */
  end(): void {
    if (!this.#alive || !this.#mortal) return;
    this.#hasEnded = true;
    this.#machine.tally.add('processes that ended by themselves');
    this.die();
  }

  /** Lives on, with a clock that goes right, as long as it is needed. */
  protect(): void {
    this.#mortal = false;
  }

  /** Stands still for a time, if it may: nothing that it waits for reaches it before that is over. */
  standStill(durationMs: number): void {
    if (!this.#alive || !this.#mortal) return;
    const { tally, time } = this.#machine;
    tally.add('processes frozen');
    this.faults.store += 1;
    this.#frozenUntilMs = Math.max(this.#frozenUntilMs, time.nowMs + durationMs);
  }

  /** Its credentials have expired, and it gets new ones only after a time. */
  expireCredentials(durationMs: number): void {
    this.#expiredUntilMs = this.#machine.time.nowMs + durationMs;
  }

  /** Whether a message leaves. */
  send(): boolean {
    if (!this.#alive) return false;
    if (!this.#mortal) return true;
    const { random } = this.#machine;
    if (random.chance(DEATH_RATE)) this.die();
    if (random.chance(CLOCK_STEP_RATE)) this.#setClock();
    if (random.chance(FREEZE_RATES[this.role])) this.standStill(random.magnitude(1, MAX_FREEZE_MS));
    return this.#alive;
  }

  /** Goes on at a time, or later if the process stands still, or never if it is dead by then. */
  receive(timeMs: number, goOn: () => void): void {
    const { time, random } = this.#machine;
    time.at(Math.max(timeMs, this.#frozenUntilMs), () => {
      if (!this.#alive) return;
      if (time.nowMs < this.#frozenUntilMs) return this.receive(this.#frozenUntilMs, goOn);
      if (this.#mortal && random.chance(DEATH_RATE)) return this.die();
      goOn();
    });
  }

  #setClock(): void {
    const { random, maxSkewMs } = this.#machine;
    this.#offsetMs = random.integer(-maxSkewMs, maxSkewMs);
    this.#spread.see(this.#offsetMs);
    this.#machine.tally.add('clocks set');
  }
}
