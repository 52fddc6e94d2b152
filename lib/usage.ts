import { Duration } from 'aws-cdk-lib';
import { EventSourceMapping, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { AccessLayer } from './access-layer.ts';
import { type StageConfig, toStageSettings } from './config.ts';
import type { MeteringTables } from './metering-tables.ts';
import { type FunctionSize, ServiceFunction } from './service-function.ts';

const SIZE: FunctionSize = { memoryMb: 512, timeoutSeconds: 60 };
/** With two images of up to 1 KB each, a full batch stays well below the 6 MB of an event. */
const RECORDS_PER_BATCH = 1_000;
/** The longer charges are gathered, the fewer writes count them, and the later people see them. */
const BATCHING_WINDOW = Duration.seconds(10);
/** The stream keeps a record for 24 hours: half of them for trying, half for somebody to look at what was given up. */
const MAX_RECORD_AGE = Duration.hours(12);
const DEAD_LETTER_RETENTION = Duration.days(14);

export interface UsageProps {
  readonly config: StageConfig;
  readonly tables: MeteringTables;
  readonly layer: AccessLayer;
}

/** Counts what charges paid for, from the stream of the accounts table. It can touch nothing but the usage table. */
export class Usage extends Construct {
  readonly service: ServiceFunction;
  /** Where in the stream the records stand that were given up. */
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, { config, tables, layer }: UsageProps) {
    super(scope, id);
    this.deadLetters = new Queue(this, 'DeadLetters', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: DEAD_LETTER_RETENTION,
    });
    this.service = new ServiceFunction(this, 'Service', {
      name: 'usage',
      description: 'Counts usage',
      size: SIZE,
      settings: toStageSettings(config),
      layer,
      logRetentionDays: config.logs.retentionDays,
      environment: tables.environment,
    });
    this.service.allow(['dynamodb:UpdateItem'], [tables.usage.tableArn]);
    this.service.allow(
      ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator', 'dynamodb:ListStreams'],
      [tables.accountsStreamArn],
    );
    new EventSourceMapping(this, 'Mapping', {
      target: this.service.lambda,
      eventSourceArn: tables.accountsStreamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: RECORDS_PER_BATCH,
      maxBatchingWindow: BATCHING_WINDOW,
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      maxRecordAge: MAX_RECORD_AGE,
      onFailure: new SqsDlq(this.deadLetters),
    });
  }
}
