import type { ChargeQueue } from '../../../lambdas/access/charge/charge.ts';
import { accountShard, hourLane } from '../../../lambdas/access/charge/lane.ts';
import { encodeLane } from '../../../lambdas/access/charge/lane-message.ts';
import { createMeter, type ProcessMeter } from '../../../lambdas/access/meter.ts';
import { systemTelemetry } from '../../../lambdas/shared/runtime/telemetry.ts';
import { DEFAULT_PLAN, PLANS } from '../plans.ts';
import type { World } from '../world.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { SimulatedQueue } from './simulated-queue.ts';

const MIN_INSTANCES = 2;
const MAX_INSTANCES = 8;
/** Time for which a process that takes no further request is kept. */
const MAX_IDLE_MS = 20 * 60_000;

/** One process of the gateway with the meter of its life. It serves any number of requests at once. */
export interface Instance {
  readonly process: SimulatedProcess;
  readonly meter: ProcessMeter;
}

/** The processes of the gateway. One that died is replaced when it is needed. */
export class Fleet {
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

  /** Any instance that is alive. */
  pick(): Instance {
    const place = this.#world.machine.random.integer(0, this.#instances.length - 1);
    const instance = this.#instances[place];
    if (instance?.process.alive) return instance;
    const started = this.#start();
    this.#instances[place] = started;
    return started;
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
    const { machine, mutant, witness, metering, narrowLanes } = this.#world;
    const { process, store } = this.#world.open('gateway');
    const queue: ChargeQueue = {
      send: (lane) => {
        const { account, shard, hour } = lane;
        const key = { account_shard: accountShard(account, shard), hour_lane: hourLane(hour, lane.lane) };
        witness.noteLane(process, key);
        return this.#chargeQueue.send(process, encodeLane(lane));
      },
    };
    const randomBytes = (count: number) => machine.random.bytes(count);
    machine.tally.add('gateway processes');
    const meter = createMeter({
      store,
      queue: mutant?.chargeQueue?.(queue, process) ?? queue,
      settings: { plans: PLANS, defaultPlan: DEFAULT_PLAN, metering: mutant?.metering ?? metering },
      clock: process.clock,
      randomBytes: mutant?.randomBytes?.(randomBytes, process) ?? randomBytes,
      pause: process.pause,
      telemetry: systemTelemetry,
      ...(narrowLanes !== undefined && { narrowLanes }),
    });
    const instance = { process, meter: mutant?.meter?.(meter, process) ?? meter };
    this.#started.push(instance);
    return instance;
  }
}
