import type { Clock } from '../../lambdas/shared/runtime/clock.ts';
import type { ApiOptions } from '../api/server.ts';
import type { FunctionsOptions } from '../functions/functions.ts';
import type { Resolver } from '../template/intrinsics.ts';
import { resourcesOfType, type Template } from '../template/template.ts';
import type { Queue } from '../triggers/queue.ts';
import type { MetricStore } from './metric-store.ts';

const LAMBDA = 'AWS/Lambda';
const API_GATEWAY = 'AWS/ApiGateway';
const SQS = 'AWS/SQS';

/** Callback of the functions for each invocation. It measures as Lambda does. */
export function measureFunctions(
  resolve: Resolver,
  store: MetricStore,
  clock: Clock,
): NonNullable<FunctionsOptions['onInvocation']> {
  return (logicalId) => {
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
  };
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
