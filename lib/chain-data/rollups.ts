import { Annotations, Duration } from 'aws-cdk-lib';
import type { Rule } from 'aws-cdk-lib/aws-events';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { INDEXED_CHAIN_VARIABLE } from '../../lambdas/shared/runtime/environment.ts';
import { exchangeWarnings } from '../config/chain-warnings.ts';
import { toStageSettings } from '../config/config.ts';
import type { StageConfig } from '../config/stage-config.ts';
import type { AccessLayer } from '../functions/access-layer.ts';
import { closedQueue } from '../functions/closed.ts';
import { slotsOf, takeEventsOf } from '../functions/rule-target.ts';
import { type FunctionSize, ServiceFunction } from '../functions/service-function.ts';
import type { ChainCluster } from './chain-database.ts';
import type { ChainStacks } from './chain-stacks.ts';

/**
 * Room for the transaction under way behind a slot of a minute; a second slot at a time would only wait for
 * the first.
 */
const SIZE: FunctionSize = { memoryMb: 512, timeoutSeconds: 90, reservedConcurrency: 1 };
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
    this.deadLetters = closedQueue(this, 'DeadLetters', {
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
    const description = `Derives prices, candles and daily figures of ${chain.name}`;
    const service = new ServiceFunction(scope, `Derive-${chain.chain}`, {
      name: 'rollups',
      description,
      size: SIZE,
      settings: toStageSettings({ ...config, chains: [chain] }),
      layer,
      logs: config.logs,
      environment: { [INDEXED_CHAIN_VARIABLE]: chain.chain },
    });
    database.grantAccess(service, 'writer');
    const { batchMinutes } = config.indexing;
    return slotsOf(chain.chain, service, { scope, batchMinutes, description, deadLetters: this.deadLetters });
  }
}
