import type { ChargeQueue } from '../../lambdas/access/charge.ts';
import type { RandomBytes } from '../../lambdas/access/lane-pool.ts';
import type { Meter } from '../../lambdas/access/metering.ts';
import type { Store } from '../../lambdas/access/store.ts';
import type { applyCharges } from '../../lambdas/charges/handler.ts';
import type { handleRequest } from '../../lambdas/rpc/handle-request.ts';
import type { SimulatedProcess } from './simulated-process.ts';

/**
 * A plausible simplification of the code under test, made around it: what one of its parts does is replaced by what
 * the simpler part would do. Each process gets its own.
 */
export interface Mutant {
  readonly name: string;
  /** What is left out or done otherwise. */
  readonly simplification: string;
  readonly store?: (store: Store, process: SimulatedProcess) => Store;
  readonly chargeQueue?: (queue: ChargeQueue, process: SimulatedProcess) => ChargeQueue;
  readonly randomBytes?: (randomBytes: RandomBytes, process: SimulatedProcess) => RandomBytes;
  readonly meter?: (meter: Meter) => Meter;
  readonly handleRequest?: (handle: typeof handleRequest) => typeof handleRequest;
  readonly applyCharges?: (apply: typeof applyCharges, process: SimulatedProcess) => typeof applyCharges;
}
