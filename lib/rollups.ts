import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { INDEXED_CHAIN_VARIABLE } from '../lambdas/indexer/environment.ts';
import type { ChainSettings } from '../lambdas/settings.ts';
import type { AccessLayer } from './access-layer.ts';
import type { ChainDatabase } from './chain-database.ts';
import { type StageConfig, toStageSettings } from './config.ts';
import { type FunctionSize, ServiceFunction } from './service-function.ts';

/**
 * Room for the transaction under way behind a slot of a minute; a second slot at a time would only wait for
 * the first.
 */
const SIZE: FunctionSize = { memoryMb: 1_024, timeoutSeconds: 90, reservedConcurrency: 1 };
const SLOT = Duration.minutes(1);
/** A slot that could not begin by then is left to the next. */
const MAX_EVENT_AGE = Duration.minutes(2);
const RETENTION = Duration.days(14);

export interface RollupsProps {
  readonly config: StageConfig;
  readonly database: ChainDatabase;
  readonly layer: AccessLayer;
}

/** Derives prices, candles and daily figures from what the indexer stores: a function per chain. */
export class Rollups extends Construct {
  /** Slots that failed. */
  readonly deadLetters: Queue;
  readonly #props: RollupsProps;

  constructor(scope: Construct, id: string, props: RollupsProps) {
    super(scope, id);
    this.#props = props;
    this.deadLetters = new Queue(this, 'DeadLetters', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: RETENTION,
    });
    for (const chain of props.config.chains) this.derive(chain);
  }

  private derive(chain: ChainSettings): void {
    const { config, database, layer } = this.#props;
    const service = new ServiceFunction(this, `Derive-${chain.chain}`, {
      name: 'rollups',
      description: `Derives prices, candles and daily figures of ${chain.name}`,
      size: SIZE,
      settings: toStageSettings(config),
      layer,
      logRetentionDays: config.logs.retentionDays,
      environment: { [INDEXED_CHAIN_VARIABLE]: chain.chain },
    });
    database.grantAccess(service, 'writer');
    this.keepFailedSlots(service);
    new Rule(this, `Slot-${chain.chain}`, {
      description: `Derives prices, candles and daily figures of ${chain.name}`,
      schedule: Schedule.rate(SLOT),
      targets: [
        new FunctionTarget(service.lambda, { deadLetterQueue: this.deadLetters, maxEventAge: MAX_EVENT_AGE }),
      ],
    });
  }

  /**
   * The rule's own dead letters are events that did not reach the function; these are events that it failed
   * on.
   */
  private keepFailedSlots(service: ServiceFunction): void {
    const resource = service.lambda.node.defaultChild;
    if (!(resource instanceof CfnFunction)) throw new Error('a function has no resource');
    resource.deadLetterConfig = { targetArn: this.deadLetters.queueArn };
    service.allow(['sqs:SendMessage'], [this.deadLetters.queueArn]);
  }
}
