import type { DynamoDBRecord as StreamRecord } from 'aws-lambda';
import { DYNAMODB } from '../../lambdas/access/dynamo-client.ts';
import { connectService, type SendToService } from '../../lambdas/aws/service-client.ts';
import { localClientConfig } from '../client-config.ts';

const CONNECT_TIMEOUT_MS = 1_000;
const REQUEST_TIMEOUT_MS = 10_000;
/** The stream no longer keeps what was asked for. */
const TRIMMED = 'TrimmedDataAccessException';
/** Errors after which a stream is read from a place that is named anew. */
const EXPIRED: ReadonlySet<string> = new Set(['ExpiredIteratorException', TRIMMED]);

/** Records of one shard in their order; at least one. */
export interface ShardRecords {
  readonly stream: string;
  readonly shard: string;
  readonly records: readonly StreamRecord[];
}

/** Last sequence number that a reader has of a shard; undefined: none. */
export type LastRead = (stream: string, shard: string) => string | undefined;

/** Where a shard is read on. */
interface Place {
  /** Last sequence number before it. */
  readonly after: string | undefined;
  readonly iterator: string;
}

/**
 * The stream of one table of the embedded DynamoDB. While there are records, each read is one request: what a shard is
 * and where it goes on is looked up only after a read that found none.
 */
export class TableStream {
  readonly #table: string;
  readonly #send: SendToService;
  #arn: string | undefined;
  #shards: readonly string[] | undefined;
  readonly #places = new Map<string, Place>();

  constructor(table: string, endpoint: string) {
    this.#table = table;
    this.#send = connectService({
      service: DYNAMODB,
      config: localClientConfig(endpoint),
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
    });
  }

  /**
   * The next records behind those that are read. A shard is read to its end before one that began after it, so that the
   * changes of an item come in their order.
   */
  async next(lastRead: LastRead, limit: number): Promise<ShardRecords | undefined> {
    this.#arn ??= await this.#findStream();
    const stream = this.#arn;
    this.#shards ??= await this.#listShards(stream);
    for (const shard of this.#shards) {
      const records = await this.#read(stream, shard, lastRead(stream, shard), limit);
      if (records.length > 0) return { stream, shard, records };
    }
    this.#shards = undefined;
    return undefined;
  }

  async #read(
    stream: string,
    shard: string,
    after: string | undefined,
    limit: number,
  ): Promise<readonly StreamRecord[]> {
    const known = this.#places.get(shard);
    const iterator = known?.after === after ? known?.iterator : undefined;
    this.#places.delete(shard);
    const input = { ShardIterator: iterator ?? (await this.#find(stream, shard, after)), Limit: limit };
    const answer = await this.#call<GetRecordsAnswer>('DynamoDBStreams_20120810.GetRecords', input).catch(
      (error: Error) => {
        if (iterator !== undefined && EXPIRED.has(error.name)) return undefined;
        throw error;
      },
    );
    if (answer === undefined) return this.#read(stream, shard, after, limit);
    const { Records: records = [], NextShardIterator: next } = answer;
    const last = records.at(-1)?.dynamodb?.SequenceNumber ?? after;
    if (next !== undefined) this.#places.set(shard, { after: last, iterator: next });
    return records;
  }

  async #findStream(): Promise<string> {
    const input = { TableName: this.#table };
    const { Table } = await this.#call<DescribeTableAnswer>('DynamoDB_20120810.DescribeTable', input);
    if (Table?.LatestStreamArn === undefined) throw new Error(`table ${this.#table} has no stream`);
    return Table.LatestStreamArn;
  }

  /** Ids of the shards, the oldest first: an id begins with the time of its shard. */
  async #listShards(stream: string): Promise<string[]> {
    const shards: string[] = [];
    let after: string | undefined;
    do {
      const { StreamDescription } = await this.#call<DescribeStreamAnswer>(
        'DynamoDBStreams_20120810.DescribeStream',
        { StreamArn: stream, ExclusiveStartShardId: after },
      );
      shards.push(...(StreamDescription?.Shards ?? []).map(({ ShardId = '' }) => ShardId));
      after = StreamDescription?.LastEvaluatedShardId;
    } while (after !== undefined);
    return shards.sort();
  }

  /** Behind a record that the stream no longer keeps, its oldest record is next. */
  async #find(stream: string, shard: string, after: string | undefined): Promise<string | undefined> {
    const place = { StreamArn: stream, ShardId: shard };
    const ask = (input: object) =>
      this.#call<GetShardIteratorAnswer>('DynamoDBStreams_20120810.GetShardIterator', {
        ...place,
        ...input,
      });
    const oldest = () => ask({ ShardIteratorType: 'TRIM_HORIZON' });
    if (after === undefined) return (await oldest()).ShardIterator;
    const behind = { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: after };
    const answer = await ask(behind).catch((error: Error) => {
      if (error.name === TRIMMED) return oldest();
      throw error;
    });
    return answer.ShardIterator;
  }

  async #call<Answer>(target: string, input: object): Promise<Answer> {
    return Object(await this.#send({ path: '/', target, input, timeoutMs: REQUEST_TIMEOUT_MS }));
  }
}

interface DescribeTableAnswer {
  readonly Table?: { readonly LatestStreamArn?: string };
}

interface DescribeStreamAnswer {
  readonly StreamDescription?: {
    readonly Shards?: readonly { readonly ShardId?: string }[];
    readonly LastEvaluatedShardId?: string;
  };
}

interface GetShardIteratorAnswer {
  readonly ShardIterator?: string;
}

interface GetRecordsAnswer {
  readonly Records?: readonly StreamRecord[];
  /** Of a shard that may get further records. */
  readonly NextShardIterator?: string;
}
