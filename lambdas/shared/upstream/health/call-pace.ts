import type { Clock } from '../../runtime/clock.ts';
import { pauseAfterRefusal, Reserves, SharedBucket } from '../../runtime/shared-bucket.ts';
import type { WaitingRoom, WaitingStore } from './waiting-room.ts';

const MS_PER_SECOND = 1_000;
/** What all processes may have saved up together, as the time in which it flows back, in milliseconds. */
const BURST_MS = 1_000;
/** The same for one that yields: the rest is left to the others. */
const YIELDING_BURST_MS = 500;
/** Time without a draw after which one that yields is treated as the others, in milliseconds. */
const MAX_YIELDING_MS = 10_000;
/** How long a portion may be used, in milliseconds. */
const PORTION_MS = 500;
const NOTHING = { calls: 0 };
/** Draws a second of all processes together that the least portion is made for. An item takes 1,000 writes a second. */
const MAX_DRAWS_PER_SECOND = 400;
/** Part of the calls of a second that one portion may be. */
const MAX_PORTION = 1 / 4;
/** Pause of a process that is refused, in milliseconds; it doubles with each refusal, and shrinks with draws. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 8_000;
/** Refusals after which a pause is the longest. More are not remembered: a few draws make up for an hour of them. */
const MAX_DOUBLINGS = Math.log2(MAX_PAUSE_MS / FIRST_PAUSE_MS);
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
 * At most so many calls a second of all processes together. A process draws as many ahead as it used lately, so that most
 * calls ask no store; one that is refused pauses, longer each time. While the store is away each process keeps to the whole
 * number by itself.
 */
export function createSharedPace(options: SharedPaceOptions): CallPace {
  const { clock, random, of, callsPerSecond, store, yields = false } = options;
  const alone = createCallPace(clock, callsPerSecond);
  const least = Math.max(1, Math.ceil(callsPerSecond / MAX_DRAWS_PER_SECOND));
  const most = Math.max(least, Math.floor(callsPerSecond * MAX_PORTION));
  const portion = new Reserves({ nothing: NOTHING, validMs: PORTION_MS, mayOwe: true });
  let lastGrantAt = clock.now();
  const pause = startPause(clock, random);
  let failures = 0;
  let storeAwayUntil = Number.NEGATIVE_INFINITY;

  const refused = (waitMs: number) => {
    portion.drop(of);
    pause.refused(waitMs);
  };
  const granted = (calls: number) => {
    portion.put(of, undefined, { own: NOTHING, ahead: { calls } }, clock.now());
    pause.granted();
    lastGrantAt = clock.now();
  };
  const isStoreAway = () => clock.now() < storeAwayUntil;
  /** Undefined: the store is to be asked. */
  const admitsKnown = (calls: number) => {
    if (isStoreAway()) return alone.admits(calls) === true;
    if (portion.use(of, undefined, { calls }, clock.now())) return true;
    return pause.until > clock.now() ? false : undefined;
  };
  const draws = new SharedBucket<number, boolean>({
    known: (_, calls) => admitsKnown(calls),
    draw: async (_, asked) => {
      const own = asked.reduce((sum, calls) => sum + calls, 0);
      if (asked.length > 1 && own > most) return false;
      const needed = own + portion.owed(of).calls;
      const wanted = Math.min(most, Math.max(least, portion.lately(of, clock.now()).calls, needed));
      const isPatient = yields && clock.now() - lastGrantAt < MAX_YIELDING_MS;
      try {
        const drawn = await store.draw(roomOf(of, callsPerSecond, isPatient), wanted * MS_PER_SECOND);
        if (drawn.granted) granted(wanted);
        // For fewer there can be room.
        else if (asked.length > 1) portion.drop(of);
        else refused(drawn.waitMs ?? 0);
        failures = 0;
      } catch {
        failures += 1;
        if (failures < FAILURES_TO_BE_AWAY) refused(0);
        else storeAwayUntil = clock.now() + STORE_PAUSE_MS;
      }
      return admitsKnown(own) ?? false;
    },
    isRefused: (isAdmitted) => !isAdmitted,
  });

  return {
    get pausedUntil() {
      if (isStoreAway()) return alone.pausedUntil;
      return pause.until > clock.now() ? pause.until : undefined;
    },
    admits: (calls) => admitsKnown(calls) ?? draws.draw(of, calls),
  };
}

/** The pause of a process that is refused: longer with each refusal, and shorter with draws. */
function startPause(clock: Clock, random: () => number) {
  let refusals = 0;
  const pause = {
    /** Milliseconds since the epoch. */
    until: Number.NEGATIVE_INFINITY,
    refused(waitMs: number): void {
      const length = { firstMs: FIRST_PAUSE_MS, maxMs: MAX_PAUSE_MS, refusals, waitMs };
      pause.until = clock.now() + pauseAfterRefusal(length, random());
      refusals = Math.min(MAX_DOUBLINGS, refusals + 1);
    },
    granted(): void {
      refusals = Math.max(0, refusals - REFUSALS_FORGIVEN);
    },
  };
  return pause;
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
