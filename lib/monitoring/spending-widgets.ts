import { Duration } from 'aws-cdk-lib';
import { type IWidget, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { METHOD_CLASSES } from '../../lambdas/shared/methods/method-table.ts';
import type { ServiceFunctions } from '../edge/service-functions.ts';
import type { GatewayMetrics } from './gateway-metrics.ts';
import { graph, HALF, logTable, THIRD, TRIMMED_MEAN } from './graph.ts';
import { PAID_FUNCTIONS } from './run-alarms.ts';

/** Accounts in the table of those that spend most. */
const TOP_ACCOUNTS = 20;

/**
 * The accounts that spend most, and on what. The account is a field of each request's log line and no dimension of a
 * metric, because there are too many accounts; so these widgets query the logs.
 */
export function spendingWidgets(functions: ServiceFunctions, metrics: GatewayMetrics): IWidget[] {
  return [
    logTable(
      'Accounts that spend most',
      [functions.rpc, functions.data, functions.mcp],
      [
        'filter ispresent(account) and ispresent(RunTime)',
        'stats sum(BilledComputeUnits) as CU, count(*) as requests, sum(InternalErrors) as defects by account',
        'sort CU desc',
        `limit ${TOP_ACCOUNTS}`,
      ],
      HALF,
    ),
    graph(
      'Compute units by class of method',
      metrics.brokenDown('BilledComputeUnits', 'MethodClass', METHOD_CLASSES),
      HALF,
    ),
    graph(
      'Compute units',
      [
        metrics.metric('BilledComputeUnits', {
          statistic: Stats.SUM,
          label: 'billed',
          period: Duration.hours(1),
        }),
        metrics.metric('SettledComputeUnits', {
          statistic: Stats.SUM,
          label: 'settled',
          period: Duration.hours(1),
        }),
      ],
      THIRD,
    ),
    graph(
      'Charged for an answer, CU',
      metrics.ofFunctions(PAID_FUNCTIONS, 'ChargedComputeUnits', TRIMMED_MEAN),
      THIRD,
    ),
    graph('Calls by class of method', metrics.brokenDown('Calls', 'MethodClass', METHOD_CLASSES), THIRD),
  ];
}
