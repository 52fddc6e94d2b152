import {
  type AttributeValue,
  BatchGetItemCommand,
  DescribeTableCommand,
  type KeysAndAttributes,
  ResourceNotFoundException,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { toItem, unavailable } from '../../../lambdas/access/store/dynamo-store.ts';
import {
  attributeValue,
  type Item,
  type Key,
  type Page,
  StoreUnavailableError,
} from '../../../lambdas/access/store/store.ts';
import type { AwsClientOptions } from '../../../lambdas/shared/aws/client-settings.ts';
import { connectDynamo } from '../../../lambdas/shared/aws/dynamo-client.ts';

/** Most items that DynamoDB brings by their keys at once. */
export const MAX_KEYS_AT_ONCE = 100;

/** A part of a table, which is read from its begin to its end. */
export interface SegmentPage {
  readonly table: string;
  readonly segment: number;
  readonly segments: number;
  /** `next` of the page before. */
  readonly after: Key | undefined;
  readonly limit: number;
}

/** A table as it stands in AWS. */
export interface TableDescription {
  /** Attributes of its primary key: partition key, then sort key. */
  readonly key: readonly string[];
  /** Whether it can be read: a table that is being restored cannot. */
  readonly active: boolean;
}

/** Reads whole tables by their physical names. Methods reject with `StoreUnavailableError`. */
export interface TableReader {
  /** Resolves to undefined if there is no such table. */
  describe(table: string): Promise<TableDescription | undefined>;
  scan(page: SegmentPage): Promise<Page>;
  /** The items of some keys, one to {@link MAX_KEYS_AT_ONCE}, in no order. `left`: keys that DynamoDB left out, fewer than asked for. */
  getMany(
    table: string,
    keys: readonly Key[],
  ): Promise<{ readonly items: Item[]; readonly left: readonly Key[] }>;
}

/** Reads tables of DynamoDB. Opens no connection before its first use. */
export function createTableReader(options: AwsClientOptions): TableReader {
  const client = connectDynamo(options);
  return {
    async describe(table) {
      try {
        const { Table } = await client.send(new DescribeTableCommand({ TableName: table }));
        const schema = [...(Table?.KeySchema ?? [])].sort((left) => (left.KeyType === 'HASH' ? -1 : 1));
        return {
          key: schema.map(({ AttributeName = '' }) => AttributeName),
          active: Table?.TableStatus === 'ACTIVE',
        };
      } catch (error) {
        if (error instanceof ResourceNotFoundException) return undefined;
        return unavailable(error);
      }
    },
    async scan({ table, segment, segments, after, limit }) {
      const command = new ScanCommand({
        TableName: table,
        Segment: segment,
        TotalSegments: segments,
        Limit: limit,
        ...(after && { ExclusiveStartKey: toAttributes(after) }),
      });
      const { Items = [], LastEvaluatedKey: next } = await client.send(command).catch(unavailable);
      return { items: Items.map(toItem), ...(next && { next: toItem(next) }) };
    },
    async getMany(table, keys) {
      const wanted: KeysAndAttributes = { Keys: keys.map(toAttributes), ConsistentRead: true };
      const command = new BatchGetItemCommand({ RequestItems: { [table]: wanted } });
      const { Responses, UnprocessedKeys } = await client.send(command).catch(unavailable);
      const left = (UnprocessedKeys?.[table]?.Keys ?? []).map((key) => toItem(key) as Key);
      if (left.length === keys.length) throw new StoreUnavailableError('no key was processed', true);
      return { items: (Responses?.[table] ?? []).map(toItem), left };
    },
  };
}

function toAttributes(key: Key): Record<string, AttributeValue> {
  return Object.fromEntries(Object.entries(key).map(([name, value]) => [name, attributeValue(value)]));
}
