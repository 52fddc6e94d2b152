import type { Clock } from '../../runtime/clock.ts';
import type { WaitingRoom, WaitingStore } from './waiting-room.ts';

const MS_PER_SECOND = 1_000;
/** What all processes may have saved up together, as the time in which it flows back, in milliseconds. */
const BURST_MS = 1_000;
/** The same for one that yields: the rest is left to the others. */
const YIELDING_BURST_MS = 500;
/** Time without a draw after which one that yields is treated as the others, in milliseconds. */
const MAX_YIELDING_MS = 10_000;
/** How long a portion may be used, in milliseconds: what is left of it then was for nothing. */
const PORTION_MS = 500;
/** Draws a second of all processes together that portions are made for. An item takes 1,000 writes a second. */
const MAX_DRAWS_PER_SECOND = 400;
/** Part of the calls of a second that one portion may be. */
const MAX_PORTION = 1 / 4;
/** Pause of a process that is refused, in milliseconds; it doubles with each refusal, and shrinks with draws. */
const FIRST_PAUSE_MS = 400;
const MAX_PAUSE_MS = 8_000;
/** Refusals that a draw makes up for. */
const REFUSALS_FORGIVEN = 2;
/** Draws in a row that fail before the store counts as away: one can be throttled. Then it is left alone, in milliseconds. */
const FAILURES_TO_BE_AWAY = 3;
const STORE_PAUSE_MS = 1_000;

/** How many calls an upstream is sent a second. */
export interface CallPace {
  /** When it may be sent a call again, in milliseconds since the epoch; undefined if it may now, as far as is known. */
  readonly pausedUntil: number | undefined;
  /**
   * Whether calls may be sent now, at once where the store need not be asked; those that may are counted. A batch may go beyond what there is, and is
   * counted in full: the calls after it wait.
   */
  admits(calls: number): boolean | Promise<boolean>;
}

/** At most so many calls a second of this process, of which those of one second may come at once. */
export function createCallPace(clock: Clock, callsPerSecond: number): CallPace {
  const intervalMs = MS_PER_SECOND / callsPerSecond;
  /** When all calls that were sent would have been sent one by one. */
  let paidUntil = Number.NEGATIVE_INFINITY;
  const pausedUntil = () => {
    const until = paidUntil - MS_PER_SECOND + intervalMs;
    return until > clock.now() ? until : undefined;
  };
  return {
    get pausedUntil() {
      return pausedUntil();
    },
    admits(calls) {
      if (pausedUntil() !== undefined) return false;
      paidUntil = Math.max(paidUntil, clock.now()) + calls * intervalMs;
      return true;
    },
  };
}

/** Where processes draw the calls of an upstream. */
export interface CallBudget {
  readonly store: Pick<WaitingStore, 'draw'>;
  /** Whether others go first, for {@link MAX_YIELDING_MS} at most. @default false */
  readonly yields?: boolean | undefined;
}

interface SharedPaceOptions extends CallBudget {
  readonly clock: Clock;
  /** Numbers from 0 to 1. */
  readonly random: () => number;
  /** Names the upstream among all of the stage. */
  readonly of: string;
  /** Of all processes together. */
  readonly callsPerSecond: number;
}

/**
 * At most so many calls a second of all processes together. A process draws them in portions, which grow while they are used
 * up in time, so that most calls ask no store; one that is refused pauses, longer each time. While the store is away each
 * process keeps to the whole number by itself.
 */
export function createSharedPace(options: SharedPaceOptions): CallPace {
  const { clock, random, of, callsPerSecond, store, yields = false } = options;
  const alone = createCallPace(clock, callsPerSecond);
  const portion = new Portion(clock, callsPerSecond);
  const pauses = new Pauses(clock, random);
  let lastGrantAt = clock.now();
  let failures = 0;
  let storeAwayUntil = Number.NEGATIVE_INFINITY;
  let drawing: Promise<void> | undefined;

  const refused = (waitMs: number) => {
    portion.shrink();
    pauses.refused(waitMs);
  };
  const draw = async (calls: number) => {
    const wanted = portion.wanted(calls);
    const isPatient = yields && clock.now() - lastGrantAt < MAX_YIELDING_MS;
    try {
      const drawn = await store.draw(roomOf(of, callsPerSecond, isPatient), wanted * MS_PER_SECOND);
      if (drawn.granted) {
        portion.granted(wanted);
        pauses.granted();
        lastGrantAt = clock.now();
      } else refused(drawn.waitMs ?? 0);
      failures = 0;
    } catch {
      failures += 1;
      if (failures < FAILURES_TO_BE_AWAY) refused(0);
      else storeAwayUntil = clock.now() + STORE_PAUSE_MS;
    }
  };
  const isStoreAway = () => clock.now() < storeAwayUntil;

  return {
    get pausedUntil() {
      if (isStoreAway()) return alone.pausedUntil;
      return portion.left <= 0 && pauses.until > clock.now() ? pauses.until : undefined;
    },
    async admits(calls) {
      portion.expire();
      if (portion.left <= 0 && !isStoreAway() && pauses.until <= clock.now()) {
        drawing ??= draw(calls).finally(() => {
          drawing = undefined;
        });
        await drawing;
      }
      if (isStoreAway()) return alone.admits(calls);
      if (portion.left <= 0) return false;
      portion.left -= calls;
      return true;
    },
  };
}

/** Calls that a process has drawn and not sent yet. A portion grows while it is used up in time. */
class Portion {
  readonly #clock: Clock;
  readonly #minSize: number;
  readonly #maxSize: number;
  #size: number;
  #drawnAt = Number.NEGATIVE_INFINITY;
  /** Calls that are left of it; below zero: that were sent beyond it. */
  left = 0;

  constructor(clock: Clock, callsPerSecond: number) {
    this.#clock = clock;
    this.#minSize = Math.max(1, Math.ceil(callsPerSecond / MAX_DRAWS_PER_SECOND));
    this.#maxSize = Math.max(this.#minSize, Math.floor(callsPerSecond * MAX_PORTION));
    this.#size = this.#minSize;
  }

  /** How many calls to draw, so that some are to be sent now. */
  wanted(calls: number): number {
    return Math.min(this.#maxSize, Math.max(this.#size, calls - this.left));
  }

  granted(calls: number): void {
    const now = this.#clock.now();
    if (now - this.#drawnAt < PORTION_MS) this.#size = Math.min(this.#maxSize, this.#size * 2);
    this.left += calls;
    this.#drawnAt = now;
  }

  shrink(): void {
    this.#size = this.#minSize;
  }

  /** Gives up what was not used in time: so much was for nothing. */
  expire(): void {
    if (this.left <= 0 || this.#clock.now() - this.#drawnAt < PORTION_MS) return;
    this.left = 0;
    this.#size = Math.max(this.#minSize, Math.floor(this.#size / 2));
  }
}

/** Pauses of a process that is refused: longer each time, until draws make up for it. */
class Pauses {
  readonly #clock: Clock;
  readonly #random: () => number;
  #refusals = 0;
  /** Milliseconds since the epoch. */
  until = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  granted(): void {
    this.#refusals = Math.max(0, this.#refusals - REFUSALS_FORGIVEN);
  }

  refused(waitMs: number): void {
    const pauseMs = Math.max(waitMs, Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#refusals));
    this.#refusals += 1;
    this.until = this.#clock.now() + Math.min(MAX_PAUSE_MS, pauseMs) * (1 + this.#random());
  }
}

/** Where all processes draw. One that is patient leaves a part of what was saved up to the others. */
function roomOf(of: string, callsPerSecond: number, isPatient: boolean): WaitingRoom {
  return {
    of: `upstream ${of}`,
    kind: 'calls',
    seats: callsPerSecond,
    burstMs: isPatient ? YIELDING_BURST_MS : BURST_MS,
  };
}
