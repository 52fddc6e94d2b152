import type { Clock } from '../shared/runtime/clock.ts';
import type { Sleep } from '../shared/runtime/sleep.ts';
import type { Telemetry } from '../shared/runtime/telemetry.ts';
import type { Store } from './store/store.ts';

/** The dependencies of settlement and audit. */
export interface Bookkeeping {
  readonly store: Store;
  readonly clock: Clock;
  readonly pause: Sleep;
  readonly telemetry: Telemetry;
}
