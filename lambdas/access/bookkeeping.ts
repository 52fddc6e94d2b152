import type { Clock } from '../shared/runtime/clock.ts';
import type { Sleep } from '../shared/runtime/sleep.ts';
import type { Telemetry } from '../shared/runtime/telemetry.ts';
import { withRetry } from '../shared/runtime/with-retry.ts';
import { isStoreUnavailable, type Store } from './store/store.ts';

/** What settlement and audit work with. */
export interface Bookkeeping {
  readonly store: Store;
  readonly clock: Clock;
  readonly pause: Sleep;
  readonly telemetry: Telemetry;
}

/** Pauses before each further attempt at a piece of work when the store fails, in milliseconds. */
const STORE_PAUSES_MS = [50, 100, 200, 400];

/** Begins work again when the store fails: only for work that may be repeated. Rejects with the last failure. */
export function withStoreRetry<Result>(pause: Sleep, work: () => Promise<Result>): Promise<Result> {
  return withRetry(work, { pausesMs: STORE_PAUSES_MS, isRetryable: isStoreUnavailable, pause });
}
