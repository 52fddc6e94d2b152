import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../lambdas/clock.ts';
import { failedItems, mappedFunction } from '../event-source-mapping.ts';
import type { Resolver } from '../intrinsics.ts';
import type { InvokeFunction } from '../queues/event-sources.ts';
import type { Queue } from '../queues/queue.ts';
import { queueOfArn } from '../queues/template-queues.ts';
import {
  isObject,
  type JsonObject,
  type Resource,
  resourcesOfType,
  type Template,
  unsupported,
} from '../template.ts';
import { waitForDeliveries } from '../wait-for-deliveries.ts';
import { Checkpoint } from './checkpoint.ts';
import { createdAt, discardedBatch, streamEvent } from './stream-event.ts';
import { type ShardRecords, TableStream } from './table-stream.ts';

/** Time between two looks into a stream that has nothing new, and after a failure. */
const POLL_MS = 1_000;
const DEFAULT_BATCH_SIZE = 100;
/**
 * Records of one read, and the pause before the next one, in milliseconds: the database does one thing at a time, and the
 * requests of a busy run would wait for the reading of a thousand. What is left over is read when there is time.
 */
const RECORDS_PER_READ = 40;
const READ_PAUSE_MS = 20;
const MILLISECONDS = 1_000;

export interface StreamSources {
  /** Reads nothing more and waits a little for the deliveries under way; what they hold comes again. */
  close(): Promise<void>;
}

export interface StreamSourcesOptions {
  readonly template: Template;
  readonly resolve: Resolver;
  readonly queues: ReadonlyMap<string, Queue>;
  readonly invoke: InvokeFunction;
  /** URL of the embedded DynamoDB. */
  readonly endpoint: string;
  /** Folder that keeps how far each mapping has come. */
  readonly folder: string;
  readonly clock: Clock;
  /** Told of each delivery that failed; its records come again. */
  readonly onFailure: (logicalId: string, error: unknown) => void;
  /** @default POLL_MS */
  readonly pollMs?: number;
}

interface Mapping {
  readonly logicalId: string;
  readonly functionId: string;
  readonly functionArn: string;
  readonly streamArn: string;
  readonly table: string;
  readonly batchSize: number;
  readonly windowMs: number;
  /** Records that are older when their delivery fails are given up. */
  readonly maxAgeMs: number;
  readonly discarded: Queue | undefined;
}

/** Delivers the changes of the template's tables to their functions: in order, at least once. */
export function startStreamSources(options: StreamSourcesOptions): StreamSources {
  const closing = new AbortController();
  const workers = resourcesOfType(options.template, 'AWS::Lambda::EventSourceMapping')
    .filter((resource) => options.resolve(resource.properties.Enabled) !== false)
    .filter((resource) => !String(options.resolve(resource.properties.EventSourceArn)).includes(':sqs:'))
    .map((resource) => readMapping(resource, options))
    .map((mapping) => consume(mapping, options, closing.signal));
  return {
    close: async () => {
      closing.abort();
      await waitForDeliveries(workers);
    },
  };
}

function readMapping(resource: Resource, { template, resolve, queues }: StreamSourcesOptions): Mapping {
  const properties = resolve(resource.properties) as JsonObject;
  const streamArn = String(properties.EventSourceArn);
  const table = resourcesOfType(template, 'AWS::DynamoDB::Table').find(
    ({ logicalId }) => resolve({ 'Fn::GetAtt': [logicalId, 'StreamArn'] }) === streamArn,
  );
  const functionId = mappedFunction(template, resolve, resource);
  if (table === undefined || functionId === undefined) {
    throw new Error(`${resource.logicalId}: its stream or its function is not of this stack`);
  }
  requireKnownBehaviour(resource, properties);
  const { MaximumRecordAgeInSeconds: maxAge, MaximumBatchingWindowInSeconds: window } = properties;
  return {
    logicalId: resource.logicalId,
    functionId,
    functionArn: String(resolve({ 'Fn::GetAtt': [functionId, 'Arn'] })),
    streamArn,
    table: String(resolve({ Ref: table.logicalId })),
    batchSize: Number(properties.BatchSize ?? DEFAULT_BATCH_SIZE),
    windowMs: Number(window ?? 0) * MILLISECONDS,
    maxAgeMs:
      maxAge === undefined || maxAge === -1 ? Number.POSITIVE_INFINITY : Number(maxAge) * MILLISECONDS,
    discarded: queueOfArn(queues, destinationOf(properties)),
  };
}

/** Other ways to start in a stream and to deal with failures are not needed, and so not understood. */
function requireKnownBehaviour(resource: Resource, properties: JsonObject): void {
  const { StartingPosition, BisectBatchOnFunctionError, FunctionResponseTypes } = properties;
  if (StartingPosition !== 'TRIM_HORIZON')
    throw unsupported(resource, `StartingPosition ${StartingPosition}`);
  if (BisectBatchOnFunctionError !== true) throw unsupported(resource, 'a stream without bisection');
  if (!Array.isArray(FunctionResponseTypes) || !FunctionResponseTypes.includes('ReportBatchItemFailures')) {
    throw unsupported(resource, 'a stream without ReportBatchItemFailures');
  }
}

function destinationOf({ DestinationConfig }: JsonObject): string {
  const onFailure = isObject(DestinationConfig) ? DestinationConfig.OnFailure : undefined;
  return isObject(onFailure) ? String(onFailure.Destination) : '';
}

async function consume(mapping: Mapping, options: StreamSourcesOptions, closing: AbortSignal): Promise<void> {
  const consumer = new StreamConsumer(mapping, options);
  while (!closing.aborted) {
    const idle = await consumer.poll().catch((error) => {
      options.onFailure(mapping.functionId, error);
      return true;
    });
    const pauseMs = idle ? (options.pollMs ?? POLL_MS) : READ_PAUSE_MS;
    await sleep(pauseMs, undefined, { signal: closing }).catch(() => undefined);
  }
}

/** One consumer of one stream. It delivers one batch at a time. */
class StreamConsumer {
  readonly #mapping: Mapping;
  readonly #options: StreamSourcesOptions;
  readonly #stream: TableStream;
  readonly #checkpoint: Checkpoint;
  /** Halved by each delivery that fails, until the record that fails stands alone. */
  #limit: number;
  /** Records that were read and are not dealt with yet; at most a batch. */
  #gathered: ShardRecords | undefined;
  #gatheringSince: number | undefined;

  constructor(mapping: Mapping, options: StreamSourcesOptions) {
    this.#mapping = mapping;
    this.#options = options;
    this.#stream = new TableStream(mapping.table, options.endpoint);
    this.#checkpoint = new Checkpoint(join(options.folder, `${mapping.logicalId}.json`));
    this.#limit = mapping.batchSize;
  }

  /** Reads on and delivers the next batch if it is due. Resolves to whether there is now time to wait. */
  async poll(): Promise<boolean> {
    const readAll = await this.#gather();
    const batch = this.#gathered && {
      ...this.#gathered,
      records: this.#gathered.records.slice(0, this.#limit),
    };
    if (batch === undefined || this.#isGathering(batch)) return readAll;
    this.#gatheringSince = undefined;
    const { records } = batch;
    const done = await this.#deliver(batch);
    if (done > 0) this.#moveBehind(batch, done);
    if (done === records.length) {
      this.#limit = this.#mapping.batchSize;
      return false;
    }
    if (records.length === 1) this.#giveUpIfOld(batch);
    this.#limit = Math.ceil(records.length / 2);
    return true;
  }

  /** Resolves to whether there is nothing more to read now. */
  async #gather(): Promise<boolean> {
    const gathered = this.#gathered;
    const wanted = Math.min(RECORDS_PER_READ, this.#limit - (gathered?.records.length ?? 0));
    if (wanted <= 0) return true;
    const read = await this.#stream.next((stream, shard) => this.#lastRead(stream, shard), wanted);
    if (read === undefined || (gathered !== undefined && gathered.shard !== read.shard)) return true;
    this.#gathered = { ...read, records: [...(gathered?.records ?? []), ...read.records] };
    return read.records.length < wanted;
  }

  #lastRead(stream: string, shard: string): string | undefined {
    const gathered = this.#gathered?.shard === shard ? this.#gathered.records.at(-1) : undefined;
    return gathered?.dynamodb?.SequenceNumber ?? this.#checkpoint.lastOf(stream, shard);
  }

  /** A batch that is not full waits for more as long as the mapping allows. */
  #isGathering({ records }: ShardRecords): boolean {
    const { batchSize, windowMs } = this.#mapping;
    if (records.length >= this.#limit || this.#limit < batchSize) return false;
    const now = this.#options.clock.now();
    this.#gatheringSince ??= now;
    return now - this.#gatheringSince < windowMs;
  }

  /** Number of records, from the first on, that the function dealt with. */
  async #deliver({ records }: ShardRecords): Promise<number> {
    const { functionId, streamArn } = this.#mapping;
    try {
      const answer = await this.#options.invoke(functionId, streamEvent(records, streamArn));
      const ids = records.map(({ dynamodb }) => dynamodb?.SequenceNumber ?? '');
      const failed = failedItems(answer, ids);
      const first = ids.findIndex((id) => failed.has(id));
      return first === -1 ? records.length : first;
    } catch (error) {
      this.#options.onFailure(functionId, error);
      return 0;
    }
  }

  #moveBehind({ stream, shard, records }: ShardRecords, count: number): void {
    const last = records[count - 1]?.dynamodb?.SequenceNumber;
    if (last !== undefined) this.#checkpoint.move(stream, shard, last);
    const left = this.#gathered?.records.slice(count) ?? [];
    this.#gathered = left.length === 0 ? undefined : { stream, shard, records: left };
  }

  #giveUpIfOld(batch: ShardRecords): void {
    const now = this.#options.clock.now();
    const { streamArn, functionArn, maxAgeMs, discarded } = this.#mapping;
    if (now - createdAt(batch.records[0]?.dynamodb) <= maxAgeMs) return;
    discarded?.send(JSON.stringify(discardedBatch(batch, streamArn, functionArn, now)));
    this.#moveBehind(batch, batch.records.length);
  }
}
