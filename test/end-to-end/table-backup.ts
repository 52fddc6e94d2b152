import {
  DeleteItemCommand,
  DescribeTableCommand,
  DynamoDBClient,
  PutItemCommand,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import { localClientConfig } from '../../local/client-config.ts';
import type { RunningGateway } from './running-gateway.ts';

/** Items of a table as they were; puts them back, and takes away what came since. */
export type RestoreTable = () => Promise<void>;

/** Remembers a table of a run as it is now, as a backup does. */
export async function backUpTable(gateway: RunningGateway, output: string): Promise<RestoreTable> {
  const { endpoints, gatewayJson } = gateway;
  const client = new DynamoDBClient(localClientConfig(endpoints.dynamodb, gatewayJson.access_key_id));
  const TableName = String(gatewayJson.outputs[output]);
  const read = async () => {
    const items = [];
    for await (const page of paginateScan({ client }, { TableName, ConsistentRead: true }))
      items.push(...(page.Items ?? []));
    return items;
  };
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  const names = (Table?.KeySchema ?? []).map(({ AttributeName = '' }) => AttributeName);
  const kept = await read();
  return async () => {
    for (const item of await read()) {
      const Key = Object.fromEntries(names.flatMap((name) => (item[name] ? [[name, item[name]]] : [])));
      await client.send(new DeleteItemCommand({ TableName, Key }));
    }
    for (const Item of kept) await client.send(new PutItemCommand({ TableName, Item }));
    client.destroy();
  };
}
