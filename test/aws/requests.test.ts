import { text } from 'node:stream/consumers';
import { createWaitingStore } from '../../lambdas/access/bucket/waiting-store.ts';
import { createDynamoStore } from '../../lambdas/access/store/dynamo-store.ts';
import { createCacheStore } from '../../lambdas/shared/aws/cache-store.ts';
import { connectQueue } from '../../lambdas/shared/aws/queue.ts';
import { connectRdsData } from '../../lambdas/shared/aws/rds-data.ts';
import { connectSecrets } from '../../lambdas/shared/aws/secrets.ts';
import { createChainDatabase } from '../../lambdas/shared/chain-database/chain-database.ts';
import { listen, type TestServer } from '../support/listen.ts';

const PATIENCE_MS = 120_000;
/** Of DynamoDB: the longest expression, in bytes. */
const MAX_EXPRESSION_BYTES = 4_096;
const CONFIG = { region: 'us-east-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
const TIMES = { connectTimeoutMs: PATIENCE_MS, timeoutMs: PATIENCE_MS };
const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

/** A request as it arrives: what names its operation, and its input. */
interface Received {
  readonly operation: string;
  readonly body: Readonly<Record<string, unknown>>;
}

let server: TestServer;
let endpoint: string;
let received: Received[];

beforeAll(async () => {
  server = await listen(async (request, response) => {
    const target = String(request.headers['x-amz-target'] ?? request.url);
    received.push({ operation: target.replace(/^.*[./]/, ''), body: JSON.parse(await text(request)) });
    response.end('{"transactionId":"t"}');
  });
  endpoint = server.url;
});
afterAll(() => server.close());

/** What functions send when they do this; the answers, which are empty, may be wrong for them. */
async function sentBy(work: () => Promise<unknown>): Promise<readonly Received[]> {
  received = [];
  await work().catch(() => undefined);
  return received;
}

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
    add: { charged: 10n ** 30n },
  } as const;
  const put = { table: 'ledger', item: { account: 'a', record: 'r', cu: 7n }, when: [] } as const;
  const query = {
    table: 'ledger',
    partition: { attribute: 'account', value: 'a' },
    sort: { attribute: 'record', from: 'a', to: 'b' },
    descending: true,
    limit: 10,
    after: { account: 'a', record: 'b' },
  } as const;

  test.each<[string, () => Promise<unknown>, object]>([
    [
      'GetItem',
      () => store().get('keys', { key_id: 'k' }),
      { Key: { key_id: { S: 'k' } }, ConsistentRead: true },
    ],
    [
      'UpdateItem',
      () => store().update(update),
      { ReturnValues: 'ALL_NEW', ReturnValuesOnConditionCheckFailure: 'ALL_OLD', TableName: 'accounts' },
    ],
    [
      'PutItem',
      () => store().put({ ...put, when: [{ is: 'absent', attribute: 'account' }] }),
      { Item: { account: { S: 'a' }, record: { S: 'r' }, cu: { N: '7' } } },
    ],
    [
      'DeleteItem',
      () => store().delete({ table: 'keys', key: { key_id: 'k' }, when: [] }),
      { TableName: 'keys' },
    ],
    [
      'TransactWriteItems',
      () => store().transact([{ update }, { put: { ...put, when: [...when] } }]),
      // One that the network doubles gets the first one's answer, not a refusal.
      {
        ClientRequestToken: UUID,
        TransactItems: [{ Update: expect.anything() }, { Put: expect.anything() }],
      },
    ],
    [
      'BatchGetItem',
      () => cache().read(['one', 'two']),
      { RequestItems: { cache: { Keys: [expect.anything(), expect.anything()] } } },
    ],
    [
      'BatchWriteItem',
      () => cache().write([{ key: 'one', body: Buffer.from('0x1'), expiresAt: 1_800_000_000_000 }]),
      {
        RequestItems: { cache: [{ PutRequest: { Item: expect.objectContaining({ body: { B: 'MHgx' } }) } }] },
      },
    ],
    ['UpdateItem', () => waiting().draw(room, 500), { Key: { cache_key: { S: 'waiting chain a' } } }],
    [
      'Query',
      () => store().query(query),
      { ScanIndexForward: false, Limit: 10, ExclusiveStartKey: { account: { S: 'a' }, record: { S: 'b' } } },
    ],
  ])('%s', async (operation, work, body) => {
    const requests = await sentBy(work);
    expect(requests).toEqual([{ operation, body: expect.objectContaining(body) }]);
    const expressions = JSON.stringify(requests).match(/"\w*Expression":"(?:[^"\\]|\\.)*"/g) ?? [];
    for (const expression of expressions)
      expect(Buffer.byteLength(expression)).toBeLessThanOrEqual(MAX_EXPRESSION_BYTES);
  });
});

describe('the RDS Data API', () => {
  const target = { resourceArn: 'arn:cluster', secretArn: 'arn:secret', database: 'gateway' };
  const database = () =>
    createChainDatabase({ ...target, connect: connectRdsData, clientConfig: { ...CONFIG, endpoint } });

  test('a statement with each kind of parameter', async () => {
    const parameters = {
      text: 'x',
      whole: 5,
      real: 0.5,
      yes: true,
      large: 2n ** 80n,
      raw: Buffer.of(1),
    };
    const sent = await sentBy(() => database().query('SELECT :text', parameters));
    const body = {
      ...target,
      sql: 'SELECT :text',
      includeResultMetadata: true,
      parameters: [
        { name: 'text', value: { stringValue: 'x' } },
        { name: 'whole', value: { longValue: 5 } },
        { name: 'real', value: { doubleValue: 0.5 } },
        { name: 'yes', value: { booleanValue: true } },
        { name: 'large', value: { stringValue: String(2n ** 80n) }, typeHint: 'DECIMAL' },
        { name: 'raw', value: { blobValue: 'AQ==' } },
      ],
    };
    expect(sent).toEqual([{ operation: 'Execute', body }]);
  });

  test('a transaction that ends well, and one that does not', async () => {
    const good = await sentBy(() => database().transaction((queries) => queries.query('SELECT 1')));
    expect(good.map(({ operation }) => operation)).toEqual([
      'BeginTransaction',
      'Execute',
      'CommitTransaction',
    ]);
    expect(good.slice(1).map(({ body }) => body.transactionId)).toEqual(['t', 't']);
    const bad = await sentBy(() => database().transaction(() => Promise.reject(new Error('no'))));
    expect(bad.map(({ operation }) => operation)).toEqual(['BeginTransaction', 'RollbackTransaction']);
  });
});

test('SQS: a message, to the endpoint whatever host its queue names', async () => {
  const queueUrl = 'https://sqs.example.com/111122223333/queue';
  const send = connectQueue({ queueUrl, config: { ...CONFIG, endpoint }, ...TIMES });
  expect(await sentBy(() => send('{"cu":1}'))).toEqual([
    { operation: 'SendMessage', body: { QueueUrl: queueUrl, MessageBody: '{"cu":1}' } },
  ]);
});

test('Secrets Manager: a new version of a secret', async () => {
  const secrets = connectSecrets({ config: { ...CONFIG, endpoint }, ...TIMES });
  expect(await sentBy(() => secrets.write('arn:secret', 'text'))).toEqual([
    {
      operation: 'PutSecretValue',
      body: { SecretId: 'arn:secret', SecretString: 'text', ClientRequestToken: UUID },
    },
  ]);
});
