import { Duration } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  MathExpression,
  Metric,
  SingleValueWidget,
  Stats,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { DatabaseCluster } from 'aws-cdk-lib/aws-rds';
import { Construct } from 'constructs';
import { DATA_REASON_PREFIX } from '../lambdas/data/data-metrics.ts';
import { FAILURE_CODES } from '../lambdas/data/failure.ts';
import { METRIC_NAMESPACE, type MetricName } from '../lambdas/metrics.ts';
import { NODE_ERROR } from '../lambdas/rpc/call-figures.ts';
import { ERROR_CATALOGUE } from '../lambdas/rpc/error-catalogue.ts';
import { METHOD_CLASSES } from '../lambdas/rpc/method-class.ts';
import type { MeteringTables } from './metering-tables.ts';
import type { ServiceFunctions } from './service-functions.ts';

const WIDTH = 24;
const HALF = 12;
const THIRD = 8;
const HEIGHT = 6;
const PERIOD = Duration.minutes(5);
/** List prices in us-east-1, in USD: they show what grows, not the bill. */
const USD = {
  apiRequest: 3.5e-6,
  lambdaRequest: 2e-7,
  lambdaMillisecondPerGb: 1.33334e-8,
  writeUnit: 6.25e-7,
  readUnit: 1.25e-7,
  acuHour: 0.12,
} as const;
/** Enough for three digits of the smallest price. */
const PRICE_DECIMALS = 12;

export interface GatewayDashboardProps {
  readonly stage: string;
  readonly rest: RestApi;
  readonly functions: ServiceFunctions;
  readonly tables: MeteringTables;
  /** Absent in a stage without a chain database. */
  readonly cluster: DatabaseCluster | undefined;
  /** Alarms whose states are shown. */
  readonly alarms: readonly Alarm[];
}

/** A metric that the functions emit. */
export function gatewayMetric(metricName: MetricName, statistic: string, period: Duration = PERIOD): Metric {
  return new Metric({ namespace: METRIC_NAMESPACE, metricName, statistic, period });
}

/** A metric of each value of a breakdown. */
function brokenDown(
  metricName: MetricName,
  by: 'MethodClass' | 'Reason',
  values: readonly string[],
): Metric[] {
  return values.map((value) =>
    named(gatewayMetric(metricName, Stats.SUM), value).with({ dimensionsMap: { [by]: value } }),
  );
}

/**
 * One dashboard that answers, from the top: is it healthy, what is slow, who is refused and why, is the money right, is
 * the data fresh, what does it cost.
 */
export class GatewayDashboard extends Construct {
  constructor(scope: Construct, id: string, props: GatewayDashboardProps) {
    super(scope, id);
    const dashboard = new Dashboard(this, 'Dashboard', { dashboardName: `gateway-${props.stage}` });
    const sections: readonly (readonly [question: string, widgets: readonly IWidget[]])[] = [
      ['Is it healthy?', healthWidgets(props)],
      ['What is slow?', latencyWidgets(props)],
      ['Who is refused, and why?', refusalWidgets(props)],
      ['Is the money right?', moneyWidgets()],
      ['Is the data fresh?', freshnessWidgets(props)],
      ['What does it cost?', costWidgets(props)],
    ];
    for (const [question, widgets] of sections) {
      dashboard.addWidgets(new TextWidget({ markdown: `## ${question}`, width: WIDTH, height: 1 }));
      dashboard.addWidgets(...widgets);
    }
  }
}

function healthWidgets({ alarms, rest, functions }: GatewayDashboardProps): IWidget[] {
  const answered = gatewayMetric('Requests', Stats.SUM);
  const data = gatewayMetric('DataRequests', Stats.SUM);
  const failures = [functions.rpc, functions.data, functions.status].map(({ lambda }, index) =>
    lambda.metricErrors({ period: PERIOD, label: ['JSON-RPC', 'Data API', 'status'][index] ?? '' }),
  );
  return [
    ...(alarms.length === 0
      ? []
      : [new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: WIDTH, height: 3 })]),
    graph('Requests', [named(answered, 'JSON-RPC'), named(data, 'Data API')]),
    graph('Failed runs of functions', failures),
    // Alone: beside all requests on one axis it would be a flat line at the bottom.
    graph('5xx of the API', [rest.metricServerError({ statistic: Stats.SUM, period: PERIOD, label: '5xx' })]),
  ];
}

function latencyWidgets({ rest }: GatewayDashboardProps): IWidget[] {
  const percentiles = (name: MetricName) =>
    ['p50', 'p99'].map((statistic) => named(gatewayMetric(name, statistic), `${name} ${statistic}`));
  return [
    graph('JSON-RPC: node, and what the gateway adds', [
      ...percentiles('UpstreamLatency'),
      ...percentiles('AddedLatency'),
    ]),
    graph('Data API', percentiles('DataLatency')),
    graph('API Gateway, to the first byte', [
      rest.metricLatency({ statistic: 'p50', period: PERIOD, label: 'p50' }),
      rest.metricLatency({ statistic: 'p99', period: PERIOD, label: 'p99' }),
    ]),
    graph('Calls', sums('Calls', 'CacheHits', 'NodeErrors', 'RefusedCalls')),
    graph('Calls by class of method', brokenDown('Calls', 'MethodClass', METHOD_CLASSES)),
    graph('Upstreams taken out', sums('UpstreamsTakenOut')),
  ];
}

function refusalWidgets({ rest }: GatewayDashboardProps): IWidget[] {
  return [
    graph(
      'Requests refused as a whole',
      sums('RefusedForBalance', 'RefusedForRate', 'RefusedForUnavailability'),
      HALF,
    ),
    graph(
      '4xx of the API: unknown keys and paths among them',
      [rest.metricClientError({ statistic: Stats.SUM, period: PERIOD, label: '4xx' })],
      HALF,
    ),
    graph(
      'Errors of JSON-RPC by reason',
      brokenDown('Errors', 'Reason', [NODE_ERROR, ...Object.keys(ERROR_CATALOGUE)]),
      HALF,
    ),
    graph(
      'Errors of the Data API by code',
      brokenDown(
        'Errors',
        'Reason',
        FAILURE_CODES.map((code) => `${DATA_REASON_PREFIX}${code}`),
      ),
      HALF,
    ),
  ];
}

function moneyWidgets(): IWidget[] {
  const hour = Duration.hours(1);
  return [
    new SingleValueWidget({
      title: 'Violations of the books, last audit',
      metrics: [named(gatewayMetric('AuditViolations', Stats.MAXIMUM, hour), 'violations')],
      width: THIRD,
      height: HEIGHT,
    }),
    graph('Compute units', [
      named(gatewayMetric('BilledComputeUnits', Stats.SUM, hour), 'billed'),
      named(gatewayMetric('SettledComputeUnits', Stats.SUM, hour), 'settled'),
    ]),
    graph(
      'Charges that were not certain',
      sums('ChargeRetries', 'ChargesQueued', 'ChargesLost', 'SettlementFailures'),
    ),
    graph('Charged and not yet settled, CU', [
      named(gatewayMetric('UnsettledComputeUnits', Stats.SUM, hour), 'unsettled'),
    ]),
    graph('From the end of an hour to its settlement, seconds', [
      named(gatewayMetric('SettlementLag', Stats.MAXIMUM, hour), 'lag'),
    ]),
    graph('Books', sums('AuditedAccounts', 'SettlementRecords')),
  ];
}

function freshnessWidgets({ cluster }: GatewayDashboardProps): IWidget[] {
  return [
    graph('Blocks behind the node', [
      named(gatewayMetric('IndexerLagBlocks', Stats.MAXIMUM, Duration.minutes(1)), 'lag'),
    ]),
    graph('Blocks indexed', sums('IndexedBlocks')),
    graph('Reorganisations, halts', sums('Reorganisations', 'IndexerHalted')),
    graph('Blocks not yet in prices and candles', [
      named(gatewayMetric('RollupLagBlocks', Stats.MAXIMUM), 'lag'),
    ]),
    graph('Age of the balances, seconds', [named(gatewayMetric('SnapshotAge', Stats.MAXIMUM), 'age')]),
    graph('Data API without its database', sums('DatabaseResumes', 'DatabaseUnavailable', 'DataErrors')),
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
            WIDTH,
          ),
        ]),
  ];
}

function costWidgets({ rest, functions, tables, cluster }: GatewayDashboardProps): IWidget[] {
  const hour = { period: Duration.hours(1), statistic: Stats.SUM };
  const running = [functions.rpc, functions.data];
  const lambdas = running.flatMap(({ lambda }, index) => [
    [`i${index}`, lambda.metricInvocations(hour)] as const,
    [`d${index}`, lambda.metricDuration(hour)] as const,
  ]);
  const units = [tables.keys, tables.accounts].flatMap((table, index) => [
    [`w${index}`, table.metricConsumedWriteCapacityUnits(hour)] as const,
    [`r${index}`, table.metricConsumedReadCapacityUnits(hour)] as const,
  ]);
  const perHour = (label: string, expression: string, metrics: readonly (readonly [string, IMetric])[]) =>
    new MathExpression({ label, expression, usingMetrics: Object.fromEntries(metrics), period: hour.period });
  const seconds = running.map(
    (_, index) =>
      `(d${index} * ${decimal(USD.lambdaMillisecondPerGb)} + i${index} * ${decimal(USD.lambdaRequest)})`,
  );
  return [
    graph(
      'USD per hour at list prices',
      [
        perHour('API Gateway', `c0 * ${decimal(USD.apiRequest)}`, [['c0', rest.metricCount(hour)]]),
        perHour('functions (1 GB)', seconds.join(' + '), lambdas),
        perHour(
          'metering',
          `(w0 + w1) * ${decimal(USD.writeUnit)} + (r0 + r1) * ${decimal(USD.readUnit)}`,
          units,
        ),
        ...(cluster === undefined
          ? []
          : [
              perHour('database', `a0 * ${USD.acuHour}`, [
                [
                  'a0',
                  cluster.metricServerlessDatabaseCapacity({ period: hour.period, statistic: Stats.AVERAGE }),
                ],
              ]),
            ]),
      ],
      WIDTH,
    ),
  ];
}

function sums(...names: readonly MetricName[]): Metric[] {
  return names.map((name) => named(gatewayMetric(name, Stats.SUM), name));
}

function named(metric: Metric, label: string): Metric {
  return metric.with({ label });
}

function graph(title: string, left: IMetric[], width = THIRD): GraphWidget {
  return new GraphWidget({ title, left, width, height: HEIGHT, leftYAxis: { min: 0 } });
}

/** A price without an exponent: metric math would take its `e` for the name of a metric. */
function decimal(price: number): string {
  return price.toFixed(PRICE_DECIMALS);
}
