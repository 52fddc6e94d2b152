import type { FunctionConfiguration, InstanceSettings } from './configuration.ts';
import { Environment, type Reply } from './environment.ts';
import type { LocalServices } from './environment-variables.ts';
import {
  type FunctionPool,
  MAX_ENVIRONMENTS_PER_FUNCTION,
  MAX_EVENT_BYTES,
  MAX_WAIT_MS,
  MAX_WAITING_INVOCATIONS,
} from './pool.ts';

interface Waiting {
  readonly timer: NodeJS.Timeout;
  readonly payload: Buffer;
  readonly settle: (reply: Reply | Promise<Reply>) => void;
}

/**
 * Makes the pool of a function on instances, whose environments take many invocations each: the oldest that has room gets
 * the next. When all are full another is started, one at a time, and what came meanwhile waits for any of them; Lambda
 * has some started before, and refuses what they cannot take.
 */
export function createSharedPool(
  configuration: FunctionConfiguration,
  { maxEnvironments = Number.POSITIVE_INFINITY }: InstanceSettings,
  services: LocalServices,
  onLine: (line: string) => void,
): FunctionPool {
  const limit = Math.min(maxEnvironments, MAX_ENVIRONMENTS_PER_FUNCTION);
  /** In the order of their starts. */
  const environments = new Set<Environment>();
  const waiting: Waiting[] = [];
  let closed = false;

  function grow(): void {
    const isStarting = [...environments].some(({ isReady }) => !isReady);
    if (closed || isStarting || environments.size >= limit) return;
    environments.add(new Environment(configuration, services, { onIdle, onExit, onLine }));
  }

  function onIdle(environment: Environment): void {
    while (environment.hasRoom && waiting.length > 0) serveNext(environment);
    if (waiting.length > 0) grow();
  }

  /** Those that waited for one that could not start are told why. */
  function onExit(environment: Environment): void {
    environments.delete(environment);
    if (!environment.isReady) while (waiting.length > 0) serveNext(environment);
    if (waiting.length > 0) grow();
  }

  function serveNext(environment: Environment): void {
    const next = waiting.shift();
    if (next === undefined) return;
    clearTimeout(next.timer);
    next.settle(environment.invoke(next.payload));
  }

  function wait(payload: Buffer): Promise<Reply> {
    return new Promise((settle) => {
      const giveUp = () => {
        waiting.splice(waiting.indexOf(entry), 1);
        settle({ kind: 'throttled' });
      };
      const entry: Waiting = { timer: setTimeout(giveUp, MAX_WAIT_MS), payload, settle };
      waiting.push(entry);
      grow();
    });
  }

  return {
    async invoke(event) {
      const payload = Buffer.from(JSON.stringify(event));
      if (payload.length > MAX_EVENT_BYTES) return { kind: 'request-too-large' };
      const roomy = [...environments].find(({ isReady, hasRoom }) => isReady && hasRoom);
      if (closed || (roomy === undefined && waiting.length >= MAX_WAITING_INVOCATIONS))
        return { kind: 'throttled' };
      return roomy === undefined ? wait(payload) : roomy.invoke(payload);
    },
    async close() {
      closed = true;
      for (const { timer, settle } of waiting.splice(0)) {
        clearTimeout(timer);
        settle({ kind: 'throttled' });
      }
      await Promise.all([...environments].map((environment) => environment.close()));
    },
  };
}
