import { BillCheck } from '../../../lambdas/access/bill-check.ts';
import type { ChargeQueue } from '../../../lambdas/access/charge/charge.ts';
import { accountShard, hourLane } from '../../../lambdas/access/charge/lane.ts';
import { encodeLane } from '../../../lambdas/access/charge/lane-message.ts';
import { createMeter, type ProcessMeter } from '../../../lambdas/access/meter.ts';
import { systemTelemetry } from '../../../lambdas/shared/runtime/telemetry.ts';
import { DEFAULT_PLAN } from '../plans.ts';
import type { World } from '../world.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { SimulatedQueue } from './simulated-queue.ts';

/** One process of the gateway with the meter of its life. */
export interface Instance {
  readonly process: SimulatedProcess;
  readonly meter: ProcessMeter;
  /** Holds its bills to each other, as the outermost layer of a function does. */
  readonly bills: BillCheck;
}

/** The processes of the gateway, however they are hosted. */
export interface Processes {
  /** A process that takes the next request, until {@link release}. */
  pick(): Instance;
  /** A request has ended in its process. */
  release(instance: Instance): void;
  /** Any one of them dies. */
  kill(): void;
  /** New processes take all further requests. */
  deploy(): void;
  /** Every process that lives continues until it has stored all, as its hosting lets it, and nothing happens to it. */
  handOver(): Promise<void>;
}

/** Starts a process, with what a mutant has put into it. */
export function startInstance(world: World, chargeQueue: SimulatedQueue): Instance {
  const { machine, mutant, witness, metering, plans, narrowLanes } = world;
  const { process, store } = world.open('gateway');
  const queue: ChargeQueue = {
    send: (lane) => {
      const { account, shard, hour } = lane;
      const key = { account_shard: accountShard(account, shard), hour_lane: hourLane(hour, lane.lane) };
      witness.noteLane(process, key);
      return chargeQueue.send(process, encodeLane(lane));
    },
  };
  const randomBytes = (count: number) => machine.random.bytes(count);
  machine.tally.add('gateway processes');
  const meter = createMeter({
    store,
    queue: mutant?.chargeQueue?.(queue, process) ?? queue,
    settings: { plans, defaultPlan: DEFAULT_PLAN, metering: mutant?.metering ?? metering },
    clock: process.clock,
    randomBytes: mutant?.randomBytes?.(randomBytes, process) ?? randomBytes,
    pause: process.pause,
    telemetry: systemTelemetry,
    ...(narrowLanes !== undefined && { narrowLanes }),
    startBalances: async () => world.startBalances?.(),
  });
  const bills = new BillCheck({ clock: process.clock });
  return { process, meter: mutant?.meter?.(meter, process) ?? meter, bills };
}
