import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { WANTED_SLOT } from '../../lambdas/access/accounts/read-lanes.ts';
import { BALANCES_FUNCTION_VARIABLE } from '../../lambdas/shared/runtime/environment.ts';
import { toStageSettings } from '../config/config.ts';
import type { StageConfig } from '../config/stage-config.ts';
import type { AccessLayer } from '../functions/access-layer.ts';
import { runEvery } from '../functions/rule-target.ts';
import { type FunctionSize, type Service, ServiceFunction } from '../functions/service-function.ts';
import type { MeteringTables } from './metering-tables.ts';

/** A run is longer than the minute in which the next one begins and takes its accounts over: two at a time. */
const SIZE: FunctionSize = { memoryMb: 256, timeoutSeconds: 120, reservedConcurrency: 2 };
const INTERVAL = Duration.minutes(1);

interface AccountBalancesProps {
  readonly config: StageConfig;
  readonly tables: MeteringTables;
  readonly layer: AccessLayer;
  /** The functions that may want a balance view: one that wants the first starts a run. */
  readonly readers: readonly Service[];
}

/** Keeps the balance views of accounts with many lanes, which are read instead of the lanes: the only writer of them. */
export class AccountBalances extends Construct {
  constructor(scope: Construct, id: string, { config, tables, layer, readers }: AccountBalancesProps) {
    super(scope, id);
    const service = new ServiceFunction(this, 'Service', {
      name: 'account-balances',
      description: 'Keeps the balances of accounts with many lanes',
      size: SIZE,
      settings: toStageSettings(config),
      layer,
      logs: config.logs,
      environment: tables.environment,
    });
    service.allow(['dynamodb:GetItem'], [tables.accounts.tableArn]);
    service.allow(['dynamodb:Query'], [tables.lanes.tableArn]);
    service.allow(['dynamodb:GetItem', 'dynamodb:UpdateItem'], [tables.balances.tableArn]);
    // Its own partition alone: the others of this table are the work list of settlement.
    service.allow(['dynamodb:DeleteItem', 'dynamodb:Query'], [tables.unsettled.tableArn], {
      'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [WANTED_SLOT] },
    });
    // The next event finds the same work.
    runEvery(INTERVAL, service, { description: 'Balances of accounts with many lanes', retryAttempts: 0 });
    for (const reader of readers) {
      reader.addEnvironment(BALANCES_FUNCTION_VARIABLE, service.lambda.functionName);
      reader.allow(['lambda:InvokeFunction'], [service.lambda.functionArn]);
    }
  }
}
