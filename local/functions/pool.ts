import { availableParallelism } from 'node:os';
import type { FunctionConfiguration } from './configuration.ts';
import { Environment, type Reply } from './environment.ts';
import type { LocalServices } from './environment-variables.ts';

/** Most processes that one function may have on this machine. */
export const MAX_ENVIRONMENTS_PER_FUNCTION = 16;
/** Invocations that may wait for a process where Lambda itself would have started another. */
export const MAX_WAITING_INVOCATIONS = 1_024;
/** How long one may wait, in milliseconds. */
export const MAX_WAIT_MS = 10_000;
/**
 * How long an invocation waits for a process that is at work, before another is started. Lambda starts it at once; here
 * each process compiles its code anew, on the cores of those that answer.
 */
export const BUSY_WAIT_MS = 250;
/** Most processes of a function that start at the same time, unless none is there. */
const MAX_STARTING = availableParallelism();
/** Largest event of a synchronous invocation, in bytes. */
export const MAX_EVENT_BYTES = 6 * 1024 * 1024;

interface Waiting {
  timer: NodeJS.Timeout;
  /** Whether another environment may be started for it. */
  readonly hasPlace: boolean;
  readonly proceed: (environment: Environment | undefined) => void;
}

/** The environments of one function: started on demand, used again, never more than its concurrency. */
export interface FunctionPool {
  /** Runs one invocation to the moment at which the function begins to answer. */
  invoke(event: unknown): Promise<Reply>;
  /** Ends every process; invocations under way fail. */
  close(): Promise<void>;
}

/** Makes the pool of a function whose environments take one invocation at a time. */
export function createPool(
  configuration: FunctionConfiguration,
  services: LocalServices,
  onLine: (line: string) => void,
  busyWaitMs: number,
): FunctionPool {
  const start: StartEnvironment = (events) => new Environment(configuration, services, { ...events, onLine });
  return new OwnEnvironments(configuration.reservedConcurrency, start, busyWaitMs);
}

export type StartEnvironment = (events: {
  onIdle(environment: Environment): void;
  onExit(environment: Environment): void;
}) => Environment;

/**
 * The environments of one function, each for one invocation at a time, and the invocations that wait for one. At the
 * function's reserved concurrency an invocation is throttled at once, as on Lambda; at the bound of this machine it waits a
 * while first. One that waits for a process at work has the place of the process that would be started for it.
 */
class OwnEnvironments implements FunctionPool {
  readonly #startOne: StartEnvironment;
  readonly #busyWaitMs: number;
  readonly #limit: number;
  readonly #maxWaiting: number;
  readonly #environments = new Set<Environment>();
  readonly #idle: Environment[] = [];
  readonly #waiting: Waiting[] = [];
  #closed = false;

  /** @param reserved concurrency of the function; undefined: not limited */
  constructor(reserved: number | undefined, startOne: StartEnvironment, busyWaitMs: number) {
    this.#startOne = startOne;
    this.#busyWaitMs = busyWaitMs;
    this.#limit = Math.min(reserved ?? MAX_ENVIRONMENTS_PER_FUNCTION, MAX_ENVIRONMENTS_PER_FUNCTION);
    this.#maxWaiting =
      (reserved ?? Number.POSITIVE_INFINITY) > MAX_ENVIRONMENTS_PER_FUNCTION ? MAX_WAITING_INVOCATIONS : 0;
  }

  async invoke(event: unknown): Promise<Reply> {
    const payload = Buffer.from(JSON.stringify(event));
    if (payload.length > MAX_EVENT_BYTES) return { kind: 'request-too-large' };
    const environment = this.#closed ? undefined : await this.#take();
    return environment?.invoke(payload) ?? { kind: 'throttled' };
  }

  async close(): Promise<void> {
    this.#closed = true;
    while (this.#proceed(undefined));
    await Promise.all([...this.#environments].map((environment) => environment.close()));
  }

  #start(): Environment {
    const environment = this.#startOne({
      onIdle: (one) => {
        if (!this.#proceed(one)) this.#idle.push(one);
      },
      onExit: (one) => this.#ended(one),
    });
    this.#environments.add(environment);
    return environment;
  }

  #ended(environment: Environment): void {
    this.#environments.delete(environment);
    const place = this.#idle.indexOf(environment);
    if (place >= 0) this.#idle.splice(place, 1);
    if (this.#waiting.length > 0 && !this.#closed) this.#proceed(this.#start());
  }

  #proceed(environment: Environment | undefined): boolean {
    const next = this.#waiting.shift();
    if (next === undefined) return false;
    clearTimeout(next.timer);
    next.proceed(environment);
    return true;
  }

  /** A free environment; undefined: throttled. */
  async #take(): Promise<Environment | undefined> {
    const free = this.#idle.pop();
    if (free !== undefined) return free;
    const promised = this.#waiting.filter(({ hasPlace }) => hasPlace).length;
    if (this.#environments.size + promised >= this.#limit)
      return this.#waiting.length < this.#maxWaiting ? this.#wait(false) : undefined;
    return this.#environments.size === 0 || this.#busyWaitMs === 0 ? this.#start() : this.#wait(true);
  }

  #wait(hasPlace: boolean): Promise<Environment | undefined> {
    return new Promise((resolve) => {
      const waitMs = hasPlace ? this.#busyWaitMs : MAX_WAIT_MS;
      const giveUp = () => {
        const starting = [...this.#environments].filter(({ isReady }) => !isReady).length;
        if (hasPlace && starting >= MAX_STARTING) {
          entry.timer = setTimeout(giveUp, waitMs);
          return;
        }
        this.#waiting.splice(this.#waiting.indexOf(entry), 1);
        resolve(hasPlace ? this.#start() : undefined);
      };
      const entry: Waiting = { timer: setTimeout(giveUp, waitMs), hasPlace, proceed: resolve };
      this.#waiting.push(entry);
    });
  }
}
