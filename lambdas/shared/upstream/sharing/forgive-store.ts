import type { Clock } from '../../runtime/clock.ts';
import { errorField } from '../../runtime/log.ts';
import type { Telemetry } from '../../runtime/telemetry.ts';

/** For how long a store that has failed is left alone, in milliseconds. */
const PAUSE_MS = 1_000;

/** Asks a store; `unread` if it fails, or has failed within the last second. Never rejects. */
export type AskStore = <Result>(request: () => Promise<Result>) => Promise<Result | 'unread'>;

interface AskStoreOptions {
  readonly chain: string;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  /** What a failure is called in the log. */
  readonly event: string;
}

/** Asks a store of what instances share of a chain. While it is away it costs what it would have said, and no response. */
export function forgiveStore({ chain, clock, telemetry, event }: AskStoreOptions): AskStore {
  let pausedUntil = Number.NEGATIVE_INFINITY;
  return async (request) => {
    if (clock.now() < pausedUntil) return 'unread';
    try {
      return await request();
    } catch (error) {
      pausedUntil = clock.now() + PAUSE_MS;
      telemetry.log('warn', event, { chain, error: errorField(error) });
      return 'unread';
    }
  };
}
