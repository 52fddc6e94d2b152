import { availableParallelism } from 'node:os';
import type { FunctionConfiguration } from './configuration.ts';
import { Environment, type Reply } from './environment.ts';
import type { LocalServices } from './environment-variables.ts';

/** Most processes that one function may have on this machine. */
const MAX_ENVIRONMENTS_PER_FUNCTION = 16;
/** Invocations that may wait for a process where Lambda itself would have started another. */
const MAX_WAITING_INVOCATIONS = 1_024;
/** How long one may wait while no process starts, in milliseconds. */
const MAX_WAIT_MS = 10_000;
/**
 * How long an invocation waits for a process that is at work, before another is started. Lambda starts it at once; here
 * each process compiles its code anew, on the cores of those that answer.
 */
export const BUSY_WAIT_MS = 250;
/** Most processes of a function that start at the same time. */
const MAX_STARTING = availableParallelism();
/** Largest event of a synchronous invocation, in bytes. */
const MAX_EVENT_BYTES = 6 * 1024 * 1024;

const THROTTLED: Reply = { kind: 'throttled' };

interface Waiting {
  timer: NodeJS.Timeout | undefined;
  readonly since: number;
  readonly payload: Buffer;
  readonly settle: (reply: Reply | Promise<Reply>) => void;
}

/** The environments of one function: started on demand, used again, never more than its concurrency. */
export interface FunctionPool {
  /** Runs one invocation to the moment at which the function begins to answer. */
  invoke(event: unknown): Promise<Reply>;
  /** Ends every process; invocations under way fail. */
  close(): Promise<void>;
}

/**
 * Makes the pool of a function. On instances, each environment takes many invocations, and another is started at once when
 * all are full, one at a time: Lambda has some started before, and refuses what they cannot take.
 */
export function createPool(
  configuration: FunctionConfiguration,
  services: LocalServices,
  onLine: (line: string) => void,
  busyWaitMs: number,
): FunctionPool {
  const { instances, reservedConcurrency = Number.POSITIVE_INFINITY } = configuration;
  const most = instances === undefined ? reservedConcurrency : instances.maxEnvironments;
  const isBoundHere = instances !== undefined || reservedConcurrency > MAX_ENVIRONMENTS_PER_FUNCTION;
  return new Environments((events) => new Environment(configuration, services, { ...events, onLine }), {
    limit: Math.min(most ?? MAX_ENVIRONMENTS_PER_FUNCTION, MAX_ENVIRONMENTS_PER_FUNCTION),
    maxWaiting: isBoundHere ? MAX_WAITING_INVOCATIONS : 0,
    room: instances?.requestsPerEnvironment ?? 1,
    busyWaitMs: instances === undefined ? busyWaitMs : 0,
    maxStarting: instances === undefined ? MAX_STARTING : 1,
  });
}

type StartEnvironment = (events: {
  onIdle(environment: Environment): void;
  onExit(environment: Environment): void;
}) => Environment;

/** How many environments there may be, and when another is started. */
interface PoolBounds {
  readonly limit: number;
  /** Invocations that may wait beyond those that the environments have room for. */
  readonly maxWaiting: number;
  /** Invocations that one environment takes at a time. */
  readonly room: number;
  /** How long an invocation waits for a busy environment before another is started; 0: it does not. */
  readonly busyWaitMs: number;
  /** Most environments that start at the same time. */
  readonly maxStarting: number;
}

/**
 * The environments of one function, and the invocations that wait for one: the oldest environment with room takes the next.
 * At the function's reserved concurrency an invocation is throttled at once, as on Lambda; at the bound of this machine
 * it waits a while first.
 */
class Environments implements FunctionPool {
  readonly #startOne: StartEnvironment;
  readonly #bounds: PoolBounds;
  /** In the order of their starts. */
  readonly #environments = new Set<Environment>();
  readonly #waiting: Waiting[] = [];
  #closed = false;

  constructor(startOne: StartEnvironment, bounds: PoolBounds) {
    this.#startOne = startOne;
    this.#bounds = bounds;
  }

  async invoke(event: unknown): Promise<Reply> {
    const payload = Buffer.from(JSON.stringify(event));
    if (payload.length > MAX_EVENT_BYTES) return { kind: 'request-too-large' };
    if (this.#closed) return THROTTLED;
    const roomy = [...this.#environments].find(({ isReady, hasRoom }) => isReady && hasRoom);
    if (roomy !== undefined) return roomy.invoke(payload);
    const { limit, maxWaiting, room } = this.#bounds;
    const full = [...this.#environments].filter(({ hasRoom }) => !hasRoom).length;
    return full * room + this.#waiting.length < limit * room + maxWaiting ? this.#wait(payload) : THROTTLED;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { timer, settle } of this.#waiting.splice(0)) {
      clearTimeout(timer);
      settle(THROTTLED);
    }
    await Promise.all([...this.#environments].map((environment) => environment.close()));
  }

  get #starting(): readonly Environment[] {
    return [...this.#environments].filter(({ isReady }) => !isReady);
  }

  /** Starts one more environment for what has waited longest, if those that start have no room for all that waits. */
  #grow(): void {
    const { limit, room, maxStarting } = this.#bounds;
    const starting = this.#starting;
    if (this.#closed || this.#environments.size >= limit || starting.length >= maxStarting) return;
    if (starting.filter(({ hasRoom }) => hasRoom).length * room >= this.#waiting.length) return;
    const environment = this.#startOne({
      onIdle: (one) => this.#serve(one),
      onExit: (one) => this.#ended(one),
    });
    this.#environments.add(environment);
    this.#serveNext(environment);
  }

  #serve(environment: Environment): void {
    while (environment.hasRoom && this.#waiting.length > 0) this.#serveNext(environment);
    if (this.#bounds.busyWaitMs === 0) this.#grow();
  }

  /** What waited for an environment that could not start gets the reason. */
  #ended(environment: Environment): void {
    this.#environments.delete(environment);
    if (!environment.isReady)
      for (let served = 1; served < this.#bounds.room && this.#waiting.length > 0; served += 1)
        this.#serveNext(environment);
    this.#grow();
  }

  #serveNext(environment: Environment): void {
    const next = this.#waiting.shift();
    if (next === undefined) return;
    clearTimeout(next.timer);
    next.settle(environment.invoke(next.payload));
  }

  #wait(payload: Buffer): Promise<Reply> {
    return new Promise((settle) => {
      const entry: Waiting = { timer: undefined, since: performance.now(), payload, settle };
      this.#waiting.push(entry);
      this.#watch(entry);
      if (this.#environments.size === 0 || this.#bounds.busyWaitMs === 0) this.#grow();
    });
  }

  /** Looks after an invocation that still waits: another environment starts for it, or it is throttled. */
  #watch(entry: Waiting): void {
    entry.timer = setTimeout(() => {
      this.#grow();
      if (!this.#waiting.includes(entry)) return;
      const isLate = performance.now() - entry.since >= MAX_WAIT_MS;
      if (!isLate || this.#starting.length > 0) return this.#watch(entry);
      this.#waiting.splice(this.#waiting.indexOf(entry), 1);
      entry.settle(THROTTLED);
    }, this.#bounds.busyWaitMs || BUSY_WAIT_MS);
  }
}
