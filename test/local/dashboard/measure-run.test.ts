import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { measureApi, measureFunctions, measureQueues } from '../../../local/dashboard/measure-run.ts';
import { metricKey } from '../../../local/dashboard/metric-series.ts';
import { MetricStore } from '../../../local/dashboard/metric-store.ts';
import type { InvokeResult, StreamingResult } from '../../../local/functions/outcome.ts';
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

function measuredFunctions(response: InvokeResult | StreamingResult) {
  const world = measured();
  const { template, resolver } = loadAssembly({ F: functionResource('code') }, { code: { 'index.js': '' } });
  const functions = measureFunctions(
    {
      invoke: async () => response as InvokeResult,
      invokeStreaming: async () => response as StreamingResult,
      close: async () => {},
    },
    resolver,
    world.store,
    world.clock,
  );
  const figures = () => {
    const sum = (name: string) => world.of('AWS/Lambda', name, { FunctionName: `${template.stackName}-F` });
    const names = ['Invocations', 'Errors', 'Throttles', 'Duration'];
    return Object.fromEntries(names.map((name) => [name, sum(name).count === 0 ? null : sum(name).sum]));
  };
  return { ...world, functions, figures };
}

test.each<[string, InvokeResult, object]>([
  [
    'a success',
    { kind: 'success', payload: Buffer.alloc(0) },
    { Invocations: 1, Errors: 0, Throttles: 0, Duration: 0 },
  ],
  [
    'an error',
    { kind: 'function-error', errorType: 'E', errorMessage: '' },
    { Invocations: 1, Errors: 1, Throttles: 0, Duration: 0 },
  ],
  [
    'a time-out',
    { kind: 'timed-out', timeoutMs: 1 },
    { Invocations: 1, Errors: 1, Throttles: 0, Duration: 0 },
  ],
  ['a throttle', { kind: 'throttled' }, { Invocations: null, Errors: null, Throttles: 1, Duration: null }],
])('%s of a function', async (_, response, expected) => {
  const { functions, figures } = measuredFunctions(response);
  expect(await functions.invoke('F', {})).toBe(response);
  expect(figures()).toEqual(expected);
});

test('a function that streams runs until its body ends, and fails with it', async () => {
  for (const error of [undefined, new Error('cut')]) {
    const body = new PassThrough();
    body.on('error', () => {});
    const { clock, functions, figures } = measuredFunctions({ kind: 'success', metadata: {}, body });
    await functions.invokeStreaming('F', {});
    expect(figures()).toMatchObject({ Invocations: null });
    clock.atMs += 250;
    const closed = new Promise((resolve) => body.once('close', resolve));
    body.destroy(error);
    await closed;
    expect(figures()).toEqual({ Invocations: 1, Errors: error ? 1 : 0, Throttles: 0, Duration: 250 });
  }
});

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
