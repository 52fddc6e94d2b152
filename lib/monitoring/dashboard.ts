import { Aws, Duration, Stack } from 'aws-cdk-lib';
import {
  Dashboard,
  type IWidget,
  type MathExpression,
  Metric,
  Stats,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { DATA_REASON_PREFIX } from '../../lambdas/data/data-metrics.ts';
import { FAILURE_CODES } from '../../lambdas/data/response/failure.ts';
import { NODE_ERROR } from '../../lambdas/rpc/response/rpc-response.ts';
import { ERROR_CATALOGUE } from '../../lambdas/shared/jsonrpc/error-catalogue.ts';
import type { MetricName } from '../../lambdas/shared/runtime/metrics.ts';
import { indexedChains, requestsAtOnce } from '../config/config.ts';
import { REQUESTS_PER_SHARED_ENVIRONMENT } from '../config/function-config.ts';
import { invokedFunctions } from '../edge/service-functions.ts';
import type { ServiceFunction } from '../functions/service-function.ts';
import { costWidgets } from './cost-widgets.ts';
import { GatewayMetrics, throttles } from './gateway-metrics.ts';
import { figures, graph, HALF, logTable, math, PERIOD, THIRD, TRIMMED_MEAN, WIDTH } from './graph.ts';
import { overviewWidgets, type ShownStage } from './overview-widgets.ts';
import { API_FUNCTIONS, PAID_FUNCTIONS } from './run-alarms.ts';
import { spendingWidgets } from './spending-widgets.ts';

/** Requests of a method from which its time is one: a tenth of 10 requests a second has 900 in a canary. */
const MIN_TIMED = 50;

/** Starts of instances and how long their code took to load, from the line of the first run of each. */
const COLD_STARTS = [
  'filter ispresent(startMs)',
  'stats count(*) as starts, avg(startMs) as mean_ms, max(startMs) as longest_ms by @log',
];

/**
 * Time of each method without nodes, by version, in the range that is looked at: a canary of a quarter of an hour. A mean of fewer
 * requests says nothing.
 */
const OWN_TIMES = [
  'filter Function = "rpc" and ispresent(method) and ispresent(AddedLatency)',
  `stats count(*) as requests, pct(AddedLatency, 50) as own_ms by method, Version`,
  `fields method, Version, requests, own_ms, requests < ${MIN_TIMED} as too_few`,
  'sort method, Version',
];

/** One dashboard. Its first screen is what an operator asks first; below it is why. */
export class GatewayDashboard extends Construct {
  constructor(scope: Construct, id: string, props: Omit<ShownStage, 'metrics'>) {
    super(scope, id);
    // Dashboards of all regions are in one list.
    const { stage } = props.config;
    const dashboardName = `gateway-${stage}-${Stack.of(this).region}`;
    const dashboard = new Dashboard(this, 'Dashboard', { dashboardName });
    const shown: ShownStage = { ...props, metrics: new GatewayMetrics(stage) };
    const sections: readonly (readonly [question: string, widgets: readonly IWidget[]])[] = [
      ['Is it up, and is it worth it?', overviewWidgets(shown)],
      ['Who spends, and on what?', spendingWidgets(props.functions, shown.metrics)],
      ['What fails?', failureWidgets(shown)],
      ['What is slow?', latencyWidgets(shown)],
      ['Which requests are refused, and why?', refusalWidgets(shown)],
      ['Is billing correct?', moneyWidgets(shown)],
      ['Is the data fresh?', freshnessWidgets(shown)],
      [
        'Is there room, and what does it cost?',
        [...roomWidgets(shown), ...environmentWidgets(shown), ...costWidgets(shown), ...nodeWidgets(shown)],
      ],
    ];
    for (const [question, widgets] of sections) {
      dashboard.addWidgets(new TextWidget({ markdown: `## ${question}`, width: WIDTH, height: 1 }));
      dashboard.addWidgets(...widgets);
    }
  }
}

/** How far the objectives are met today, in percent of the responses. */
function answeredToday(metrics: GatewayMetrics): MathExpression[] {
  const period = Duration.days(1);
  const names = { rpc: 'JSON-RPC', data: 'Data API' };
  return Object.entries(names).map(([of, label]) => {
    const run = { Function: of };
    return math(
      label,
      `100 - 100 * FILL(${of}Failed, 0) / ${of}Answers`,
      {
        [`${of}Failed`]: metrics.metric('FailedAnswers', { statistic: Stats.SUM, run }),
        [`${of}Answers`]: metrics.metric('RunTime', { statistic: Stats.SAMPLE_COUNT, run }),
      },
      period,
    );
  });
}

/** Calls of nodes for each call of a client, by chain: nodes are the largest bill that no line of AWS shows. */
function nodeCallShares({ metrics, config }: ShownStage): MathExpression[] {
  return config.chains.map(({ chain }, index) =>
    math(chain, `asked${index} / calls${index}`, {
      [`asked${index}`]: metrics.metric('NodeCalls', { statistic: Stats.SUM, chain }),
      [`calls${index}`]: metrics.metric('Calls', { statistic: Stats.SUM, chain }),
    }),
  );
}

function failureWidgets({ rest, functions, metrics }: ShownStage): IWidget[] {
  const failures = invokedFunctions(functions).map(([label, { lambda }]) =>
    lambda.metricErrors({ period: PERIOD, label }),
  );
  return [
    figures('Answered, % of this day', answeredToday(metrics), THIRD),
    graph('Failed runs of functions', failures),
    graph('Internal errors, by function', [
      ...metrics.ofFunctions(API_FUNCTIONS, 'InternalErrors', Stats.SUM),
      metrics.metric('EarlyTimeouts', { statistic: Stats.SUM, run: { Function: 'rpc' }, label: 'rpc, late' }),
    ]),
    graph('Failed answers, by function', metrics.ofFunctions(API_FUNCTIONS, 'FailedAnswers', Stats.SUM)),
    graph('404s, by function', metrics.ofFunctions(API_FUNCTIONS, 'NotFoundAnswers', Stats.SUM)),
    // Alone: beside all requests on one axis it would be a flat line at the bottom.
    graph('5xx of the API', [rest.metricServerError({ statistic: Stats.SUM, period: PERIOD, label: '5xx' })]),
    graph('Requests by the public name that failed', metrics.sums('RpcProbeFailures', 'DataProbeFailures')),
    graph('Calls', metrics.sums('Calls', 'CacheHits', 'NodeErrors', 'RefusedCalls', 'UnansweredCalls')),
    graph(
      'Upstreams: taken out, held, limited, in unknown words, in disagreement; heads that may go back',
      metrics.sums(
        'UpstreamsTakenOut',
        'UpstreamsHeld',
        'UpstreamsLimited',
        'UnknownNodeWords',
        'UpstreamsDisagree',
        'HeadsNotKept',
      ),
    ),
    graph(
      'Shadows: copies, other answers, no answer',
      metrics.sums('ShadowCalls', 'ShadowDifferences', 'ShadowFailures'),
    ),
  ];
}

function latencyWidgets({ rest, functions, metrics }: ShownStage): IWidget[] {
  const percentiles = (name: MetricName) =>
    ['p50', 'p99'].map((statistic) => metrics.metric(name, { statistic, label: `${name} ${statistic}` }));
  return [
    graph('JSON-RPC: time of the node, and of the gateway, ms', [
      ...percentiles('UpstreamLatency'),
      ...percentiles('AddedLatency'),
    ]),
    graph('Data API, ms', percentiles('DataLatency')),
    graph(
      'Time of runs, all but the slowest tenth, ms',
      metrics.ofFunctions(API_FUNCTIONS, 'RunTime', TRIMMED_MEAN),
    ),
    graph('API Gateway, to the first byte, ms', [
      rest.metricLatency({ statistic: 'p50', period: PERIOD, label: 'p50' }),
      rest.metricLatency({ statistic: 'p99', period: PERIOD, label: 'p99' }),
    ]),
    logTable(
      'Starts of instances',
      invokedFunctions(functions).map(([, service]) => service),
      COLD_STARTS,
      2 * THIRD,
    ),
    logTable('Own time of methods by version', [functions.rpc], OWN_TIMES, WIDTH),
  ];
}

function refusalWidgets({ rest, metrics, firewall }: ShownStage): IWidget[] {
  return [
    graph(
      'Requests refused as a whole',
      metrics.sums('RefusedForBalance', 'RefusedForRate', 'RefusedForUnavailability'),
    ),
    graph('Refused by bounds of keys', metrics.sums('RefusedByBounds')),
    graph('4xx of the API: unknown keys and paths among them', [
      rest.metricClientError({ statistic: Stats.SUM, period: PERIOD, label: '4xx' }),
    ]),
    ...(firewall === undefined ? [] : [graph('Refused by the firewall', [refusedBy(firewall.name)])]),
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

function refusedBy(firewall: string): Metric {
  return new Metric({
    namespace: 'AWS/WAFV2',
    metricName: 'BlockedRequests',
    dimensionsMap: { Rule: 'ALL', WebACL: firewall, Region: Aws.REGION },
    statistic: Stats.SUM,
    period: PERIOD,
    label: 'refused',
  });
}

function moneyWidgets({ metrics, tables, charges }: ShownStage): IWidget[] {
  const hourly = (name: MetricName, statistic: string, label: string) =>
    metrics.metric(name, { statistic, label, period: Duration.hours(1) });
  return [
    figures(
      'Violations of the books, last audit',
      [hourly('AuditViolations', Stats.MAXIMUM, 'violations')],
      THIRD,
    ),
    graph(
      'Charges not stored at once, and failures of settlement',
      metrics.sums('ChargeRetries', 'ChargesQueued', 'SettlementFailures'),
    ),
    graph(
      'Bills that contradict charges or prices, by function',
      metrics.ofFunctions(PAID_FUNCTIONS, 'BillsDisagree', Stats.SUM),
    ),
    graph('Not charged, CU', metrics.sums('UnchargedComputeUnits')),
    graph('Age of the oldest charge in the queue, seconds', [
      charges.queue.metricApproximateAgeOfOldestMessage({
        period: PERIOD,
        statistic: Stats.MAXIMUM,
        label: 'age',
      }),
    ]),
    graph('Writes that DynamoDB refused, by table', [
      throttles('Write', tables.keys, 'keys'),
      throttles('Write', tables.lanes, 'lanes'),
      throttles('Write', tables.unsettled, 'unsettled'),
      throttles('Write', tables.accounts, 'accounts'),
      throttles('Write', tables.balances, 'balances'),
      throttles('Write', tables.ledger, 'ledger'),
    ]),
    graph('Reads that DynamoDB refused, by table', [
      throttles('Read', tables.keys, 'keys'),
      throttles('Read', tables.accounts, 'accounts'),
      throttles('Read', tables.lanes, 'lanes'),
      throttles('Read', tables.balances, 'balances'),
    ]),
    graph('Charged but not yet settled, CU', [hourly('UnsettledComputeUnits', Stats.SUM, 'unsettled')]),
    graph('From the end of an hour to its settlement, seconds', [
      hourly('SettlementLag', Stats.MAXIMUM, 'settled'),
      hourly('UnsettledAge', Stats.MAXIMUM, 'not settled'),
    ]),
    graph('Time between two balances of an account with many instances, seconds', [
      metrics.metric('BalanceViewAge', { period: PERIOD, statistic: Stats.MAXIMUM, label: 'longest' }),
    ]),
    graph('Books', metrics.sums('AuditedAccounts', 'SettlementRecords', 'BalanceViews')),
    graph('Records below signed heads', metrics.sums('SealedRecords', 'UnfrozenRecords')),
    graph('Accounts whose ledger lacks sealed records', [
      hourly('LedgerBehindHead', Stats.MAXIMUM, 'accounts'),
    ]),
  ];
}

function freshnessWidgets({ metrics, config }: ShownStage): IWidget[] {
  const chains = indexedChains(config).map(({ chain }) => chain);
  const worst = (name: MetricName, period = PERIOD) =>
    metrics.ofEach(chains, name, { statistic: Stats.MAXIMUM, period });
  const indexed = [
    graph('Blocks behind the node', worst('IndexerLagBlocks', Duration.minutes(1))),
    graph('Age of the newest indexed block, seconds', worst('IndexedHeadAge', Duration.minutes(1))),
    graph('Blocks indexed', metrics.sums('IndexedBlocks')),
    graph('Reorganisations, halts', metrics.sums('Reorganisations', 'IndexerHalted')),
    graph(
      'Wrong answers of nodes, blocks of unknown form, contradicted hashes',
      metrics.sums('WrongAnswers', 'ProofLost', 'UnprovenBlocks', 'HashContradictions', 'SilentWitnesses'),
    ),
    graph('Blocks not yet in prices and candles', worst('RollupLagBlocks')),
    graph('Pools and tokens set aside', metrics.sums('DerivationsSetAside')),
    graph('Age of the balances, seconds', worst('SnapshotAge')),
  ];
  return [
    ...(chains.length === 0 ? [] : indexed),
    graph(
      'Data API and index without their database',
      metrics.sums('DatabaseResumes', 'DatabaseUnavailable', 'DataErrors', 'SlotsWithoutDatabase'),
    ),
  ];
}

/** The units by which providers of nodes bill. */
function nodeWidgets(shown: ShownStage): IWidget[] {
  const { metrics } = shown;
  return [
    graph('Calls of clients, and calls of nodes', metrics.sums('Calls', 'NodeCalls', 'IndexNodeCalls'), HALF),
    graph('Calls of nodes for each call of a client', nodeCallShares(shown), HALF),
  ];
}

/** Environments that take many requests: what is busy in the fullest of each function. */
function environmentWidgets({ functions }: ShownStage): IWidget[] {
  const fullest = (metricName: Parameters<ServiceFunction['environmentMetric']>[0]) =>
    invokedFunctions(functions).flatMap(
      ([label, service]) => service.environmentMetric(metricName, { period: PERIOD, label }) ?? [],
    );
  const requests = fullest('ExecutionEnvironmentConcurrency');
  if (requests.length === 0) return [];
  const processors = graph(
    'Processor of the busiest environment, %',
    fullest('ExecutionEnvironmentCPUUtilization'),
    HALF,
  );
  return [
    graph('Requests of the fullest environment', requests, HALF, [
      { value: REQUESTS_PER_SHARED_ENVIRONMENT, label: 'the most' },
    ]),
    processors,
  ];
}

/** Use of quotas, in percent of each. */
function roomWidgets({ config, chainData, functions }: ShownStage): IWidget[] {
  const cluster = chainData?.cluster;
  // Without reservations no function has concurrency of its own.
  const most = {
    rpc: requestsAtOnce(config, 'rpc'),
    data: requestsAtOnce(config, 'data'),
    status: config.functions.status.reservedConcurrency,
    mcp: requestsAtOnce(config, 'mcp'),
  };
  const atOnce = graph(
    'Requests under way, and the most there can be',
    invokedFunctions(functions).map(([label, { lambda }]) =>
      lambda.metric('ConcurrentExecutions', { statistic: Stats.MAXIMUM, period: PERIOD, label }),
    ),
    HALF,
    Object.entries(most).flatMap(([name, value]) =>
      value === undefined ? [] : [{ value, label: `${name}, the most` }],
    ),
  );
  if (cluster === undefined) return [atOnce];
  const used = { period: PERIOD, statistic: Stats.MAXIMUM };
  return [
    atOnce,
    graph(
      'Capacity of the database, ACU',
      [cluster.metricServerlessDatabaseCapacity({ ...used, label: 'ACU' })],
      HALF,
      [{ value: config.database.maxAcu, label: 'the most' }],
    ),
    graph(
      'Connections of the database',
      [cluster.metricDatabaseConnections({ ...used, label: 'connections' })],
      HALF,
    ),
  ];
}
