import type { Clock } from '../shared/runtime/clock.ts';
import type { Sleep } from '../shared/runtime/sleep.ts';
import type { Store, StoreUnavailableError } from './store/store.ts';

/** What settlement and audit work with. */
export interface Bookkeeping {
  readonly store: Store;
  readonly clock: Clock;
  readonly pause: Sleep;
}

/** Attempts at a piece of work when the store fails. */
const ATTEMPTS = 5;
/** Pause before the second attempt, in milliseconds; doubled before each further one. */
const FIRST_PAUSE_MS = 50;

/** Begins work again when the store fails: only for work that may be repeated. Rejects with the last failure. */
export async function withRetry<T>(pause: Sleep, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isStoreUnavailable(error) || attempt === ATTEMPTS) throw error;
      await pause(FIRST_PAUSE_MS * 2 ** (attempt - 1));
    }
  }
}

/** Told by its name: the store may come from another bundle than this code, and brings its own class. */
export function isStoreUnavailable(error: unknown): boolean {
  const name: StoreUnavailableError['name'] = 'StoreUnavailableError';
  return error instanceof Error && error.name === name;
}
