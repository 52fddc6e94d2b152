import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type _Record as StreamRecord,
} from '@aws-sdk/client-dynamodb-streams';
import { localClientConfig } from '../client-config.ts';

/** Records of one shard in their order; at least one. */
export interface ShardRecords {
  readonly stream: string;
  readonly shard: string;
  readonly records: readonly StreamRecord[];
}

/** Last sequence number that a reader has of a shard; undefined: none. */
export type LastRead = (stream: string, shard: string) => string | undefined;

/** The stream of one table of the embedded DynamoDB. */
export class TableStream {
  readonly #table: string;
  readonly #tables: DynamoDBClient;
  readonly #streams: DynamoDBStreamsClient;
  #arn: string | undefined;

  constructor(table: string, endpoint: string) {
    this.#table = table;
    this.#tables = new DynamoDBClient(localClientConfig(endpoint));
    this.#streams = new DynamoDBStreamsClient(localClientConfig(endpoint));
  }

  /**
   * The next records behind those that are read. A shard is read to its end before one that began after it, so that the
   * changes of an item come in their order.
   */
  async next(lastRead: LastRead, limit: number): Promise<ShardRecords | undefined> {
    this.#arn ??= await this.#findStream();
    const stream = this.#arn;
    for (const shard of await this.#shards(stream)) {
      const iterator = await this.#iterator(stream, shard, lastRead(stream, shard));
      const command = new GetRecordsCommand({ ShardIterator: iterator, Limit: limit });
      const { Records: records = [] } = await this.#streams.send(command);
      if (records.length > 0) return { stream, shard, records };
    }
    return undefined;
  }

  close(): void {
    this.#tables.destroy();
    this.#streams.destroy();
  }

  async #findStream(): Promise<string> {
    const { Table } = await this.#tables.send(new DescribeTableCommand({ TableName: this.#table }));
    if (Table?.LatestStreamArn === undefined) throw new Error(`table ${this.#table} has no stream`);
    return Table.LatestStreamArn;
  }

  /** Ids of the shards, the oldest first: an id begins with the time of its shard. */
  async #shards(stream: string): Promise<string[]> {
    const shards: string[] = [];
    let after: string | undefined;
    do {
      const command = new DescribeStreamCommand({ StreamArn: stream, ExclusiveStartShardId: after });
      const { StreamDescription } = await this.#streams.send(command);
      shards.push(...(StreamDescription?.Shards ?? []).map(({ ShardId = '' }) => ShardId));
      after = StreamDescription?.LastEvaluatedShardId;
    } while (after !== undefined);
    return shards.sort();
  }

  /** Behind a record that the stream no longer keeps, its oldest record is next. */
  async #iterator(stream: string, shard: string, after: string | undefined): Promise<string | undefined> {
    const place = { StreamArn: stream, ShardId: shard };
    const oldest = new GetShardIteratorCommand({ ...place, ShardIteratorType: 'TRIM_HORIZON' });
    if (after === undefined) return (await this.#streams.send(oldest)).ShardIterator;
    const behind = new GetShardIteratorCommand({
      ...place,
      ShardIteratorType: 'AFTER_SEQUENCE_NUMBER',
      SequenceNumber: after,
    });
    const iterator = await this.#streams.send(behind).catch((error: Error) => {
      if (error.name === 'TrimmedDataAccessException') return this.#streams.send(oldest);
      throw error;
    });
    return iterator.ShardIterator;
  }
}
