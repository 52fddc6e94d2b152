import { Annotations, Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { INDEXED_CHAIN_VARIABLE } from '../../lambdas/shared/runtime/environment.ts';
import { exchangeWarnings } from '../config/chain-warnings.ts';
import { toStageSettings } from '../config/config.ts';
import type { StageConfig } from '../config/stage-config.ts';
import type { AccessLayer } from '../functions/access-layer.ts';
import { ruleTarget, takeEventsOf } from '../functions/rule-target.ts';
import { type FunctionSize, ServiceFunction } from '../functions/service-function.ts';
import type { ChainCluster } from './chain-database.ts';
import type { ChainStacks } from './chain-stacks.ts';

/**
 * Room for the transaction under way behind a slot of a minute; a second slot at a time would only wait for
 * the first.
 */
const SIZE: FunctionSize = { memoryMb: 512, timeoutSeconds: 90, reservedConcurrency: 1 };
const SLOT = Duration.minutes(1);
/** By then the next slot is over as well: an event that could not begin its slot is kept as a failed one. */
const MAX_EVENT_AGE = Duration.minutes(2);
const RETENTION = Duration.days(14);

interface RollupsProps {
  readonly config: StageConfig;
  readonly database: ChainCluster;
  readonly layer: AccessLayer;
  readonly chainStacks: ChainStacks;
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
    takeEventsOf(
      props.config.chains.map((chain) => this.derive(chain)),
      this.deadLetters,
    );
  }

  private derive(chain: StageConfig['chains'][number]): Rule {
    for (const warning of exchangeWarnings([chain]))
      Annotations.of(this).addWarningV2(`gateway:NoExchanges-${chain.chain}`, warning);
    const { config, database, layer, chainStacks } = this.#props;
    const scope = chainStacks.of(chain.chain, this.node.id);
    const service = new ServiceFunction(scope, `Derive-${chain.chain}`, {
      name: 'rollups',
      description: `Derives prices, candles and daily figures of ${chain.name}`,
      size: SIZE,
      settings: toStageSettings({ ...config, chains: [chain] }),
      layer,
      logs: config.logs,
      environment: { [INDEXED_CHAIN_VARIABLE]: chain.chain },
    });
    database.grantAccess(service, 'writer');
    service.keepFailedEvents(this.deadLetters);
    // A slot that failed is over: the next goes on where it ended.
    service.lambda.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: MAX_EVENT_AGE });
    return new Rule(scope, `Slot-${chain.chain}`, {
      description: `Derives prices, candles and daily figures of ${chain.name}`,
      schedule: Schedule.rate(SLOT),
      targets: [ruleTarget(service, { deadLetters: this.deadLetters, maxEventAge: MAX_EVENT_AGE })],
    });
  }
}
