import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CACHE_TABLE_SHAPE } from '../../lambdas/shared/aws/cache-table.ts';
import { emulatorClientConfig } from './metering-tables.ts';

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
