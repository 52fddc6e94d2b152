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

/**
 * Makes the pool of one function. At the function's reserved concurrency an invocation is throttled at once, as on
 * Lambda; at the bound of this machine it waits a while first. One that waits for a process at work has the place of the
 * process that would be started for it.
 */
export function createPool(
  configuration: FunctionConfiguration,
  services: LocalServices,
  onLine: (line: string) => void,
  busyWaitMs: number,
): FunctionPool {
  const reserved = configuration.reservedConcurrency ?? Number.POSITIVE_INFINITY;
  const limit = Math.min(reserved, MAX_ENVIRONMENTS_PER_FUNCTION);
  const maxWaiting = reserved > MAX_ENVIRONMENTS_PER_FUNCTION ? MAX_WAITING_INVOCATIONS : 0;
  const environments = new Set<Environment>();
  const idle: Environment[] = [];
  const waiting: Waiting[] = [];
  let closed = false;

  function start(): Environment {
    const environment = new Environment(configuration, services, { onIdle, onExit, onLine });
    environments.add(environment);
    return environment;
  }

  function onIdle(environment: Environment): void {
    if (!proceed(environment)) idle.push(environment);
  }

  function onExit(environment: Environment): void {
    environments.delete(environment);
    const place = idle.indexOf(environment);
    if (place >= 0) idle.splice(place, 1);
    if (waiting.length > 0 && !closed) proceed(start());
  }

  function proceed(environment: Environment | undefined): boolean {
    const next = waiting.shift();
    if (next === undefined) return false;
    clearTimeout(next.timer);
    next.proceed(environment);
    return true;
  }

  /** A free environment; undefined: throttled. */
  async function take(): Promise<Environment | undefined> {
    const free = idle.pop();
    if (free !== undefined) return free;
    const promised = waiting.filter(({ hasPlace }) => hasPlace).length;
    if (environments.size + promised >= limit) return waiting.length < maxWaiting ? wait(false) : undefined;
    return environments.size === 0 || busyWaitMs === 0 ? start() : wait(true);
  }

  function wait(hasPlace: boolean): Promise<Environment | undefined> {
    return new Promise((resolve) => {
      const waitMs = hasPlace ? busyWaitMs : MAX_WAIT_MS;
      const giveUp = () => {
        const starting = [...environments].filter(({ isReady }) => !isReady).length;
        if (hasPlace && starting >= MAX_STARTING) {
          entry.timer = setTimeout(giveUp, waitMs);
          return;
        }
        waiting.splice(waiting.indexOf(entry), 1);
        resolve(hasPlace ? start() : undefined);
      };
      const entry: Waiting = { timer: setTimeout(giveUp, waitMs), hasPlace, proceed: resolve };
      waiting.push(entry);
    });
  }

  return {
    async invoke(event) {
      const payload = Buffer.from(JSON.stringify(event));
      if (payload.length > MAX_EVENT_BYTES) return { kind: 'request-too-large' };
      const environment = closed ? undefined : await take();
      return environment?.invoke(payload) ?? { kind: 'throttled' };
    },
    async close() {
      closed = true;
      while (proceed(undefined));
      await Promise.all([...environments].map((environment) => environment.close()));
    },
  };
}
