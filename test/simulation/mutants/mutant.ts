import type { ChargeQueue } from '../../../lambdas/access/charge/charge.ts';
import type { ProcessMeter } from '../../../lambdas/access/meter.ts';
import type { Store } from '../../../lambdas/access/store/store.ts';
import type { storeLanes } from '../../../lambdas/charges/handler.ts';
import type { handleRequest } from '../../../lambdas/rpc/handle-request.ts';
import type { SettlementBooks } from '../../../lambdas/settlement/evidence.ts';
import type { ObjectStore } from '../../../lambdas/shared/aws/object-store.ts';
import type { RandomBytes } from '../../../lambdas/shared/runtime/random-bytes.ts';
import type { MeteringSettings } from '../../../lambdas/shared/runtime/settings.ts';
import type { Issuer } from '../../../lambdas/status/issuer.ts';
import type { Hosting } from '../../../lib/config/function-config.ts';
import type { SimulatedProcess } from '../actors/simulated-process.ts';

type LeafFreezer = SettlementBooks['evidence']['leaves'];

/**
 * A plausible simplification of the code under test, made around it: what one of its parts does is replaced by what
 * the simpler part would do. Each process gets its own.
 */
export interface Mutant {
  readonly name: string;
  /** The step that is left out or done otherwise. */
  readonly simplification: string;
  /** The first seed that it is looked for by: it was found by that. @default 1 */
  readonly seed?: number;
  /** How the function is hosted that it is put into. @default 'event' */
  readonly hosting?: Hosting;
  readonly store?: (store: Store, process: SimulatedProcess) => Store;
  readonly chargeQueue?: (queue: ChargeQueue, process: SimulatedProcess) => ChargeQueue;
  readonly randomBytes?: (randomBytes: RandomBytes, process: SimulatedProcess) => RandomBytes;
  readonly meter?: (meter: ProcessMeter, process: SimulatedProcess) => ProcessMeter;
  readonly handleRequest?: (handle: typeof handleRequest) => typeof handleRequest;
  readonly storeLanes?: (consume: typeof storeLanes, process: SimulatedProcess) => typeof storeLanes;
  readonly leaves?: (leaves: LeafFreezer) => LeafFreezer;
  /** The bucket of heads, as it is sealed into. */
  readonly heads?: (heads: ObjectStore) => ObjectStore;
  /** The signer of receipts; `readIssuer` reads its key. */
  readonly issuer?: (issuer: Issuer, readIssuer: () => Promise<string>) => Issuer;
  /** Settings of the meter, instead of the run's. */
  readonly metering?: MeteringSettings;
}
