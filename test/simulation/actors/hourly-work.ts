import type { Store } from '../../../lambdas/access/store/store.ts';
import type { WorkQueue } from '../../../lambdas/shared/aws/work-queue.ts';
import type { World } from '../world.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import { SimulatedQueue } from './simulated-queue.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const FUNCTION_TIMEOUT_MS = 5 * MINUTE_MS;
/** Some runs get hardly more time than the functions keep for handing on. */
const SHORT_RUN_MS = 30_100;
const SHORT_RUN_RATE = 0.1;
const EVENT_ATTEMPTS = 3;
const EVENT_RETRY_MS = MINUTE_MS;
const MAX_RECEIVES = 3;
/** Handed-on work that fails again and again is deleted: the run of the next hour does it. */
const MAX_REDRIVES = 2;
const MAX_LATENESS_MS = 3 * HOUR_MS;

/** A scheduled event, which has no records, or one with work that was handed on. */
export interface WorkEvent {
  readonly Records?: readonly { readonly body: string }[];
}

type HourlyRole = 'settlement' | 'audit' | 'seal';

/** The parts that one run of a function gets. */
export interface FunctionRun {
  readonly process: SimulatedProcess;
  readonly store: Store;
  readonly queue: WorkQueue;
  readonly remainingMs: () => number;
  readonly event: WorkEvent;
}

/** A function that a rule starts every hour: on time, twice, late or never, and that hands work on to itself. */
export class HourlyWork {
  readonly #world: World;
  readonly #role: HourlyRole;
  readonly #work: (run: FunctionRun) => Promise<void>;
  readonly #queue: SimulatedQueue;

  constructor(world: World, role: HourlyRole, work: (run: FunctionRun) => Promise<void>) {
    this.#world = world;
    this.#role = role;
    this.#work = work;
    this.#queue = new SimulatedQueue({
      name: role,
      machine: world.machine,
      weather: world.queueWeather,
      batchSize: 1,
      maxReceives: MAX_RECEIVES,
      maxRedrives: MAX_REDRIVES,
      consume: async (messages) => {
        await this.#run({ Records: messages });
        return [];
      },
    });
  }

  /** Fires once an hour, so long after its start, until it is over. */
  start(phaseMs: number, isOver: () => boolean): void {
    const { time } = this.#world.machine;
    const firstMs = Math.ceil((time.nowMs - phaseMs) / HOUR_MS) * HOUR_MS + phaseMs;
    time.at(firstMs, () => this.#fire(isOver));
  }

  #fire(isOver: () => boolean): void {
    const { time, random, tally } = this.#world.machine;
    if (isOver()) return;
    time.after(HOUR_MS, () => this.#fire(isOver));
    const fate = random.pick(['once', 'once', 'once', 'twice', 'late', 'never']);
    tally.add(`${this.#role} fired: ${fate}`);
    if (fate === 'never') return;
    time.after(fate === 'late' ? random.integer(MINUTE_MS, MAX_LATENESS_MS) : 0, () => this.#invoke());
    if (fate === 'twice') time.after(random.integer(0, MINUTE_MS), () => this.#invoke());
  }

  /** An asynchronous event is tried again when the function fails. */
  #invoke(attempt = 1): void {
    this.#run({}).catch(() => {
      if (attempt === EVENT_ATTEMPTS) return;
      this.#world.machine.time.after(attempt * EVENT_RETRY_MS, () => this.#invoke(attempt + 1));
    });
  }

  #run(event: WorkEvent): Promise<void> {
    const { time, random, tally } = this.#world.machine;
    tally.add(`${this.#role} runs`);
    const { process, store } = this.#world.open(this.#role);
    const endMs = time.nowMs + (random.chance(SHORT_RUN_RATE) ? SHORT_RUN_MS : FUNCTION_TIMEOUT_MS);
    const queue = { send: (work: object) => this.#queue.send(process, JSON.stringify(work)) };
    return new Promise((resolve, reject) => {
      let ended = false;
      const end = (conclude: () => void) => {
        ended = true;
        conclude();
      };
      this.#work({ process, store, queue, remainingMs: () => endMs - time.nowMs, event }).then(
        () => end(resolve),
        (error) => end(() => reject(error)),
      );
      time.at(endMs, () => {
        if (ended) return;
        process.die();
        reject(new Error('the function ran out of time'));
      });
    });
  }
}
