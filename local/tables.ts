import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import type { LocalClientConfig } from './client-config.ts';
import type { Resolver } from './template/intrinsics.ts';
import { resourcesOfType, type Template, type TemplateResource } from './template/template.ts';

/** The properties of a table as the template resolves: those of `CreateTable`, and its time to live. */
interface TableProperties extends CreateTableCommandInput {
  readonly TableName: string;
  readonly TimeToLiveSpecification?: { readonly AttributeName: string; readonly Enabled: boolean };
}

/** Creates the tables of the template that the embedded DynamoDB does not have yet. */
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

/** A table of an earlier run is of this version, as its folder is. */
async function createTable(
  client: DynamoDBClient,
  { TimeToLiveSpecification, ...input }: TableProperties,
): Promise<void> {
  try {
    await client.send(new CreateTableCommand(input));
  } catch (error) {
    if (error instanceof ResourceInUseException) return;
    throw error;
  }
  if (TimeToLiveSpecification?.Enabled !== true) return;
  await client.send(new UpdateTimeToLiveCommand({ TableName: input.TableName, TimeToLiveSpecification }));
}
