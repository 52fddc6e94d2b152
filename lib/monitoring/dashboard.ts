import { Duration } from 'aws-cdk-lib';
import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  type IWidget,
  SingleValueWidget,
  Stats,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { DATA_REASON_PREFIX } from '../../lambdas/data/response/data-metrics.ts';
import { FAILURE_CODES } from '../../lambdas/data/response/failure.ts';
import { NODE_ERROR } from '../../lambdas/rpc/response/call-figures.ts';
import { ERROR_CATALOGUE } from '../../lambdas/shared/jsonrpc/error-catalogue.ts';
import { METHOD_CLASSES } from '../../lambdas/shared/methods/method-table.ts';
import type { MetricName } from '../../lambdas/shared/runtime/metrics.ts';
import { type CostWidgetsProps, costWidgets } from './cost-widgets.ts';
import { GatewayMetrics, writeThrottles } from './gateway-metrics.ts';
import { graph, HALF, HEIGHT, PERIOD, THIRD, TRIMMED_MEAN, WIDTH } from './graph.ts';
import { API_FUNCTIONS, PAID_FUNCTIONS } from './run-alarms.ts';

/** CloudWatch takes no more alarms in one widget. */
const MAX_ALARMS_SHOWN = 100;

export interface GatewayDashboardProps extends CostWidgetsProps {
  readonly stage: string;
  /** Names of the chains that are indexed. */
  readonly indexedChains: readonly string[];
  /** The queue of charges that their functions could not store. */
  readonly charges: Queue;
  /** Alarms whose states are shown. */
  readonly alarms: readonly Alarm[];
}

/** What the widgets are made of. */
interface Shown extends GatewayDashboardProps {
  readonly metrics: GatewayMetrics;
}

/**
 * One dashboard that answers, from the top: is it healthy, what is slow, who is refused and why, is the money right, is
 * the data fresh, what does it cost.
 */
export class GatewayDashboard extends Construct {
  constructor(scope: Construct, id: string, props: GatewayDashboardProps) {
    super(scope, id);
    const dashboard = new Dashboard(this, 'Dashboard', { dashboardName: `gateway-${props.stage}` });
    const shown: Shown = { ...props, metrics: new GatewayMetrics(props.stage) };
    const sections: readonly (readonly [question: string, widgets: readonly IWidget[]])[] = [
      ['Is it healthy?', healthWidgets(shown)],
      ['What is slow?', latencyWidgets(shown)],
      ['Which requests are refused, and why?', refusalWidgets(shown)],
      ['Is billing correct?', moneyWidgets(shown)],
      ['Is the data fresh?', freshnessWidgets(shown)],
      ['What does it cost?', costWidgets(props)],
    ];
    for (const [question, widgets] of sections) {
      dashboard.addWidgets(new TextWidget({ markdown: `## ${question}`, width: WIDTH, height: 1 }));
      dashboard.addWidgets(...widgets);
    }
  }
}

function healthWidgets({ alarms, rest, functions, metrics }: Shown): IWidget[] {
  const answered = metrics.metric('Requests', { statistic: Stats.SUM, label: 'JSON-RPC' });
  const data = metrics.metric('DataRequests', { statistic: Stats.SUM, label: 'Data API' });
  const failures = [functions.rpc, functions.data, functions.status, functions.mcp].map(({ lambda }, index) =>
    lambda.metricErrors({ period: PERIOD, label: ['JSON-RPC', 'Data API', 'status', 'MCP'][index] ?? '' }),
  );
  return [
    ...alarmWidgets(alarms),
    graph('Requests', [answered, data]),
    graph('Failed runs of functions', failures),
    graph('Internal errors, by function', [
      ...metrics.ofFunctions(API_FUNCTIONS, 'InternalErrors', Stats.SUM),
      metrics.metric('EarlyTimeouts', { statistic: Stats.SUM, run: { Function: 'rpc' }, label: 'rpc, late' }),
    ]),
    graph('404s, by function', metrics.ofFunctions(API_FUNCTIONS, 'NotFoundAnswers', Stats.SUM)),
    // Alone: beside all requests on one axis it would be a flat line at the bottom.
    graph('5xx of the API', [rest.metricServerError({ statistic: Stats.SUM, period: PERIOD, label: '5xx' })]),
  ];
}

/** A widget shows so many at most. */
function alarmWidgets(alarms: readonly Alarm[]): IWidget[] {
  const count = Math.ceil(alarms.length / MAX_ALARMS_SHOWN);
  return Array.from({ length: count }, (_, index) => {
    const shown = alarms.slice(index * MAX_ALARMS_SHOWN, (index + 1) * MAX_ALARMS_SHOWN);
    return new AlarmStatusWidget({ title: 'Alarms', alarms: shown, width: WIDTH, height: 3 });
  });
}

function latencyWidgets({ rest, metrics }: Shown): IWidget[] {
  const percentiles = (name: MetricName) =>
    ['p50', 'p99'].map((statistic) => metrics.metric(name, { statistic, label: `${name} ${statistic}` }));
  return [
    graph('JSON-RPC: time of the node, and of the gateway', [
      ...percentiles('UpstreamLatency'),
      ...percentiles('AddedLatency'),
    ]),
    graph('Data API', percentiles('DataLatency')),
    graph(
      'Time of runs, all but the slowest tenth',
      metrics.ofFunctions(API_FUNCTIONS, 'RunTime', TRIMMED_MEAN),
    ),
    graph('API Gateway, to the first byte', [
      rest.metricLatency({ statistic: 'p50', period: PERIOD, label: 'p50' }),
      rest.metricLatency({ statistic: 'p99', period: PERIOD, label: 'p99' }),
    ]),
    graph('Calls', metrics.sums('Calls', 'CacheHits', 'NodeErrors', 'RefusedCalls', 'UnansweredCalls')),
    graph('Calls by class of method', metrics.brokenDown('Calls', 'MethodClass', METHOD_CLASSES)),
    graph(
      'Upstreams taken out, and refusals for a limit of their own',
      metrics.sums('UpstreamsTakenOut', 'UpstreamsLimited'),
    ),
  ];
}

function refusalWidgets({ rest, metrics }: Shown): IWidget[] {
  return [
    graph(
      'Requests refused as a whole',
      metrics.sums('RefusedForBalance', 'RefusedForRate', 'RefusedForUnavailability'),
      HALF,
    ),
    graph(
      '4xx of the API: unknown keys and paths among them',
      [rest.metricClientError({ statistic: Stats.SUM, period: PERIOD, label: '4xx' })],
      HALF,
    ),
    graph(
      'Errors of JSON-RPC by reason',
      metrics.brokenDown('Errors', 'Reason', [NODE_ERROR, ...Object.keys(ERROR_CATALOGUE)]),
      HALF,
    ),
    graph(
      'Errors of the Data API by code',
      metrics.brokenDown(
        'Errors',
        'Reason',
        FAILURE_CODES.map((code) => `${DATA_REASON_PREFIX}${code}`),
      ),
      HALF,
    ),
  ];
}

function moneyWidgets({ metrics, tables, charges }: Shown): IWidget[] {
  const hourly = (name: MetricName, statistic: string, label: string) =>
    metrics.metric(name, { statistic, label, period: Duration.hours(1) });
  return [
    new SingleValueWidget({
      title: 'Violations of the books, last audit',
      metrics: [hourly('AuditViolations', Stats.MAXIMUM, 'violations')],
      width: THIRD,
      height: HEIGHT,
    }),
    graph('Compute units', [
      hourly('BilledComputeUnits', Stats.SUM, 'billed'),
      hourly('SettledComputeUnits', Stats.SUM, 'settled'),
    ]),
    graph(
      'Charges not stored at once, and failures of settlement',
      metrics.sums('ChargeRetries', 'ChargesQueued', 'SettlementFailures'),
    ),
    graph(
      'Charged for an answer, CU',
      metrics.ofFunctions(PAID_FUNCTIONS, 'ChargedComputeUnits', TRIMMED_MEAN),
    ),
    graph('Not charged, CU', metrics.sums('UnchargedComputeUnits')),
    graph('Age of the oldest charge in the queue, seconds', [
      charges.metricApproximateAgeOfOldestMessage({ period: PERIOD, statistic: Stats.MAXIMUM, label: 'age' }),
    ]),
    graph('Writes that DynamoDB refused, by table', [
      writeThrottles(tables.keys, 'keys'),
      writeThrottles(tables.lanes, 'lanes'),
      writeThrottles(tables.unsettled, 'unsettled'),
      writeThrottles(tables.accounts, 'accounts'),
      writeThrottles(tables.ledger, 'ledger'),
    ]),
    graph('Charged but not yet settled, CU', [hourly('UnsettledComputeUnits', Stats.SUM, 'unsettled')]),
    graph('From the end of an hour to its settlement, seconds', [
      hourly('SettlementLag', Stats.MAXIMUM, 'settled'),
      hourly('UnsettledAge', Stats.MAXIMUM, 'not settled'),
    ]),
    graph('Books', metrics.sums('AuditedAccounts', 'SettlementRecords')),
  ];
}

function freshnessWidgets({ cluster, metrics, indexedChains }: Shown): IWidget[] {
  const worst = (name: MetricName, period = PERIOD) =>
    metrics.ofEach(indexedChains, name, { statistic: Stats.MAXIMUM, period });
  const indexed = [
    graph('Blocks behind the node', worst('IndexerLagBlocks', Duration.minutes(1))),
    graph('Age of the newest indexed block, seconds', worst('IndexedHeadAge', Duration.minutes(1))),
    graph('Blocks indexed', metrics.sums('IndexedBlocks')),
    graph('Reorganisations, halts', metrics.sums('Reorganisations', 'IndexerHalted')),
    graph('Blocks not yet in prices and candles', worst('RollupLagBlocks')),
    graph('Age of the balances, seconds', worst('SnapshotAge')),
  ];
  return [
    ...(indexedChains.length === 0 ? [] : indexed),
    graph(
      'Data API without its database',
      metrics.sums('DatabaseResumes', 'DatabaseUnavailable', 'DataErrors'),
    ),
    ...(cluster === undefined
      ? []
      : [
          graph(
            'Capacity of the database, ACU',
            [
              cluster.metricServerlessDatabaseCapacity({
                period: PERIOD,
                statistic: Stats.AVERAGE,
                label: 'ACU',
              }),
            ],
            2 * THIRD,
          ),
        ]),
  ];
}
