import { storeLanes } from '../../../lambdas/charges/handler.ts';
import { systemTelemetry } from '../../../lambdas/shared/runtime/telemetry.ts';
import type { World } from '../world.ts';
import { SimulatedQueue } from './simulated-queue.ts';

const BATCH_SIZE = 10;
/** Few, so that the dead-letter queue is used. */
const MAX_RECEIVES = 2;

/** The queue of lanes that the store did not take, with its consumer. */
export function openChargeQueue(world: World): SimulatedQueue {
  const { machine, mutant } = world;
  return new SimulatedQueue({
    name: 'charge queue',
    machine,
    weather: world.queueWeather,
    batchSize: BATCH_SIZE,
    maxReceives: MAX_RECEIVES,
    consume: async (messages) => {
      const { process, store } = world.open('charges');
      const consume = mutant?.storeLanes?.(storeLanes, process) ?? storeLanes;
      const randomBytes = (count: number) => machine.random.bytes(count);
      const storing = { store, clock: process.clock, randomBytes, telemetry: systemTelemetry };
      const { batchItemFailures } = await consume(storing, messages);
      return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
    },
  });
}
