import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CACHE_TABLE_SHAPE } from '../../lambdas/shared/aws/cache-table.ts';
import { emulatorClientConfig } from './metering-tables.ts';
import type { Emulator } from './server-process.ts';

/** Far above what an emulator needs on a busy machine. */
const PATIENCE_MS = 120_000;

/** What a store over such a table is made with. */
interface CacheTableStoreOptions {
  readonly tableName: string;
  readonly clientConfig: ReturnType<typeof emulatorClientConfig>;
  readonly requestTimeoutMs: number;
}

/** Creates a table of shared answers on an emulator. */
export async function createCacheTable(endpoint: string, tableName: string): Promise<void> {
  const client = new DynamoDBClient(emulatorClientConfig(endpoint));
  await client.send(
    new CreateTableCommand({
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: CACHE_TABLE_SHAPE.partitionKey, KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: CACHE_TABLE_SHAPE.partitionKey, AttributeType: 'S' }],
    }),
  );
  client.destroy();
}

/** A store over a table of its own on an emulator. */
export async function openOnCacheTable<Store>(
  { endpoint }: Emulator,
  create: (options: CacheTableStoreOptions) => Store,
): Promise<Store> {
  const tableName = `test-${create.name}`;
  await createCacheTable(endpoint, tableName);
  return create({
    tableName,
    clientConfig: emulatorClientConfig(endpoint),
    requestTimeoutMs: PATIENCE_MS,
  });
}
