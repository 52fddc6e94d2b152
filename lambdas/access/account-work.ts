import type { WorkQueue } from '../shared/aws/work-queue.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import type { Sleep } from '../shared/runtime/sleep.ts';
import type { Telemetry } from '../shared/runtime/telemetry.ts';
import type { Store } from './store/store.ts';

/** Accounts that one run works at once. */
const ACCOUNTS_AT_ONCE = 64;
/** Time reserved for running accounts and for handing on the rest, in milliseconds. */
const HAND_ON_BEFORE_END_MS = 30_000;

/** What a function that works through accounts works with. */
export interface WorkParts {
  readonly books: Bookkeeping;
  readonly queue: WorkQueue;
  /** Time that is left to this run, in milliseconds. */
  readonly remainingMs: () => number;
}

/** The schedule sends no records; a queue delivers work that was handed on. */
export interface WorkEvent {
  readonly Records?: readonly { readonly body: string }[];
}

/** How fast a run works. */
export interface Pace {
  readonly accountsAtOnce: number;
  /** Whether it is time to stop: what is begun comes to its next whole state, and nothing further is begun. */
  readonly outOfTime: () => boolean;
}

/** The pace of a function. */
export function paceOf({ remainingMs }: Pick<WorkParts, 'remainingMs'>): Pace {
  return { accountsAtOnce: ACCOUNTS_AT_ONCE, outOfTime: () => remainingMs() < HAND_ON_BEFORE_END_MS };
}

/** The dependencies of settlement and audit. */
export interface Bookkeeping {
  readonly store: Store;
  readonly clock: Clock;
  readonly pause: Sleep;
  readonly telemetry: Telemetry;
}
