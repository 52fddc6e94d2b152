import {
  type AttributeDefinition,
  CreateTableCommand,
  type CreateTableCommandInput,
  DynamoDBClient,
  type GlobalSecondaryIndex,
  type KeySchemaElement,
  type StreamSpecification,
} from '@aws-sdk/client-dynamodb';
import {
  KEYS_BY_ACCOUNT_INDEX,
  PENDING_ACCOUNTS_INDEX,
  TABLES,
  type Table,
} from '../../lambdas/access/tables.ts';

/** Client settings for an emulator: it takes any credentials. */
export function emulatorClientConfig(endpoint: string) {
  return {
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  };
}

const INDEXES: Readonly<Partial<Record<Table, GlobalSecondaryIndex>>> = {
  keys: {
    IndexName: KEYS_BY_ACCOUNT_INDEX.name,
    KeySchema: keySchema(KEYS_BY_ACCOUNT_INDEX),
    Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: [...KEYS_BY_ACCOUNT_INDEX.attributes] },
  },
  accounts: {
    IndexName: PENDING_ACCOUNTS_INDEX.name,
    KeySchema: keySchema(PENDING_ACCOUNTS_INDEX),
    Projection: { ProjectionType: 'KEYS_ONLY' },
  },
};

const ACCOUNTS_STREAM: StreamSpecification = {
  StreamEnabled: true,
  StreamViewType: 'NEW_AND_OLD_IMAGES',
};

const NUMBER_KEYS: readonly string[] = [PENDING_ACCOUNTS_INDEX.partitionKey];

/** Creates the metering tables with their indexes; returns their names, `<prefix>-keys` and so on. */
export async function createMeteringTables(endpoint: string, prefix: string): Promise<Record<Table, string>> {
  const client = new DynamoDBClient(emulatorClientConfig(endpoint));
  const names = {
    keys: `${prefix}-keys`,
    accounts: `${prefix}-accounts`,
    ledger: `${prefix}-ledger`,
    usage: `${prefix}-usage`,
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
    ...(table === 'accounts' && { StreamSpecification: ACCOUNTS_STREAM }),
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
  return [...names].map((name) => ({
    AttributeName: name,
    AttributeType: NUMBER_KEYS.includes(name) ? 'N' : 'S',
  }));
}
