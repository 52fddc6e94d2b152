import type { MetricId } from './metric-series.ts';

/** What AWS measures by itself and a local run can know, by namespace: the dimensions, and the metrics. */
const KNOWN: Readonly<Record<string, { readonly dimension: string; readonly names: readonly string[] }>> = {
  'AWS/Lambda': { dimension: 'FunctionName', names: ['Invocations', 'Errors', 'Duration', 'Throttles'] },
  'AWS/ApiGateway': { dimension: 'ApiName', names: ['Count', '4XXError', '5XXError', 'Latency'] },
  'AWS/SQS': {
    dimension: 'QueueName',
    names: ['ApproximateAgeOfOldestMessage', 'ApproximateNumberOfMessagesVisible'],
  },
  // AWS has a value only where there was an event. A local run delivers each event, and the embedded DynamoDB never throttles.
  'AWS/Events': { dimension: 'RuleName', names: ['FailedInvocations', 'InvocationsFailedToBeSentToDlq'] },
  'AWS/DynamoDB': { dimension: 'TableName', names: ['ReadThrottleEvents', 'WriteThrottleEvents'] },
};

/** Whether a local run knows the values of a metric; the functions' own metrics are all known. */
export function isKnownLocally({ namespace, name, dimensions }: MetricId): boolean {
  if (!namespace.startsWith('AWS/')) return true;
  const known = KNOWN[namespace];
  return known?.names.includes(name) === true && Object.keys(dimensions).join() === known.dimension;
}
