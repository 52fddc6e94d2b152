import { storeRegularly } from '../../../lambdas/access/charge/lane.ts';
import type { Sleep } from '../../../lambdas/shared/runtime/sleep.ts';
import { REQUESTS_PER_SHARED_ENVIRONMENT } from '../../../lib/config/function-config.ts';
import type { World } from '../world.ts';
import { type Instance, type Processes, startInstance } from './instance.ts';
import type { SimulatedQueue } from './simulated-queue.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** An environment is abandoned after a time between these. */
const MIN_LIFE_MS = MINUTE_MS;
const MAX_LIFE_MS = 12 * 60 * MINUTE_MS;
/** Chance of an environment that is not abandoned. */
const STAY_RATE = 0.3;
/** Chances, with each request, of what happens to its environment in the next seconds. */
const KILL_RATE = 0.002;
const STAND_STILL_RATE = 0.001;
const EXPIRY_RATE = 0.002;
const SOON_MS = 2 * SECOND_MS;
const MAX_EXPIRED_MS = 5 * MINUTE_MS;
/** Rounds of an environment that had nothing to do for so long change nothing: they are left out. */
const QUIET_MS = 5 * MINUTE_MS;

interface Environment {
  readonly instance: Instance;
  /** Requests under way. */
  underWay: number;
  /** When a request began or ended last, in milliseconds. */
  busyMs: number;
  /** Lets its rounds go on. */
  wake: () => void;
}

/**
 * Environments with many requests: each takes up to 64 at a time, the oldest with room gets the next one, and when all are full
 * there is another. Each stores by the clock what it holds back. One is killed, however it ends: nothing is handed over.
 */
export class Environments implements Processes {
  readonly #world: World;
  readonly #chargeQueue: SimulatedQueue;
  #taking: Environment[] = [];
  readonly #started = new Map<Instance, Environment>();

  constructor(world: World, chargeQueue: SimulatedQueue) {
    this.#world = world;
    this.#chargeQueue = chargeQueue;
  }

  pick(): Instance {
    const { time, tally } = this.#world.machine;
    this.#taking = this.#taking.filter(({ instance }) => instance.process.alive);
    const withRoom = this.#taking.find(({ underWay }) => underWay < REQUESTS_PER_SHARED_ENVIRONMENT);
    const environment = withRoom ?? this.#start();
    environment.underWay += 1;
    environment.busyMs = time.nowMs;
    environment.wake();
    if (environment.underWay === REQUESTS_PER_SHARED_ENVIRONMENT) tally.add('environments full');
    this.#happen(environment);
    return environment.instance;
  }

  release(instance: Instance): void {
    const environment = this.#started.get(instance);
    if (environment === undefined) return;
    environment.underWay -= 1;
    environment.busyMs = this.#world.machine.time.nowMs;
  }

  kill(): void {
    const { random } = this.#world.machine;
    const [first, ...others] = this.#taking;
    if (first !== undefined) random.pick([first, ...others]).instance.process.die();
  }

  /** The old ones are killed, with what they have under way. */
  deploy(): void {
    for (const { instance } of this.#taking.splice(0)) this.#killWithin(instance, MINUTE_MS);
  }

  /** Their clocks go on: without a request, and without being told of an end. */
  async handOver(): Promise<void> {
    for (const environment of this.#started.values()) {
      const { process } = environment.instance;
      if (!process.alive) continue;
      process.protect();
      environment.busyMs = this.#world.machine.time.nowMs;
      environment.wake();
    }
  }

  #start(): Environment {
    const { time, random } = this.#world.machine;
    const instance = startInstance(this.#world, this.#chargeQueue);
    const environment: Environment = { instance, underWay: 0, busyMs: time.nowMs, wake: () => {} };
    this.#taking.push(environment);
    this.#started.set(instance, environment);
    const { meter, process } = instance;
    const rounds = storeRegularly(meter, this.#pauseOf(environment, process.pause));
    rounds.catch((error) => this.#world.witness.blameDefect(error));
    if (random.chance(STAY_RATE)) return environment;
    time.after(random.magnitude(MIN_LIFE_MS, MAX_LIFE_MS), () => {
      this.#taking = this.#taking.filter((one) => one !== environment);
      this.#killWithin(instance, SOON_MS);
    });
    return environment;
  }

  /** Between two rounds; the next one of an environment that is quiet waits for a request. */
  #pauseOf(environment: Environment, pause: Sleep): Sleep {
    return async (durationMs) => {
      const isQuiet =
        environment.underWay === 0 && this.#world.machine.time.nowMs - environment.busyMs > QUIET_MS;
      if (isQuiet) {
        await new Promise<void>((wake) => {
          environment.wake = wake;
        });
      }
      await pause(durationMs);
    };
  }

  /** Faults of an environment while it is full of requests. */
  #happen(environment: Environment): void {
    const { random, time, tally } = this.#world.machine;
    const { process } = environment.instance;
    if (random.chance(KILL_RATE)) this.#killWithin(environment.instance, SOON_MS);
    if (random.chance(STAND_STILL_RATE))
      time.after(random.integer(0, SOON_MS), () => process.standStill(MINUTE_MS));
    if (!random.chance(EXPIRY_RATE)) return;
    tally.add('credentials expired');
    process.expireCredentials(random.magnitude(SECOND_MS, MAX_EXPIRED_MS));
  }

  #killWithin({ process }: Instance, durationMs: number): void {
    const { random, time } = this.#world.machine;
    time.after(random.integer(0, durationMs), () => process.die());
  }
}
