import type { Clock } from '../../lambdas/shared/runtime/clock.ts';
import type { ApiOptions } from '../api/server.ts';
import type { Functions } from '../functions/functions.ts';
import type { InvocationFailure } from '../functions/outcome.ts';
import type { Resolver } from '../template/intrinsics.ts';
import { resourcesOfType, type Template } from '../template/template.ts';
import type { Queue } from '../triggers/queue.ts';
import type { MetricStore } from './metric-store.ts';

const LAMBDA = 'AWS/Lambda';
const API_GATEWAY = 'AWS/ApiGateway';
const SQS = 'AWS/SQS';

/** The same functions, each invocation of which is measured as Lambda does. */
export function measureFunctions(
  functions: Functions,
  resolve: Resolver,
  store: MetricStore,
  clock: Clock,
): Functions {
  function measure(logicalId: string): (failure: InvocationFailure | undefined) => void {
    const startedAt = clock.now();
    const dimensions = { FunctionName: String(resolve({ Ref: logicalId })) };
    return (failure) => {
      const atMs = clock.now();
      const record = (name: string, value: number) =>
        store.record({ namespace: LAMBDA, name, dimensions, value, atMs });
      const isThrottled = failure?.kind === 'throttled';
      record('Throttles', isThrottled ? 1 : 0);
      if (isThrottled) return;
      record('Invocations', 1);
      record('Errors', failure === undefined ? 0 : 1);
      record('Duration', atMs - startedAt);
    };
  }

  return {
    async invoke(logicalId, event) {
      const end = measure(logicalId);
      const result = await functions.invoke(logicalId, event);
      end(result.kind === 'success' ? undefined : result);
      return result;
    },
    async invokeStreaming(logicalId, event) {
      const end = measure(logicalId);
      const result = await functions.invokeStreaming(logicalId, event);
      if (result.kind === 'success') {
        result.body.once('close', () => end(failureOf(result.body.errored)));
      } else end(result);
      return result;
    },
    close: functions.close,
  };
}

function failureOf(error: Error | null): InvocationFailure | undefined {
  if (error === null) return undefined;
  return { kind: 'function-error', errorType: error.name, errorMessage: error.message };
}

/** Callback of the API for each response. It measures as API Gateway does. */
export function measureApi(
  template: Template,
  resolve: Resolver,
  store: MetricStore,
  clock: Clock,
): NonNullable<ApiOptions['onResponse']> {
  const [api] = resourcesOfType(template, 'AWS::ApiGateway::RestApi');
  const dimensions = { ApiName: String(resolve(api?.properties.Name)) };
  return ({ status, latencyMs }) => {
    const atMs = clock.now();
    const record = (name: string, value: number) =>
      store.record({ namespace: API_GATEWAY, name, dimensions, value, atMs });
    record('Count', 1);
    record('4XXError', status >= 400 && status < 500 ? 1 : 0);
    record('5XXError', status >= 500 ? 1 : 0);
    record('Latency', latencyMs);
  };
}

/** Takes a sample of each queue. */
export function measureQueues(queues: Iterable<Queue>, store: MetricStore, clock: Clock): void {
  const atMs = clock.now();
  for (const queue of queues) {
    const dimensions = { QueueName: queue.settings.name };
    const record = (name: string, value: number) =>
      store.record({ namespace: SQS, name, dimensions, value, atMs });
    record('ApproximateNumberOfMessagesVisible', queue.counts().visible);
    record('ApproximateAgeOfOldestMessage', queue.oldestAgeSeconds());
  }
}
