import type { World } from '../world.ts';
import { type Instance, type Processes, startInstance } from './instance.ts';
import type { SimulatedQueue } from './simulated-queue.ts';

const MIN_INSTANCES = 2;
const MAX_INSTANCES = 8;
/** Time for which a process that takes no further request is kept. */
const MAX_IDLE_MS = 20 * 60_000;

/** Processes of event functions. Each serves any number of requests at once; one that died is replaced when it is needed. */
export class Fleet implements Processes {
  readonly #world: World;
  readonly #chargeQueue: SimulatedQueue;
  readonly #instances: Instance[];
  readonly #started: Instance[] = [];

  constructor(world: World, chargeQueue: SimulatedQueue) {
    this.#world = world;
    this.#chargeQueue = chargeQueue;
    const { random } = world.machine;
    const count = random.integer(MIN_INSTANCES, MAX_INSTANCES);
    this.#instances = Array.from({ length: count }, () => this.#start());
  }

  /** Nothing: a process has no places. */
  release(): void {}

  /** Any instance that is alive. */
  pick(): Instance {
    const place = this.#world.machine.random.integer(0, this.#instances.length - 1);
    const instance = this.#instances[place];
    if (instance?.process.alive) return instance;
    const started = this.#start();
    this.#instances[place] = started;
    return started;
  }

  kill(): void {
    this.pick().process.die();
  }

  /** New processes take all further requests; the old ones are told to end after a while, hand over, and end. */
  deploy(): void {
    const { machine, witness } = this.#world;
    for (const [place, { process, meter }] of this.#instances.entries()) {
      machine.time.after(machine.random.integer(0, MAX_IDLE_MS), () => {
        if (!process.alive) return;
        meter.handOver().then(
          () => process.die(),
          (error) => witness.blameDefect(error),
        );
      });
      this.#instances[place] = this.#start();
    }
  }

  /** Every process that still lives hands over what it has not stored, and nothing happens to it. */
  async handOver(): Promise<void> {
    for (const { process, meter } of this.#started) {
      if (!process.alive) continue;
      process.protect();
      await meter.handOver();
    }
  }

  #start(): Instance {
    const instance = startInstance(this.#world, this.#chargeQueue);
    this.#started.push(instance);
    return instance;
  }
}
