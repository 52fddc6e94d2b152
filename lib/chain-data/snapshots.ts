import { Duration } from 'aws-cdk-lib';
import { Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { hasCallBudget } from '../../lambdas/shared/runtime/settings.ts';
import { toStageSettings } from '../config/config.ts';
import type { StageConfig } from '../config/stage-config.ts';
import { allowUpstreamSecrets, type ServiceFunctions } from '../edge/service-functions.ts';
import type { SharedResponses } from '../functions/response-cache.ts';
import { slotSchedule } from '../functions/rule-target.ts';
import { type FunctionSize, ServiceFunction } from '../functions/service-function.ts';
import type { ChainCluster } from './chain-database.ts';

/** All balances of a first snapshot are applied in one transaction, which one run has to end. */
const SIZE: FunctionSize = { memoryMb: 1_024, timeoutSeconds: 900 };
/** The next event finds the same work. */
const MAX_EVENT_AGE = Duration.minutes(1);
/** EventBridge takes no more. */
const TARGETS_PER_RULE = 5;

interface SnapshotsProps {
  readonly config: StageConfig;
  readonly functions: ServiceFunctions;
  readonly database: ChainCluster;
  /** Where its calls of nodes are drawn. */
  readonly records: SharedResponses;
}

/** Takes the snapshots of balances, every six hours. */
export class Snapshots extends Construct {
  readonly service: ServiceFunction;

  constructor(scope: Construct, id: string, { config, functions, database, records }: SnapshotsProps) {
    super(scope, id);
    this.service = new ServiceFunction(this, 'Service', {
      name: 'snapshots',
      description: 'Snapshots of balances',
      size: SIZE,
      settings: toStageSettings(config),
      layer: functions.layer,
      logs: config.logs,
      environment: functions.nodeEnvironment(config.chains),
    });
    database.grantAccess(this.service, 'writer');
    allowUpstreamSecrets(this.service, config.chains);
    if (config.chains.some(hasCallBudget)) records.hold(this.service);
    else records.watch(this.service);
    // Most runs find nothing to do, or another at it; a snapshot that one run could not end continues with the next.
    for (let first = 0; first < config.chains.length; first += TARGETS_PER_RULE) {
      const chains = config.chains.slice(first, first + TARGETS_PER_RULE);
      new Rule(this, `Due-${first / TARGETS_PER_RULE}`, {
        description: 'Balances of chains',
        schedule: slotSchedule(config.indexing.batchMinutes),
        targets: chains.map(({ chain }) => this.target(chain)),
      });
    }
  }

  private target(chain: string): FunctionTarget {
    return new FunctionTarget(this.service.lambda, {
      event: RuleTargetInput.fromObject({ chain }),
      retryAttempts: 0,
      maxEventAge: MAX_EVENT_AGE,
    });
  }
}
