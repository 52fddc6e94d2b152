import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { createAttributes } from '../../local/attributes.ts';
import { localClientConfig } from '../../local/client-config.ts';
import { createResolver } from '../../local/intrinsics.ts';
import type { InvokeFunction } from '../../local/queues/event-sources.ts';
import type { Queue } from '../../local/queues/queue.ts';
import { openQueues } from '../../local/queues/template-queues.ts';
import { startStreamSources } from '../../local/streams/stream-sources.ts';
import { createTables } from '../../local/tables.ts';
import type { Template } from '../../local/template.ts';
import { EMULATORS } from '../emulators/emulators.ts';
import type { Emulator } from '../emulators/server-process.ts';
import { makeTemplate } from './make-template.ts';

const POLL_MS = 10;
const MAX_AGE_SECONDS = 3_600;

const MAPPING = {
  BatchSize: 100,
  BisectBatchOnFunctionError: true,
  DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': ['Discarded', 'Arn'] } } },
  EventSourceArn: { 'Fn::GetAtt': ['Accounts', 'StreamArn'] },
  FunctionName: { Ref: 'Consumer' },
  FunctionResponseTypes: ['ReportBatchItemFailures'],
  MaximumRecordAgeInSeconds: MAX_AGE_SECONDS,
  StartingPosition: 'TRIM_HORIZON',
};

function templateWith(mapping: object = {}): Template {
  return makeTemplate({
    Discarded: { Type: 'AWS::SQS::Queue', Properties: {} },
    Consumer: { Type: 'AWS::Lambda::Function', Properties: {} },
    Accounts: {
      Type: 'AWS::DynamoDB::Table',
      Properties: {
        KeySchema: [{ AttributeName: 'account', KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: 'account', AttributeType: 'S' }],
        StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
      },
    },
    Mapping: { Type: 'AWS::Lambda::EventSourceMapping', Properties: { ...MAPPING, ...mapping } },
  });
}

describe.each(EMULATORS)('streams of $name', ({ start }) => {
  let emulator: Emulator;
  let client: DynamoDBClient;
  let folder: string;
  let queues: ReadonlyMap<string, Queue>;
  const clock = { time: 0, now: () => clock.time };
  let delivered: string[][];
  let failures: string[];

  beforeEach(async () => {
    emulator = await start();
    client = new DynamoDBClient(localClientConfig(emulator.endpoint));
    folder = mkdtempSync(join(tmpdir(), 'streams-'));
    clock.time = Date.now();
    delivered = [];
    failures = [];
    const { template, resolve } = stack();
    await createTables(template, resolve, emulator.endpoint);
    queues = openQueues(template, resolve, join(folder, 'queues'), clock);
  });

  afterEach(async () => {
    client.destroy();
    await emulator.close();
    rmSync(folder, { recursive: true });
  });

  function stack(mapping?: object) {
    const template = templateWith(mapping);
    return {
      template,
      resolve: createResolver(template, { attribute: createAttributes(template, 'http://sqs') }),
    };
  }

  async function change(account: string, value: number): Promise<void> {
    await client.send(
      new UpdateItemCommand({
        TableName: 'stack-Accounts',
        Key: { account: { S: account } },
        UpdateExpression: 'SET charged = :value',
        ExpressionAttributeValues: { ':value': { N: String(value) } },
      }),
    );
  }

  /** Runs the mapping, answering each batch by `answer`, until `enough` says so. */
  async function consume(
    enough: () => boolean,
    answer: (values: string[], event: DynamoDBStreamEvent) => unknown = () => ({ batchItemFailures: [] }),
    mapping?: object,
  ): Promise<void> {
    const done = Promise.withResolvers<void>();
    const invoke: InvokeFunction = async (logicalId, event) => {
      expect(logicalId).toBe('Consumer');
      const stream = event as DynamoDBStreamEvent;
      const values = stream.Records.map(({ dynamodb }) => dynamodb?.NewImage?.charged?.N ?? '');
      delivered.push(values);
      try {
        return answer(values, stream);
      } finally {
        if (enough()) done.resolve();
      }
    };
    const sources = startStreamSources({
      ...stack(mapping),
      queues,
      invoke,
      endpoint: emulator.endpoint,
      folder: join(folder, 'streams'),
      clock,
      onFailure: (logicalId, error) => failures.push(`${logicalId}: ${error}`),
      pollMs: POLL_MS,
    });
    await done.promise;
    await sources.close();
  }

  const seen = () => delivered.flat();
  const failing = (event: DynamoDBStreamEvent, value: string) =>
    event.Records.filter(({ dynamodb }) => dynamodb?.NewImage?.charged?.N === value).map(({ dynamodb }) => ({
      itemIdentifier: dynamodb?.SequenceNumber,
    }));

  test('changes come in order, with the item before and after, as Lambda delivers them', async () => {
    for (const value of [1, 2, 3]) await change('alice', value);
    let event: DynamoDBStreamEvent | undefined;
    await consume(
      () => seen().length >= 3,
      (_, first) => {
        event ??= first;
        return null;
      },
    );
    expect(seen()).toEqual(['1', '2', '3']);
    expect(event?.Records[1]).toMatchObject({
      eventID: expect.any(String),
      eventName: 'MODIFY',
      eventSource: 'aws:dynamodb',
      awsRegion: 'us-east-1',
      eventSourceARN: 'arn:aws:dynamodb:us-east-1:000000000000:table/stack-Accounts/stream/local',
      dynamodb: {
        ApproximateCreationDateTime: expect.any(Number),
        Keys: { account: { S: 'alice' } },
        OldImage: { account: { S: 'alice' }, charged: { N: '1' } },
        NewImage: { account: { S: 'alice' }, charged: { N: '2' } },
        SequenceNumber: expect.stringMatching(/^\d+$/),
        StreamViewType: 'NEW_AND_OLD_IMAGES',
      },
    });
    expect(failures).toEqual([]);
  });

  test('a restart goes on behind what was dealt with', async () => {
    await change('alice', 1);
    await consume(() => seen().includes('1'));
    await change('alice', 2);
    await consume(() => seen().includes('2'));
    expect(seen()).toEqual(['1', '2']);
  });

  test('closing does not wait for a delivery that hangs; its records come again', async () => {
    await change('alice', 1);
    await consume(
      () => seen().includes('1'),
      () => new Promise(() => undefined),
    );
    await consume(() => seen().length === 2);
    expect(seen()).toEqual(['1', '1']);
  });

  test('from the first record that failed on, all come again', async () => {
    for (const value of [1, 2, 3, 4]) await change('alice', value);
    let failed = false;
    await consume(
      () => seen().at(-1) === '4' && failed && delivered.length > 1,
      (values, event) => {
        if (failed || !values.includes('3')) return { batchItemFailures: [] };
        failed = true;
        return { batchItemFailures: failing(event, '3') };
      },
    );
    expect(delivered[0]).toEqual(['1', '2', '3', '4']);
    expect(delivered.slice(1).flat()).toEqual(['3', '4']);
  });

  test('a batch that fails is halved; the record that cannot be dealt with is given up once it is old', async () => {
    for (const value of [1, 2, 3, 4]) await change('alice', value);
    await consume(
      () => seen().at(-1) === '4' && delivered.at(-1)?.includes('3') === false,
      (values) => {
        if (values.length === 1 && values[0] === '3') clock.time += (MAX_AGE_SECONDS + 60) * 1_000;
        if (values.includes('3')) throw new Error('no');
        return null;
      },
    );
    expect(delivered).toContainEqual(['3']);
    expect(failures).toContain('Consumer: Error: no');
    const [message] = queues.get('stack-Discarded')?.receive(10) ?? [];
    expect(JSON.parse(message?.body ?? '')).toMatchObject({
      requestContext: { condition: 'RecordAgeExceeded' },
      DDBStreamBatchInfo: { batchSize: 1, shardId: expect.any(String) },
    });
    expect(queues.get('stack-Discarded')?.counts()).toMatchObject({ visible: 0, inFlight: 1 });
  });

  test('a batch that takes several reads is delivered as one', async () => {
    const values = Array.from({ length: 120 }, (_, value) => value + 1);
    for (const value of values) await change('alice', value);
    await consume(() => seen().length >= 120, undefined, {
      MaximumBatchingWindowInSeconds: 10,
      BatchSize: 120,
    });
    expect(delivered).toEqual([values.map(String)]);
  });

  test('a batch that is not full waits for the window of the mapping', async () => {
    for (const value of [1, 2]) await change('alice', value);
    const window = { MaximumBatchingWindowInSeconds: 10 };
    const consumed = consume(() => seen().length >= 3, undefined, window);
    await sleep(20 * POLL_MS);
    expect(delivered).toEqual([]);
    await change('alice', 3);
    let isConsumed = false;
    const end = consumed.then(() => {
      isConsumed = true;
    });
    // The window begins whenever the records are read, which nobody here can see.
    while (!isConsumed) {
      clock.time += 10_000;
      await sleep(POLL_MS);
    }
    await end;
    expect(seen()).toEqual(['1', '2', '3']);
  });
});

test.each([
  [{ StartingPosition: 'LATEST' }, /StartingPosition LATEST/],
  [{ BisectBatchOnFunctionError: false }, /without bisection/],
  [{ FunctionResponseTypes: [] }, /without ReportBatchItemFailures/],
  [{ EventSourceArn: 'arn:aws:kinesis:us-east-1:000000000000:stream/other' }, /not of this stack/],
])('a mapping with %p is refused', (mapping, message) => {
  const template = templateWith(mapping);
  const resolve = createResolver(template, { attribute: createAttributes(template, 'http://sqs') });
  const start = () =>
    startStreamSources({
      template,
      resolve,
      queues: new Map(),
      invoke: async () => null,
      endpoint: 'http://127.0.0.1:1',
      folder: '/nowhere',
      clock: { now: () => 0 },
      onFailure: () => {},
    });
  expect(start).toThrow(message);
});
