import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type CachedAnswer, type CacheStore, createCacheStore } from '../../lambdas/access/cache-store.ts';
import { CACHE_TABLE_SHAPE } from '../../lambdas/access/tables.ts';
import { EMULATORS } from '../emulators/emulators.ts';
import { emulatorClientConfig } from '../emulators/metering-tables.ts';
import type { Emulator } from '../emulators/server-process.ts';

const TABLE = 'test-cache';
/** Far above what an emulator needs on a busy machine. */
const PATIENCE_MS = 120_000;
const EXPIRES_AT = 2_000_000_000_000;

function answer(key: string, body = `body of ${key}`, expiresAt = EXPIRES_AT): CachedAnswer {
  return { key, body: new Uint8Array(Buffer.from(body)), expiresAt };
}

describe.each(EMULATORS)('on $name', ({ start }) => {
  let emulator: Emulator;
  let store: CacheStore;

  beforeAll(async () => {
    emulator = await start();
    const clientConfig = emulatorClientConfig(emulator.endpoint);
    const client = new DynamoDBClient(clientConfig);
    await client.send(
      new CreateTableCommand({
        TableName: TABLE,
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [{ AttributeName: CACHE_TABLE_SHAPE.partitionKey, KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: CACHE_TABLE_SHAPE.partitionKey, AttributeType: 'S' }],
      }),
    );
    client.destroy();
    const patience = { readTimeoutMs: PATIENCE_MS, writeTimeoutMs: PATIENCE_MS };
    store = createCacheStore({ tableName: TABLE, clientConfig, ...patience });
  });
  afterAll(() => emulator.close());

  test('reads what was written, and leaves out what is not there', async () => {
    await store.write([answer('a'), answer('b', 'x', EXPIRES_AT + 1_999)]);
    const found = await store.read(['b', 'nothing', 'a']);
    expect([...found].sort((one, other) => one.key.localeCompare(other.key))).toEqual([
      answer('a'),
      answer('b', 'x', EXPIRES_AT + 1_000),
    ]);
  });

  test('takes as many as a batch of calls has', async () => {
    const answers = Array.from({ length: 100 }, (_, index) => answer(`many ${index}`));
    await store.write(answers);
    expect(await store.read(answers.map(({ key }) => key))).toHaveLength(100);
  });

  test('asks nothing for nothing', async () => {
    expect(await store.read([])).toEqual([]);
    await store.write([]);
  });
});

describe('a store that says nothing', () => {
  let server: Server;
  let store: CacheStore;

  beforeEach(async () => {
    server = createServer(() => {}).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    store = createCacheStore({ tableName: TABLE, clientConfig: emulatorClientConfig(endpoint) });
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  test('is given up', async () => {
    await expect(store.read(['a'])).rejects.toThrow();
    await expect(store.write([answer('a')])).rejects.toThrow();
  });
});
