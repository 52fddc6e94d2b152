import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  PutItemCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { localClientConfig } from '../../local/client-config.ts';
import { startDynamoDb } from '../../local/processes/dynamodb.ts';
import type { EmbeddedProcess } from '../../local/processes/embedded-process.ts';
import { createTables } from '../../local/tables.ts';
import { createAttributes } from '../../local/template/attributes.ts';
import { createResolver } from '../../local/template/intrinsics.ts';
import { ACCESS_KEY_ID } from './access-key.ts';
import { makeTemplate } from './make-template.ts';

/** Tables of the template are made once, as they are described. */
export function testTables(): void {
  let folder: string;
  let dynamodb: EmbeddedProcess;
  let client: DynamoDBClient;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tables-'));
    dynamodb = await startDynamoDb(folder, 'dynoxide', ACCESS_KEY_ID, () => undefined);
    client = new DynamoDBClient(localClientConfig(dynamodb.url, ACCESS_KEY_ID));
  });

  afterAll(async () => {
    client.destroy();
    await dynamodb.stop();
    rmSync(folder, { recursive: true });
  });

  const PROPERTIES = {
    KeySchema: [
      { AttributeName: 'account', KeyType: 'HASH' },
      { AttributeName: 'record', KeyType: 'RANGE' },
    ],
    AttributeDefinitions: [
      { AttributeName: 'account', AttributeType: 'S' },
      { AttributeName: 'record', AttributeType: 'S' },
      { AttributeName: 'shard', AttributeType: 'N' },
    ],
    BillingMode: 'PAY_PER_REQUEST',
    GlobalSecondaryIndexes: [
      {
        IndexName: 'by-shard',
        KeySchema: [{ AttributeName: 'shard', KeyType: 'HASH' }],
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['label', 'colour'] },
      },
    ],
    TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true },
  };

  function create(logicalId: string, properties: object): Promise<void> {
    const template = makeTemplate({ [logicalId]: { Type: 'AWS::DynamoDB::Table', Properties: properties } });
    const resolve = createResolver(template, { attribute: createAttributes(template, 'http://sqs') });
    return createTables(template, resolve, localClientConfig(dynamodb.url, ACCESS_KEY_ID));
  }

  test('a table has the keys, indexes and time to live of the template, and is made once', async () => {
    await create('Ledger', PROPERTIES);
    const item = { account: { S: 'a' }, record: { S: 'r' } };
    await client.send(new PutItemCommand({ TableName: 'stack-Ledger', Item: item }));
    await create('Ledger', PROPERTIES);
    expect((await client.send(new ScanCommand({ TableName: 'stack-Ledger' }))).Items).toEqual([item]);
    const { Table } = await client.send(new DescribeTableCommand({ TableName: 'stack-Ledger' }));
    expect(Table).toMatchObject({
      KeySchema: PROPERTIES.KeySchema,
      GlobalSecondaryIndexes: [
        { IndexName: 'by-shard', KeySchema: PROPERTIES.GlobalSecondaryIndexes[0]?.KeySchema },
      ],
    });
    const timeToLive = await client.send(new DescribeTimeToLiveCommand({ TableName: 'stack-Ledger' }));
    expect(timeToLive.TimeToLiveDescription).toEqual({
      AttributeName: 'expires',
      TimeToLiveStatus: 'ENABLED',
    });
  });
}
