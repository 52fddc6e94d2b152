import type { ChargeQueue } from '../../lambdas/access/charge.ts';
import { encodeCharge } from '../../lambdas/access/charge-message.ts';
import { createMeter } from '../../lambdas/access/meter.ts';
import type { Meter } from '../../lambdas/access/metering.ts';
import { DEFAULT_PLAN, PLANS } from './plans.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { SimulatedQueue } from './simulated-queue.ts';
import type { World } from './world.ts';

const MIN_INSTANCES = 2;
const MAX_INSTANCES = 8;

/** One process of the gateway with the meter of its life. It serves any number of requests at once. */
export interface Instance {
  readonly process: SimulatedProcess;
  readonly meter: Meter;
}

/** The processes of the gateway. One that died is replaced when it is needed. */
export class Fleet {
  readonly #world: World;
  readonly #chargeQueue: SimulatedQueue;
  readonly #instances: Instance[];

  constructor(world: World, chargeQueue: SimulatedQueue) {
    this.#world = world;
    this.#chargeQueue = chargeQueue;
    const { random } = world.machine;
    const count = random.integer(MIN_INSTANCES, MAX_INSTANCES);
    this.#instances = Array.from({ length: count }, () => this.#start());
  }

  /** Any instance that is alive. */
  pick(): Instance {
    const place = this.#world.machine.random.integer(0, this.#instances.length - 1);
    const instance = this.#instances[place];
    if (instance?.process.alive) return instance;
    const started = this.#start();
    this.#instances[place] = started;
    return started;
  }

  /** New processes take all further requests; the old ones end what they have begun. */
  deploy(): void {
    for (const place of this.#instances.keys()) this.#instances[place] = this.#start();
  }

  #start(): Instance {
    const { machine, mutant } = this.#world;
    const { process, store } = this.#world.open('gateway');
    const queue: ChargeQueue = { send: (charge) => this.#chargeQueue.send(process, encodeCharge(charge)) };
    const randomBytes = (count: number) => machine.random.bytes(count);
    machine.tally.add('gateway processes');
    const meter = createMeter({
      store,
      queue: mutant?.chargeQueue?.(queue, process) ?? queue,
      settings: { plans: PLANS, defaultPlan: DEFAULT_PLAN },
      clock: process.clock,
      randomBytes: mutant?.randomBytes?.(randomBytes, process) ?? randomBytes,
      pause: process.pause,
    });
    return { process, meter: mutant?.meter?.(meter) ?? meter };
  }
}
