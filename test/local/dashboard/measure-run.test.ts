import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureApi, measureFunctions, measureQueues } from '../../../local/dashboard/measure-run.ts';
import { metricKey } from '../../../local/dashboard/metric-series.ts';
import { MetricStore } from '../../../local/dashboard/metric-store.ts';
import type { InvocationFailure } from '../../../local/functions/outcome.ts';
import { Queue } from '../../../local/triggers/queue.ts';
import { functionResource, loadAssembly } from '../assembly.ts';

const START = 1_800_000_000_000;

function measured() {
  const clock = { atMs: START, now: () => clock.atMs };
  const store = new MetricStore(clock);
  const of = (namespace: string, name: string, dimensions: Record<string, string>) =>
    store.between(metricKey({ namespace, name, dimensions }), START, START + 60_000);
  return { clock, store, of };
}

/** What is measured of an invocation of 250 ms that ends so. */
function measuredRun(failure: InvocationFailure | undefined): object {
  const { clock, store, of } = measured();
  const { template, resolver } = loadAssembly({ F: functionResource('code') }, { code: { 'index.js': '' } });
  const end = measureFunctions(resolver, store, clock)('F');
  clock.atMs += 250;
  end(failure);
  const sum = (name: string) => of('AWS/Lambda', name, { FunctionName: `${template.stackName}-F` });
  const names = ['Invocations', 'Errors', 'Throttles', 'Duration'];
  return Object.fromEntries(names.map((name) => [name, sum(name).count === 0 ? null : sum(name).sum]));
}

test.each<[string, InvocationFailure | undefined, object]>([
  ['a success', undefined, { Invocations: 1, Errors: 0, Throttles: 0, Duration: 250 }],
  [
    'a time-out',
    { kind: 'timed-out', timeoutMs: 1 },
    { Invocations: 1, Errors: 1, Throttles: 0, Duration: 250 },
  ],
  ['a throttle', { kind: 'throttled' }, { Invocations: null, Errors: null, Throttles: 1, Duration: null }],
])('%s of a function', (_, failure, expected) => expect(measuredRun(failure)).toEqual(expected));

test('answers of the API', () => {
  const { store, clock, of } = measured();
  const { template, resolver } = loadAssembly({
    Api: { Type: 'AWS::ApiGateway::RestApi', Properties: { Name: 'the-api' } },
  });
  const onResponse = measureApi(template, resolver, store, clock);
  for (const status of [200, 301, 404, 429, 503]) onResponse({ status, latencyMs: status });
  const sum = (name: string) => of('AWS/ApiGateway', name, { ApiName: 'the-api' }).sum;
  expect(['Count', '4XXError', '5XXError'].map(sum)).toEqual([5, 2, 1]);
  expect(of('AWS/ApiGateway', 'Latency', { ApiName: 'the-api' }).maximum).toBe(503);
});

test('messages of queues', () => {
  const { store, clock, of } = measured();
  const folder = mkdtempSync(join(tmpdir(), 'queue-'));
  try {
    const settings = {
      name: 'work',
      arn: 'arn',
      visibilityTimeoutSeconds: 30,
      delaySeconds: 0,
      retentionSeconds: 60,
      maxMessageBytes: 100,
    };
    const queue = new Queue(settings, folder, clock);
    queue.send('one');
    queue.send('two');
    queue.receive(1);
    clock.atMs += 5_000;
    measureQueues([queue], store, clock);
    const sample = (name: string) => of('AWS/SQS', name, { QueueName: 'work' });
    expect(sample('ApproximateNumberOfMessagesVisible')).toMatchObject({ count: 1, sum: 1 });
    expect(sample('ApproximateAgeOfOldestMessage')).toMatchObject({ count: 1, sum: 5 });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
