import type { FunctionConfiguration, InstanceSettings } from './configuration.ts';
import { Environment, type Reply } from './environment.ts';
import type { LocalServices } from './environment-variables.ts';
import { type FunctionPool, MAX_EVENT_BYTES } from './pool.ts';
import { createSharedPool } from './shared-pool.ts';

/** Makes the pool of a function on instances, whose environments take many invocations each. */
export function createInstancesPool(
  configuration: FunctionConfiguration,
  { maxEnvironments }: InstanceSettings,
  services: LocalServices,
  onLine: (line: string) => void,
): FunctionPool {
  const pool = createSharedPool<Environment, Buffer, Reply>({
    maxEnvironments,
    start: (events) => new Environment(configuration, services, { ...events, onLine }),
    serve: (environment, payload) => environment.invoke(payload),
    refused: () => ({ kind: 'throttled' }),
    waitsWhenFull: true,
  });
  return {
    async invoke(event) {
      const payload = Buffer.from(JSON.stringify(event));
      return payload.length > MAX_EVENT_BYTES ? { kind: 'request-too-large' } : pool.take(payload);
    },
    close: pool.close,
  };
}
