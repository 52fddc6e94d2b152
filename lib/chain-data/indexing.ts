import { Annotations, Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { Rule } from 'aws-cdk-lib/aws-events';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import {
  BACKFILL_QUEUE_URL_VARIABLE,
  BLOCK_FILES_BUCKET_VARIABLE,
  FAILED_ROLLUPS_QUEUE_VARIABLE,
  HEAD_PAUSE_VARIABLE,
  INDEXED_CHAIN_VARIABLE,
} from '../../lambdas/shared/runtime/environment.ts';
import { hasCallBudget } from '../../lambdas/shared/runtime/settings.ts';
import { exchangeWarnings } from '../config/chain-warnings.ts';
import { toStageSettings } from '../config/config.ts';
import type { StageConfig } from '../config/stage-config.ts';
import { allowUpstreamSecrets, type ServiceFunctions } from '../edge/service-functions.ts';
import { allowObjects, closedBucket, closedQueue } from '../functions/closed.ts';
import type { SharedResponses } from '../functions/response-cache.ts';
import { slotsOf, takeEventsOf } from '../functions/rule-target.ts';
import { type FunctionSize, ServiceFunction } from '../functions/service-function.ts';
import { type ChainCluster, DATABASE_NAME } from './chain-database.ts';
import type { ChainStacks } from './chain-stacks.ts';

/**
 * Room for the transaction under way behind a slot of a minute. A second slot begins while one of the two loops of the first is
 * still in such a transaction: the other loop need not wait for it, and the same loop waits by the locks of the database.
 */
const FOLLOW_SIZE: Omit<FunctionSize, 'memoryMb'> = { timeoutSeconds: 100, reservedConcurrency: 2 };
const BACKFILL_SIZE: FunctionSize = { memoryMb: 1_769, timeoutSeconds: 300 };
/** AWS asks for a visibility time-out of at least six times that of the consumer. */
const VISIBILITY = Duration.seconds(6 * BACKFILL_SIZE.timeoutSeconds);
const MAX_DELIVERIES = 5;
const RETENTION = Duration.days(14);
/** A file is read within the hours of its backfill; the operator has it still. */
const BLOCK_FILES_KEPT = Duration.days(7);

interface IndexingProps {
  readonly config: StageConfig;
  readonly functions: ServiceFunctions;
  readonly database: ChainCluster;
  /** Where the indexed heads are kept on record. */
  readonly records: SharedResponses;
  readonly chainStacks: ChainStacks;
}

/** A function of the index, and the chains that it is for. */
interface IndexingFunction {
  /** Folder under `lambdas/`. */
  readonly name: string;
  readonly description: string;
  readonly size: FunctionSize;
  readonly chains: readonly StageConfig['chains'][number][];
  readonly sendsToItself?: boolean;
}

/** Files of blocks that an operator fills a chain from. What fills it only reads them. */
class BlockFiles extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.bucket = closedBucket(this, 'Uploaded', {
      lifecycleRules: [{ expiration: BLOCK_FILES_KEPT }],
      removalPolicy: RemovalPolicy.DESTROY,
    });
  }

  /** Lets a function read files; tells it where they are. */
  allowReading(service: ServiceFunction): void {
    allowObjects(service, this.bucket, ['s3:GetObject']);
    service.lambda.addEnvironment(BLOCK_FILES_BUCKET_VARIABLE, this.bucket.bucketName);
  }
}

/**
 * Fills the chain database: a function per chain that follows its head and derives prices, candles and daily figures, and one
 * that stores the past, range by range.
 */
export class Indexing extends Construct {
  /** Outputs of the stack by name: what an operator needs to backfill. */
  readonly outputs: Readonly<Record<string, string>>;
  /** Ranges to backfill. */
  readonly backfill: Queue;
  /**
   * Ranges that no delivery could store, and slots in which no block could be: of a chain that is halted, each of them. Also
   * those that did not run.
   */
  readonly deadLetters: Queue;
  /** Slots in which nothing could be derived. */
  readonly failedRollups: Queue;
  readonly #props: IndexingProps;
  readonly #files: BlockFiles;

  constructor(scope: Construct, id: string, props: IndexingProps) {
    super(scope, id);
    this.#props = props;
    this.#files = new BlockFiles(this, 'BlockFiles');
    this.deadLetters = closedQueue(this, 'DeadLetters', { retentionPeriod: RETENTION });
    this.failedRollups = closedQueue(this, 'FailedRollups', { retentionPeriod: RETENTION });
    this.backfill = closedQueue(this, 'Backfill', {
      retentionPeriod: RETENTION,
      visibilityTimeout: VISIBILITY,
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: MAX_DELIVERIES },
    });
    takeEventsOf(
      props.config.chains.map((chain) => this.follow(chain)),
      this.deadLetters,
    );
    this.fillUp();
    this.outputs = {
      BackfillQueueUrl: this.backfill.queueUrl,
      ChainDatabaseArn: props.database.cluster.clusterArn,
      ChainDatabaseName: DATABASE_NAME,
      ChainDatabaseReaderSecretArn: props.database.secretOf('reader').secretArn,
      BlockFilesBucketName: this.#files.bucket.bucketName,
    };
    props.records.tellRecords(props.functions.status);
  }

  private follow(chain: StageConfig['chains'][number]): Rule {
    const { records, chainStacks, config } = this.#props;
    for (const warning of exchangeWarnings([chain]))
      Annotations.of(this).addWarningV2(`gateway:NoExchanges-${chain.chain}`, warning);
    const { memoryMb, headPauseMs } = config.indexing;
    const scope = chainStacks.of(chain.chain, this.node.id);
    const service = this.service(scope, `Follow-${chain.chain}`, {
      name: 'indexer',
      description: `Indexes ${chain.name}, and derives its prices, candles and daily figures`,
      size: { ...FOLLOW_SIZE, memoryMb },
      chains: [chain],
    });
    service.lambda.addEnvironment(INDEXED_CHAIN_VARIABLE, chain.chain);
    service.allow(['sqs:SendMessage'], [this.failedRollups.queueArn]);
    service.lambda.addEnvironment(FAILED_ROLLUPS_QUEUE_VARIABLE, this.failedRollups.queueUrl);
    if (headPauseMs !== undefined) service.lambda.addEnvironment(HEAD_PAUSE_VARIABLE, String(headPauseMs));
    records.keepRecords(service, chain.chain);
    const description = `Follows ${chain.name}`;
    const { batchMinutes } = config.indexing;
    return slotsOf(chain.chain, service, { scope, batchMinutes, description, deadLetters: this.deadLetters });
  }

  private fillUp(): void {
    const { config } = this.#props;
    const service = this.service(this, 'Fill', {
      name: 'backfill',
      description: 'Stores the past of the chains, range by range',
      size: BACKFILL_SIZE,
      chains: config.chains,
      sendsToItself: true,
    });
    service.lambda.addEnvironment(BACKFILL_QUEUE_URL_VARIABLE, this.backfill.queueUrl);
    service.allow(['sqs:SendMessage'], [this.backfill.queueArn]);
    this.#files.allowReading(service);
    this.#props.database.imports?.allowWriting(service);
    const { backfillConcurrency } = config.indexing;
    service.lambda.addEventSource(
      new SqsEventSource(this.backfill, { batchSize: 1, maxConcurrency: backfillConcurrency }),
    );
  }

  private service(
    scope: Construct,
    id: string,
    { name, description, size, chains, sendsToItself = false }: IndexingFunction,
  ): ServiceFunction {
    const { config, functions, database, records } = this.#props;
    const service = new ServiceFunction(scope, id, {
      name,
      description,
      size,
      sendsToItself,
      // Of its own chains alone: others come and go without it.
      settings: toStageSettings({ ...config, chains: [...chains] }),
      layer: functions.layer,
      logs: config.logs,
      environment: functions.nodeEnvironment(chains),
    });
    database.grantAccess(service, 'writer');
    allowUpstreamSecrets(service, chains);
    if (chains.some(hasCallBudget)) records.hold(service);
    else records.watch(service);
    return service;
  }
}
