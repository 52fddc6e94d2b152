import { isDeepStrictEqual } from 'node:util';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DynamoDBClient,
  type TableDescription,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import type { LocalClientConfig } from './client-config.ts';
import { LocalRunError } from './processes/local-run-error.ts';
import type { Resolver } from './template/intrinsics.ts';
import { resourcesOfType, type Template, type TemplateResource } from './template/template.ts';

/** The properties of a table as the template resolves: those of `CreateTable`, and its time to live. */
interface TableProperties extends CreateTableCommandInput {
  readonly TableName: string;
  readonly TimeToLiveSpecification?: { readonly AttributeName: string; readonly Enabled: boolean };
}

/**
 * Creates the tables of the template that the embedded DynamoDB does not have yet.
 * @throws LocalRunError when a table of an earlier run has other keys or indexes
 */
export async function createTables(
  template: Template,
  resolve: Resolver,
  clientConfig: LocalClientConfig,
): Promise<void> {
  const client = new DynamoDBClient(clientConfig);
  try {
    for (const resource of resourcesOfType(template, 'AWS::DynamoDB::Table')) {
      await createTable(client, tableProperties(resource, resolve));
    }
  } finally {
    client.destroy();
  }
}

function tableProperties(resource: TemplateResource, resolve: Resolver): TableProperties {
  const { properties, logicalId } = resource;
  const read = (name: string) => resolve(properties[name]);
  return {
    TableName: String(resolve({ Ref: logicalId })),
    AttributeDefinitions: read('AttributeDefinitions'),
    KeySchema: read('KeySchema'),
    GlobalSecondaryIndexes: read('GlobalSecondaryIndexes'),
    LocalSecondaryIndexes: read('LocalSecondaryIndexes'),
    TimeToLiveSpecification: read('TimeToLiveSpecification'),
    // A local run has no capacity to reserve, whatever the table is billed by.
    BillingMode: 'PAY_PER_REQUEST',
  } as TableProperties;
}

async function createTable(client: DynamoDBClient, properties: TableProperties): Promise<void> {
  const existing = await describeTable(client, properties.TableName);
  if (existing !== undefined) {
    if (isDeepStrictEqual(shapeOf(existing), shapeOf(properties))) return;
    throw new LocalRunError(
      `table ${properties.TableName} of an earlier run has different keys or indexes: start with --fresh (it empties the data folder)`,
    );
  }
  const { TimeToLiveSpecification, ...input } = properties;
  await client.send(new CreateTableCommand(input));
  if (TimeToLiveSpecification?.Enabled === true) {
    await client.send(
      new UpdateTimeToLiveCommand({ TableName: properties.TableName, TimeToLiveSpecification }),
    );
  }
}

async function describeTable(client: DynamoDBClient, name: string): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName: name }))).Table;
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}

type Shaped = Pick<
  TableDescription,
  'AttributeDefinitions' | 'KeySchema' | 'GlobalSecondaryIndexes' | 'LocalSecondaryIndexes'
>;

/** The properties that make two tables the same to their readers, in one order. */
function shapeOf(table: Shaped): object {
  const indexes = [...(table.GlobalSecondaryIndexes ?? []), ...(table.LocalSecondaryIndexes ?? [])];
  return {
    attributes: (table.AttributeDefinitions ?? [])
      .map((definition) => `${definition.AttributeName} ${definition.AttributeType}`)
      .sort(),
    keys: keysOf(table.KeySchema),
    indexes: indexes
      .map(({ IndexName, KeySchema, Projection }) => ({
        name: IndexName ?? '',
        keys: keysOf(KeySchema),
        projection: Projection?.ProjectionType,
        attributes: [...(Projection?.NonKeyAttributes ?? [])].sort(),
      }))
      .sort((one, other) => one.name.localeCompare(other.name)),
  };
}

function keysOf(schema: TableDescription['KeySchema']): string[] {
  return (schema ?? []).map((key) => `${key.KeyType} ${key.AttributeName}`);
}
