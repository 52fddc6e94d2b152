import { decodeCharge } from '../../lambdas/access/charge-message.ts';
import { applyCharges } from '../../lambdas/charges/handler.ts';
import { requestNumberOf } from './client-request.ts';
import { SimulatedQueue } from './simulated-queue.ts';
import type { World } from './world.ts';

const BATCH_SIZE = 10;
/** Few, so that the dead-letter queue is used. */
const MAX_RECEIVES = 2;

/** The queue of uncertain charges with its consumer. `reportedLost`: the charges that were logged as lost. */
export function openChargeQueue(world: World, reportedLost: ReadonlySet<string>): SimulatedQueue {
  const { witness, mutant } = world;
  return new SimulatedQueue({
    name: 'charge queue',
    machine: world.machine,
    weather: world.queueWeather,
    batchSize: BATCH_SIZE,
    maxReceives: MAX_RECEIVES,
    consume: async (messages) => {
      const { process, store } = world.open('charges');
      const apply = mutant?.applyCharges?.(applyCharges, process) ?? applyCharges;
      const { batchItemFailures } = await apply(store, messages);
      return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
    },
    onWorked: ({ body }) => {
      const charge = decodeCharge(body);
      const request = witness.requests[requestNumberOf(charge?.used)];
      if (charge === undefined || request === undefined) return witness.blame(`no charge: ${body}`);
      if (request.charges > 0) return;
      request.dropped = true;
      if (!reportedLost.has(lossOf(charge))) {
        witness.blame(`the charge of request ${request.number} was dropped in silence`);
      }
    },
  });
}

/** What a log line says about a charge that is lost, as far as it tells it from others. */
export function lossOf(loss: {
  readonly account?: string;
  readonly hour?: string;
  readonly cu?: number | bigint;
}): string {
  return `${loss.account} ${loss.hour} ${loss.cu}`;
}
