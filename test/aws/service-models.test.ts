import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import * as dynamodb from '@aws-sdk/client-dynamodb';
import * as rdsData from '@aws-sdk/client-rds-data';
import * as sqs from '@aws-sdk/client-sqs';
import { createCacheStore } from '../../lambdas/access/cache-store.ts';
import { createDynamoStore } from '../../lambdas/access/dynamo-store.ts';
import { createWaitingStore } from '../../lambdas/access/waiting-store.ts';
import { connectSecretStore, connectSecrets } from '../../lambdas/aws/secrets-client.ts';
import { connectQueue } from '../../lambdas/aws/sqs-client.ts';
import { createChainDatabase } from '../../lambdas/chain-data/chain-database.ts';

const PATIENCE_MS = 120_000;
/** Of DynamoDB: the longest expression, in bytes. */
const MAX_EXPRESSION_BYTES = 4_096;
const CONFIG = { region: 'us-east-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
const TIMES = { connectTimeoutMs: PATIENCE_MS, timeoutMs: PATIENCE_MS };

/** A request as it arrives: what names its operation, and its input. */
interface Received {
  readonly operation: string;
  readonly body: Readonly<Record<string, unknown>>;
}

let server: Server;
let endpoint: string;
let received: Received[];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const target = String(request.headers['x-amz-target'] ?? request.url);
    received.push({ operation: target.replace(/^.*[./]/, ''), body: JSON.parse(await text(request)) });
    response.end('{"transactionId":"t"}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  received = [];
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

/** What functions send when they do this; the answers, which are empty, may be wrong for them. */
async function sentBy(work: () => Promise<unknown>): Promise<readonly Received[]> {
  received = [];
  await work().catch(() => undefined);
  expect(received.length).toBeGreaterThan(0);
  return received;
}

type Send = (operation: string, input: object) => Promise<unknown>;

/** The SDK writes only members that the service's model has, in the model's types: what it sends must be the same. */
async function expectModelled(requests: readonly Received[], send: Send): Promise<void> {
  for (const { operation, body } of requests) {
    const [modelled] = await sentBy(() => send(operation, structuredClone(body)));
    expect(modelled).toEqual({ operation, body });
  }
}

/** Makes the command of an operation, as the SDK names it. */
function commandOf(sdk: object, operation: string, input: object): never {
  const Command = (sdk as Readonly<Record<string, new (input: object) => object>>)[`${operation}Command`];
  if (Command === undefined) throw new Error(`the SDK has no ${operation}`);
  return new Command(input) as never;
}

const dynamo: Send = (operation, input) =>
  new dynamodb.DynamoDBClient({ ...CONFIG, endpoint, maxAttempts: 1 }).send(
    commandOf(dynamodb, operation, input),
  );

describe('DynamoDB', () => {
  const store = () =>
    createDynamoStore({
      tableNames: { keys: 'keys', accounts: 'accounts', ledger: 'ledger', usage: 'usage' } as never,
      clientConfig: { ...CONFIG, endpoint },
      connectTimeoutMs: PATIENCE_MS,
      requestTimeoutMs: PATIENCE_MS,
    });
  const cache = () => createCacheStore({ tableName: 'cache', clientConfig: { ...CONFIG, endpoint } });
  const waiting = () =>
    createWaitingStore({
      tableName: 'cache',
      clientConfig: { ...CONFIG, endpoint },
      clock: { now: () => 1_800_000_000_000 },
    });
  const room = { of: 'chain a', kind: 'trace', seats: 2 };
  const when = [
    { is: 'present', attribute: 'status' },
    [
      { is: 'absent', attribute: 'w_1' },
      { is: '<', attribute: 'w_1', value: 5n },
    ],
  ] as const;
  const update = {
    table: 'accounts',
    key: { account: 'a' },
    when,
    set: { w_1: 5n, note: 'x' },
    setIfAbsent: { pending_hour: '2026-11-22T09' },
    add: { charged: 10n ** 30n },
    remove: ['old'],
  } as const;
  const put = { table: 'ledger', item: { account: 'a', record: 'r', cu: 7n }, when: [] } as const;

  test.each<[string, () => Promise<unknown>]>([
    ['a read', () => store().get('keys', { key_id: 'k' })],
    ['an update', () => store().update(update)],
    ['a put', () => store().put({ ...put, when: [{ is: 'absent', attribute: 'account' }] })],
    ['a transaction', () => store().transact([{ update }, { put: { ...put, when: [...when] } }])],
    ['a read of shared answers', () => cache().read(['one', 'two'])],
    [
      'a write of shared answers',
      () => cache().write([{ key: 'one', body: Buffer.from('0x1'), expiresAt: 1_800_000_000_000 }]),
    ],
    ['a draw of waiting time', () => waiting().draw(room, 500)],
    ['waiting time that is given back', () => waiting().giveBack(room, 500)],
    ['a chain that is silent', () => waiting().tellSilent(room.of)],
    [
      'a query',
      () =>
        store().query({
          table: 'ledger',
          partition: { attribute: 'account', value: 'a' },
          sort: { attribute: 'record', from: 'a', to: 'b' },
          descending: true,
          limit: 10,
          after: { account: 'a', record: 'b' },
        }),
    ],
  ])('%s is one that its model has', async (_, work) => {
    const requests = await sentBy(work);
    await expectModelled(requests, dynamo);
    const expressions = JSON.stringify(requests).match(/"\w*Expression":"(?:[^"\\]|\\.)*"/g) ?? [];
    for (const expression of expressions)
      expect(Buffer.byteLength(expression)).toBeLessThanOrEqual(MAX_EXPRESSION_BYTES);
  });
});

describe('the RDS Data API', () => {
  const database = () =>
    createChainDatabase({
      resourceArn: 'arn:aws:rds:us-east-1:111122223333:cluster:c',
      secretArn: 'arn:aws:secretsmanager:us-east-1:111122223333:secret:s',
      database: 'gateway',
      clientConfig: { ...CONFIG, endpoint },
    });
  const data: Send = (path, input) => {
    const operation = path === 'Execute' ? 'ExecuteStatement' : path;
    const client = new rdsData.RDSDataClient({ ...CONFIG, endpoint, maxAttempts: 1 });
    return client.send(commandOf(rdsData, operation, input));
  };
  const parameters = { text: 'x', whole: 5, real: 0.5, yes: true, none: null, large: 2n ** 80n };

  test('a statement with each kind of parameter', async () => {
    await expectModelled(await sentBy(() => database().query('SELECT :text', parameters)), data);
  });

  test('a transaction that ends well, and one that does not', async () => {
    const good = await sentBy(() => database().transaction((queries) => queries.query('SELECT 1')));
    expect(good.map(({ operation }) => operation)).toEqual([
      'BeginTransaction',
      'Execute',
      'CommitTransaction',
    ]);
    await expectModelled(good, data);
    const bad = await sentBy(() => database().transaction(() => Promise.reject(new Error('no'))));
    expect(bad.map(({ operation }) => operation)).toEqual(['BeginTransaction', 'RollbackTransaction']);
    await expectModelled(bad, data);
  });
});

/** As its API reference has them: its SDK is no dependency. */
test('Secrets Manager: a secret that is read, and one that is stored', async () => {
  const options = { config: { ...CONFIG, endpoint }, ...TIMES };
  expect(await sentBy(() => connectSecrets(options)('one'))).toEqual([
    { operation: 'GetSecretValue', body: { SecretId: 'one' } },
  ]);
  expect(await sentBy(() => connectSecretStore(options)('one', 'text'))).toEqual([
    {
      operation: 'PutSecretValue',
      body: {
        SecretId: 'one',
        ClientRequestToken: expect.stringMatching(/^[\w-]{32,64}$/),
        SecretString: 'text',
      },
    },
  ]);
});

test('SQS: a message', async () => {
  const queueUrl = `${endpoint}/111122223333/queue`;
  const send = connectQueue({ queueUrl, config: { ...CONFIG, endpoint }, ...TIMES });
  await expectModelled(await sentBy(() => send('{"cu":1}')), (operation, input) =>
    new sqs.SQSClient({ ...CONFIG, endpoint, maxAttempts: 1, md5: false }).send(
      commandOf(sqs, operation, input),
    ),
  );
});
