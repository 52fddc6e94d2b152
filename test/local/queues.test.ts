import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PurgeQueueCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { localClientConfig } from '../../local/client-config.ts';
import { createAttributes } from '../../local/template/attributes.ts';
import { createResolver } from '../../local/template/intrinsics.ts';
import { type InvokeFunction, startEventSources } from '../../local/triggers/event-sources.ts';
import type { Queue } from '../../local/triggers/queue.ts';
import { type SqsEndpoint, startSqsEndpoint } from '../../local/triggers/sqs-endpoint.ts';
import { openQueues } from '../../local/triggers/template-queues.ts';
import { ACCESS_KEY_ID } from './access-key.ts';
import { makeTemplate } from './make-template.ts';

const VISIBILITY_SECONDS = 60;
const RETENTION_SECONDS = 3_600;

const clock = { time: 0, now: () => clock.time };
let folder: string;
let queues: Map<string, Queue>;
let endpoint: SqsEndpoint;
let client: SQSClient;
let url: string;

const template = makeTemplate({
  DeadLetters: { Type: 'AWS::SQS::Queue', Properties: {} },
  Charges: {
    Type: 'AWS::SQS::Queue',
    Properties: {
      VisibilityTimeout: VISIBILITY_SECONDS,
      MessageRetentionPeriod: RETENTION_SECONDS,
      MaximumMessageSize: 2_048,
      RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': ['DeadLetters', 'Arn'] }, maxReceiveCount: 2 },
    },
  },
  Consumer: { Type: 'AWS::Lambda::Function', Properties: {} },
  Mapping: {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: {
      BatchSize: 10,
      EventSourceArn: { 'Fn::GetAtt': ['Charges', 'Arn'] },
      FunctionName: { Ref: 'Consumer' },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    },
  },
});

beforeEach(async () => {
  clock.time = Date.parse('2026-11-20T23:00:00Z');
  folder = mkdtempSync(join(tmpdir(), 'queues-'));
  queues = new Map();
  endpoint = await startSqsEndpoint(queues, ACCESS_KEY_ID);
  openAll();
  url = endpoint.queueUrl('stack-Charges');
  client = new SQSClient({ ...localClientConfig(endpoint.url, ACCESS_KEY_ID), maxAttempts: 1 });
});

afterEach(async () => {
  client.destroy();
  await endpoint.close();
  rmSync(folder, { recursive: true });
});

function resolver() {
  return createResolver(template, { attribute: createAttributes(template, endpoint.url) });
}

/** What a restart does: everything is read from the folder. */
function openAll(): void {
  for (const [name, queue] of openQueues(template, resolver(), folder, clock)) queues.set(name, queue);
}

function send(body: string, delaySeconds?: number) {
  return client.send(
    new SendMessageCommand({ QueueUrl: url, MessageBody: body, DelaySeconds: delaySeconds }),
  );
}

function queue(name = 'stack-Charges'): Queue {
  const found = queues.get(name);
  if (found === undefined) throw new Error(`no queue ${name}`);
  return found;
}

function receiveBodies(name?: string): string[] {
  return queue(name)
    .receive(10)
    .map(({ body }) => body);
}

test('a message is received, hidden while it is in flight, and gone once deleted', async () => {
  const sent = await send('one ☃');
  const [message] = queue().receive(10);
  expect(message).toMatchObject({
    messageId: sent.MessageId,
    body: 'one ☃',
    receiveCount: 1,
    sentAt: clock.time,
  });
  expect(receiveBodies()).toEqual([]);
  queue().delete(message?.receiptHandle ?? '');
  clock.time += VISIBILITY_SECONDS * 1_000;
  expect(receiveBodies()).toEqual([]);
  expect(readdirSync(join(folder, 'stack-Charges'))).toEqual([]);
});

test('a message that is not deleted comes again after its visibility time-out, with a new handle', async () => {
  await send('one');
  const [first] = queue().receive(10);
  clock.time += VISIBILITY_SECONDS * 1_000 - 1;
  expect(receiveBodies()).toEqual([]);
  clock.time += 1;
  const [second] = queue().receive(10);
  expect(second).toMatchObject({ body: 'one', receiveCount: 2 });
  queue().delete(first?.receiptHandle ?? '');
  expect(queue().counts()).toEqual({ visible: 0, delayed: 0, inFlight: 1 });
});

test('a message that was received too often goes to the dead-letter queue', async () => {
  await send('poison');
  for (let delivery = 1; delivery <= 2; delivery += 1) {
    expect(receiveBodies()).toEqual(['poison']);
    clock.time += VISIBILITY_SECONDS * 1_000;
  }
  expect(receiveBodies()).toEqual([]);
  expect(receiveBodies('stack-DeadLetters')).toEqual(['poison']);
});

test('a delayed message waits, and an old one is dropped', async () => {
  await send('later', 30);
  expect(receiveBodies()).toEqual([]);
  clock.time += 30_000;
  expect(receiveBodies()).toEqual(['later']);
  clock.time += RETENTION_SECONDS * 1_000;
  expect(receiveBodies()).toEqual([]);
});

test('a receiver that waits gets a message as soon as it is sent', async () => {
  const waiting = queue().arrival(RETENTION_SECONDS * 1_000);
  await send('now');
  await waiting;
  expect(receiveBodies()).toEqual(['now']);
});

test('what a queue does not do is refused by name', async () => {
  const attributes = { kind: { DataType: 'String', StringValue: 'x' } };
  const withAttributes = new SendMessageCommand({
    QueueUrl: url,
    MessageBody: 'one',
    MessageAttributes: attributes,
  });
  await expect(client.send(withAttributes)).rejects.toThrow(/MessageAttributes/);
  await expect(client.send(new PurgeQueueCommand({ QueueUrl: url }))).rejects.toThrow(
    /PurgeQueue is not supported/,
  );
  await expect(send('x'.repeat(2_049))).rejects.toMatchObject({ name: 'InvalidParameterValue' });
  const unknown = new SendMessageCommand({ QueueUrl: endpoint.queueUrl('stack-None'), MessageBody: 'one' });
  await expect(client.send(unknown)).rejects.toMatchObject({ name: 'QueueDoesNotExist' });
});

test('a restart goes on with every message, in order and in flight, and without half-written files', async () => {
  await send('one');
  expect(receiveBodies()).toEqual(['one']);
  clock.time += 1;
  await send('two');
  clock.time += 1;
  await send('three');
  writeFileSync(join(folder, 'stack-Charges', 'torn.new'), '{"id":');
  openAll();
  expect(receiveBodies()).toEqual(['two', 'three']);
  clock.time += VISIBILITY_SECONDS * 1_000;
  expect(receiveBodies()).toEqual(['one', 'two', 'three']);
  expect(readdirSync(join(folder, 'stack-Charges'))).toHaveLength(3);
});

/** Runs the mapping of the template until `done` resolves, and returns what failed. */
async function deliverUntil(done: Promise<void>, invoke: InvokeFunction): Promise<string[]> {
  const failures: string[] = [];
  const sources = startEventSources({
    template,
    resolve: resolver(),
    queues,
    invoke,
    onFailure: (logicalId, error) => failures.push(`${logicalId}: ${error}`),
  });
  await done;
  await sources.close();
  return failures;
}

interface DeliveryEvent {
  readonly Records: readonly { readonly messageId: string; readonly body: string }[];
}

test('messages are delivered as Lambda does and deleted when the function succeeds', async () => {
  await send('one');
  await send('two');
  const delivered = Promise.withResolvers<void>();
  const events: [string, DeliveryEvent][] = [];
  const failures = await deliverUntil(delivered.promise, async (logicalId, event) => {
    events.push([logicalId, event as DeliveryEvent]);
    delivered.resolve();
    return null;
  });
  expect(failures).toEqual([]);
  expect(events).toEqual([['Consumer', { Records: [expect.anything(), expect.anything()] }]]);
  expect(events[0]?.[1].Records[0]).toEqual({
    messageId: expect.any(String),
    receiptHandle: expect.any(String),
    body: 'one',
    attributes: expect.objectContaining({ ApproximateReceiveCount: '1' }),
    messageAttributes: {},
    md5OfBody: 'f97c5d29941bfb1b2fdab0874906ab82',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:stack-Charges',
    awsRegion: 'us-east-1',
  });
  expect(queue().counts()).toEqual({ visible: 0, delayed: 0, inFlight: 0 });
});

test.each([
  ['throws', () => Promise.reject(new Error('no')), 2, ['Consumer: Error: no']],
  ['reports one', (ids: string[]) => ({ batchItemFailures: [{ itemIdentifier: ids[0] }] }), 1, []],
  ['reports an unknown one', () => ({ batchItemFailures: [{ itemIdentifier: 'other' }] }), 2, []],
  ['reports nonsense', () => ({ batchItemFailures: 'all' }), 2, []],
  ['reports none', () => ({ batchItemFailures: [] }), 0, []],
])(
  'messages stay when the function %s',
  async (_, respond: (ids: string[]) => unknown, left, expectedFailures) => {
    await send('one');
    await send('two');
    const delivered = Promise.withResolvers<void>();
    const failures = await deliverUntil(delivered.promise, async (_id, event) => {
      delivered.resolve();
      return respond((event as DeliveryEvent).Records.map(({ messageId }) => messageId));
    });
    expect(failures).toEqual(expectedFailures);
    expect(queue().counts().inFlight).toBe(left);
  },
);

test('closing waits for the delivery that is under way', async () => {
  await send('one');
  const begun = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const closed = deliverUntil(begun.promise, async () => {
    begun.resolve();
    await finish.promise;
    return null;
  });
  await begun.promise;
  await new Promise((resolve) => setImmediate(resolve));
  expect(queue().counts().inFlight).toBe(1);
  finish.resolve();
  await closed;
  expect(queue().counts().inFlight).toBe(0);
});

test('closing does not wait for a delivery that hangs; its message stays', async () => {
  await send('one');
  const begun = Promise.withResolvers<void>();
  const failures = await deliverUntil(begun.promise, () => {
    begun.resolve();
    return new Promise(() => undefined);
  });
  expect(failures).toEqual([]);
  expect(queue().counts()).toEqual({ visible: 0, delayed: 0, inFlight: 1 });
});
