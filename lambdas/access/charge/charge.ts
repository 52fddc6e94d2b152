import { type Clock, hourOf } from '../../shared/runtime/clock.ts';
import { LruMap } from '../../shared/runtime/expiring-memory.ts';
import { errorField } from '../../shared/runtime/log.ts';
import type { RandomBytes } from '../../shared/runtime/random-bytes.ts';
import type { MeteringSettings } from '../../shared/runtime/settings.ts';
import type { Sleep } from '../../shared/runtime/sleep.ts';
import type { Telemetry } from '../../shared/runtime/telemetry.ts';
import type { Charge, ChargeOutcome, MethodUsage } from '../contract/metering.ts';
import type { Store } from '../store/store.ts';
import { isTooLate, type LaneTotal, OwnLane, storeBehindMark } from './lane.ts';

/** Attempts to store a lane; one that failed before has one. */
const STORE_ATTEMPTS = 3;
/** No attempt begins later than this after the first, in milliseconds. The store bounds each attempt. */
const STORE_BUDGET_MS = 2_000;
const STORE_PAUSE_MS = 50;
const QUEUE_ATTEMPTS = 2;
/** Time after which a lane is stored again, whatever is held back, in milliseconds. */
const GROUP_MS = 1_000;
/** Lanes of other accounts, or of an hour before, that one request stores beside its own. */
const MAX_LANES_PER_REQUEST = 16;
/** Lanes that are found again by a further charge; what an older one still has to store is not forgotten. */
export const REMEMBERED_LANES = 10_000;
const LANE_BYTES = 8;

/** Takes lanes that the store does not. Its consumer stores them, as often as they are delivered. */
export interface ChargeQueue {
  /** Rejects if it is not certain that the lane was taken. */
  send(lane: LaneTotal): Promise<void>;
}

/** What charging works on. */
interface Charging {
  readonly store: Store;
  readonly queue: ChargeQueue;
  readonly clock: Clock;
  readonly pause: Sleep;
  readonly telemetry: Telemetry;
  readonly randomBytes: RandomBytes;
  readonly metering: Pick<MeteringSettings, 'groupCommitCu'>;
}

/** Where the charges of an account go. */
interface ChargedAccount {
  readonly account: string;
  readonly shards: number;
  /** Whether an hour of the account is known to be on the work list of settlement. */
  isMarked(hour: string): boolean;
}

/**
 * The charges of one process. A charge adds to its lane in memory, and the lane's total is stored: what one write does
 * not store, the next one contains, whichever request makes it.
 */
export class Charges {
  readonly #parts: Charging;
  readonly #lanes = new LruMap<OwnLane>(REMEMBERED_LANES);
  /** In the order of their turns: one that neither store nor queue took comes after all others. */
  readonly #unsafe = new Set<OwnLane>();

  constructor(parts: Charging) {
    this.#parts = parts;
  }

  /** Charges compute units to an account, in this hour or the one that they were priced in. What is never stored by its charge is stored by a later one. */
  charge(
    account: ChargedAccount,
    cu: number,
    usage: readonly MethodUsage[],
    hour = hourOf(this.#parts.clock.now()),
  ): Charge & { readonly lane: string } {
    const lane = this.#laneOf(account, hour);
    lane.add(cu, usage);
    this.#unsafe.add(lane);
    return { lane: lane.position, store: () => this.#store(lane, cu) };
  }

  /** Resolves once a charge is stored, or need not be yet, or cannot be. */
  async #store(lane: OwnLane, cu: number): Promise<ChargeOutcome> {
    const now = this.#parts.clock.now();
    if (this.#mayWait(lane, now)) return 'grouped';
    const outcome = await this.#makeSafe(lane);
    if (outcome === 'unstored') this.#parts.telemetry.emit({ values: { UnchargedComputeUnits: cu } }, now);
    return outcome;
  }

  /**
   * Stores what may not wait any longer: of other accounts, of an hour before, or left by a store that failed.
   * `most`: lanes in all, of which a few are stored at a time. @default as many as one request stores beside its own
   */
  async storeDue(most = MAX_LANES_PER_REQUEST): Promise<void> {
    const now = this.#parts.clock.now();
    const due = [...this.#unsafe].filter((lane) => !this.#mayWait(lane, now)).slice(0, most);
    for (let from = 0; from < due.length; from += MAX_LANES_PER_REQUEST) {
      const next = due.slice(from, from + MAX_LANES_PER_REQUEST);
      await Promise.all(next.map((lane) => this.#makeSafe(lane)));
    }
  }

  /** Compute units of an account that wait for a later request: no reader of its lanes sees them yet. */
  heldCu(account: string): bigint {
    let held = 0n;
    for (const lane of this.#unsafe) if (lane.key.account === account && lane.isHeld) held += lane.unsafe;
    return held;
  }

  /** Hands everything that is unstored to the queue: the process ends. */
  async handOver(): Promise<void> {
    await Promise.all([...this.#unsafe].map((lane) => this.#enqueue(lane, lane.state())));
  }

  #laneOf({ account, shards, isMarked }: ChargedAccount, hour: string): OwnLane {
    const name = `${account} ${hour}`;
    const known = this.#lanes.get(name);
    if (known !== undefined) return known;
    const id = Buffer.from(this.#parts.randomBytes(LANE_BYTES));
    const shard = id.readUInt32BE(0) % shards;
    const lane = new OwnLane({ account, shard, hour, lane: id.toString('base64url') });
    if (isMarked(hour)) lane.markedAtMs = Number.NEGATIVE_INFINITY;
    this.#lanes.set(name, lane);
    return lane;
  }

  /** A lane that was stored a moment ago may wait, as long as the instance holds back no more than its bound. */
  #mayWait(lane: OwnLane, now: number): boolean {
    const { groupCommitCu } = this.#parts.metering;
    const age = now - lane.storedAtMs;
    if (groupCommitCu === 0 || lane.failing || age < 0 || age >= GROUP_MS) return false;
    let held = 0n;
    for (const { unsafe } of this.#unsafe) held += unsafe;
    return held <= BigInt(groupCommitCu);
  }

  /** Resolves once all that the lane has now is with the store or the queue, or neither takes it. */
  async #makeSafe(lane: OwnLane): Promise<Exclude<ChargeOutcome, 'grouped'>> {
    const wanted = lane.total;
    // A write that is under way may have begun before the last charge; the one after it contains that.
    if (lane.writing !== undefined) await lane.writing;
    if (lane.safe < wanted) {
      lane.writing ??= this.#write(lane).finally(() => {
        lane.writing = undefined;
      });
      await lane.writing;
    }
    if (lane.safe < wanted) return 'unstored';
    return lane.failing ? 'queued' : 'stored';
  }

  async #write(lane: OwnLane): Promise<void> {
    const { clock, pause } = this.#parts;
    const deadline = clock.now() + STORE_BUDGET_MS;
    const attempts = lane.failing ? 1 : STORE_ATTEMPTS;
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      if (attempt > 1) {
        await pause(STORE_PAUSE_MS);
        if (clock.now() >= deadline) break;
        this.#parts.telemetry.emit({ values: { ChargeRetries: 1 } }, clock.now());
      }
      if (await this.#attempt(lane, attempt)) return;
    }
    lane.failing = true;
    await this.#enqueue(lane, lane.state());
    if (this.#unsafe.delete(lane)) this.#unsafe.add(lane);
  }

  /** One attempt to store a lane; whether it is certain that it is. */
  async #attempt(lane: OwnLane, attempt: number): Promise<boolean> {
    const { clock } = this.#parts;
    const { key } = lane;
    const state = lane.state();
    try {
      if (isTooLate(key.hour, clock.now())) {
        this.#giveUp(lane, state);
        return true;
      }
      await storeBehindMark(this.#parts, state, lane);
      lane.failing = false;
      lane.storedAtMs = clock.now();
      this.#noteSafe(lane, state.total);
      return true;
    } catch (error) {
      this.#parts.telemetry.log('warn', 'charge_attempt_failed', {
        account: key.account,
        count: attempt,
        error: errorField(error),
      });
      return false;
    }
  }

  async #enqueue(lane: OwnLane, state: LaneTotal): Promise<void> {
    const { account } = state;
    for (let attempt = 1; attempt <= QUEUE_ATTEMPTS; attempt += 1) {
      try {
        await this.#parts.queue.send(state);
        this.#noteSafe(lane, state.total);
        this.#parts.telemetry.emit({ values: { ChargesQueued: 1 } }, this.#parts.clock.now());
        return;
      } catch (error) {
        this.#parts.telemetry.log('warn', 'charge_queue_failed', {
          account,
          count: attempt,
          error: errorField(error),
        });
      }
    }
  }

  #noteSafe(lane: OwnLane, total: bigint): void {
    if (total > lane.safe) lane.safe = total;
    if (lane.unsafe === 0n) this.#unsafe.delete(lane);
  }

  /** A lane that could have expired meanwhile: what it had not stored is lost. */
  #giveUp(lane: OwnLane, { account, hour, total }: LaneTotal): void {
    const cu = Number(lane.unsafe);
    this.#parts.telemetry.log('error', 'charge_lost', { account, hour, cu, reason: 'too_late' });
    this.#parts.telemetry.emit({ values: { UnchargedComputeUnits: cu } }, this.#parts.clock.now());
    this.#noteSafe(lane, total);
  }
}
