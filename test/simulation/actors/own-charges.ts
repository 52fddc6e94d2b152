import type { ChargeOutcome } from '../../../lambdas/access/contract/metering.ts';
import type { ProcessFaults, SimulatedProcess } from './simulated-process.ts';

/** One charge of a process. */
export interface WitnessedCharge {
  readonly cu: number;
  /** Total that the process has charged to the account in the hour, this charge included. */
  readonly position: bigint;
  /** Faults that the process had met when the charge began. */
  readonly before: ProcessFaults;
  /** Undefined: it is under way. */
  outcome: ChargeOutcome | undefined;
  /** Faults that the process had met when it ended. */
  after: ProcessFaults;
  /** When it ended, in milliseconds; no end: it is under way. */
  endedMs: number;
}

/** Why compute units that were answered are not charged. */
export type LossCause = 'killed under way' | 'killed while held back' | 'killed after all refused';

/** Compute units that are not charged, by cause, and those that no fault explains. */
export interface Loss {
  readonly causes: ReadonlyMap<LossCause, bigint>;
  readonly unexplained: string | undefined;
}

/**
 * What one process charged to one account in one hour, counted apart from the code under test, and the budget of its
 * loss: what a death may lose is what was under way, what was held back on purpose, and what faults kept from both
 * store and queue.
 */
export class OwnCharges {
  readonly process: SimulatedProcess;
  readonly account: string;
  readonly hour: string;
  /** Name of the lane that it writes. */
  lane: string | undefined;
  /** Sort key of the lane that clients are told of. */
  toldLane: string | undefined;
  /** Total of that lane. */
  stored = 0n;
  #total = 0n;
  /** Total that the process knows to be with the store or the queue. */
  #safe = 0n;
  readonly #charges: WitnessedCharge[] = [];
  /** How many charges it had made at each total. */
  readonly #positions = new Map<bigint, number>();

  constructor(process: SimulatedProcess, account: string, hour: string) {
    this.process = process;
    this.account = account;
    this.hour = hour;
  }

  begin(cu: number, faults: ProcessFaults): WitnessedCharge {
    this.#total += BigInt(cu);
    this.#positions.set(this.#total, this.#charges.length + 1);
    const before = { ...faults };
    const endedMs = Number.POSITIVE_INFINITY;
    const charge = { cu, position: this.#total, before, outcome: undefined, after: before, endedMs };
    this.#charges.push(charge);
    return charge;
  }

  end(charge: WitnessedCharge, outcome: ChargeOutcome, faults: ProcessFaults): void {
    charge.outcome = outcome;
    charge.after = { ...faults };
    charge.endedMs = this.process.time.nowMs;
    if ((outcome === 'stored' || outcome === 'queued') && charge.position > this.#safe)
      this.#safe = charge.position;
  }

  /** Sees what a client is told that its lane has come to with a charge; says what is wrong with that. */
  seePosition({ position }: WitnessedCharge, told: string | undefined): string | undefined {
    const [lane = ''] = told?.split(';') ?? [];
    const right = `${lane};n=${this.#positions.get(position)};total=${position}`;
    if (told !== right || !lane.startsWith(`${this.hour}/`)) return `a client is told ${told}, not ${right}`;
    const stored = lane.replace('/', '#');
    this.toldLane ??= stored;
    return this.toldLane === stored ? undefined : `clients are told of ${this.toldLane} and ${stored}`;
  }

  /** Sees what its lane holds now; says what is wrong with that. */
  see(total: bigint, charges: bigint): string | undefined {
    if (total < this.stored) return `a lane fell from ${this.stored} to ${total} CU`;
    if (total > this.#total) return `a lane holds ${total} CU, and ${this.#total} were answered`;
    if (charges !== BigInt(this.#positions.get(total) ?? -1))
      return `a lane holds ${charges} charges of ${total} CU, at which its process never was`;
    this.stored = total;
    return undefined;
  }

  /** Charges that it had made at a total; undefined: it never was there. */
  chargesAt(total: bigint): number | undefined {
    return this.#positions.get(total);
  }

  /** Compute units that are not charged in the end. `heldBackMs`: time for which a process may hold a charge back if no fault stops it. */
  loss(heldBackMs: number): Loss {
    const causes = new Map<LossCause, bigint>();
    const add = (cause: LossCause, cu: number) => causes.set(cause, (causes.get(cause) ?? 0n) + BigInt(cu));
    const lost = this.#charges.filter(({ position }) => position > this.stored);
    const name = `account ${this.account} ${this.hour}`;
    if (this.stored < this.#safe) {
      const unexplained = `${name}: ${this.#safe} CU were stored or queued, and ${this.stored} are charged`;
      return { causes, unexplained };
    }
    if (lost.length > 0 && this.process.alive) {
      return { causes, unexplained: `${name}: a process that lives has not charged all` };
    }
    let unexplained: string | undefined;
    const { diedMs, faults, hasEnded } = this.process;
    for (const { cu, outcome, before, after, endedMs } of lost) {
      const isHandedInVain = faults.store > after.store && faults.queue > after.queue;
      if (hasEnded && outcome === 'grouped' && isHandedInVain) add('killed after all refused', cu);
      else if (hasEnded)
        unexplained ??= `${name}: a process has ended by itself, and has not charged ${cu} CU`;
      else if (outcome === undefined) add('killed under way', cu);
      else if (outcome === 'grouped') add('killed while held back', cu);
      else if (after.store > before.store && after.queue > before.queue) add('killed after all refused', cu);
      else unexplained ??= `${name}: ${cu} CU are not charged, and no fault explains it`;
      if (outcome === 'grouped' && diedMs - endedMs > heldBackMs && faults.store === after.store)
        unexplained ??= `${name}: ${cu} CU were held back for ${diedMs - endedMs} ms`;
    }
    return { causes, unexplained };
  }
}
