import { randomBytes } from 'node:crypto';
import {
  type AttributeDefinition,
  CreateTableCommand,
  type CreateTableCommandInput,
  DynamoDBClient,
  type GlobalSecondaryIndex,
  type KeySchemaElement,
} from '@aws-sdk/client-dynamodb';
import { KEYS_BY_ACCOUNT_INDEX, TABLES, type Table } from '../../lambdas/access/store/tables.ts';

/** One for each test file, which loads its modules anew: DynamoDB Local has a database for each. */
const ACCESS_KEY_ID = randomBytes(10).toString('hex');

/** Client settings for an emulator: it takes any credentials. */
export function emulatorClientConfig(endpoint: string) {
  return {
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: ACCESS_KEY_ID, secretAccessKey: 'local' },
  };
}

const INDEXES: Readonly<Partial<Record<Table, GlobalSecondaryIndex>>> = {
  keys: {
    IndexName: KEYS_BY_ACCOUNT_INDEX.name,
    KeySchema: keySchema(KEYS_BY_ACCOUNT_INDEX),
    Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: [...KEYS_BY_ACCOUNT_INDEX.attributes] },
  },
};

/** Creates the metering tables with their indexes; returns their names, `<prefix>-keys` and so on. */
export async function createMeteringTables(endpoint: string, prefix: string): Promise<Record<Table, string>> {
  const client = new DynamoDBClient(emulatorClientConfig(endpoint));
  const names = {
    keys: `${prefix}-keys`,
    accounts: `${prefix}-accounts`,
    lanes: `${prefix}-lanes`,
    unsettled: `${prefix}-unsettled`,
    balances: `${prefix}-balances`,
    ledger: `${prefix}-ledger`,
  };
  for (const table of Object.keys(names) as Table[]) {
    await client.send(new CreateTableCommand(tableDefinition(table, names[table])));
  }
  client.destroy();
  return names;
}

function tableDefinition(table: Table, name: string): CreateTableCommandInput {
  const index = INDEXES[table];
  const schema = keySchema(TABLES[table]);
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: schema,
    AttributeDefinitions: attributeDefinitions([...schema, ...(index?.KeySchema ?? [])]),
    ...(index && { GlobalSecondaryIndexes: [index] }),
  };
}

function keySchema(keys: { readonly partitionKey: string; readonly sortKey?: string }): KeySchemaElement[] {
  const partition: KeySchemaElement = { AttributeName: keys.partitionKey, KeyType: 'HASH' };
  return keys.sortKey === undefined
    ? [partition]
    : [partition, { AttributeName: keys.sortKey, KeyType: 'RANGE' }];
}

function attributeDefinitions(schema: readonly KeySchemaElement[]): AttributeDefinition[] {
  const names = new Set(schema.map((element) => element.AttributeName ?? ''));
  return [...names].map((name) => ({ AttributeName: name, AttributeType: 'S' }));
}
