import {
  type AlarmBase,
  AlarmState,
  AlarmStatusWidget,
  type IWidget,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import { moneyPerHour } from './cost-widgets.ts';
import type { GatewayMetrics } from './gateway-metrics.ts';
import { figures, graph, math, PERIOD, QUARTER, WIDTH } from './graph.ts';
import type { Monitored } from './monitored.ts';
import { API_FUNCTIONS } from './run-alarms.ts';

/** CloudWatch takes no more alarms in one widget. */
const MAX_ALARMS_SHOWN = 100;
/** Height of the alarms: a line, while none is on. */
const ALARMS_HEIGHT = 2;

/** A stage as its dashboard shows it. */
export interface ShownStage extends Monitored {
  readonly metrics: GatewayMetrics;
  /** Alarms that are shown while they are on. */
  readonly alarms: readonly AlarmBase[];
}

/** What is asked first: which alarm is on, how much is asked, what fails, how long it takes, what it earns and costs. */
export function overviewWidgets(props: ShownStage): IWidget[] {
  const { alarms, metrics, rest } = props;
  const requests = rest.metricCount({ period: PERIOD, statistic: Stats.SUM, label: 'requests' });
  const failures = failedShares(props);
  const added = (statistic: string) =>
    metrics.metric('AddedLatency', { statistic, label: `gateway ${statistic}` });
  const money = moneyPerHour(props, metrics);
  return [
    ...alarmWidgets(alarms),
    figures('Requests in 5 minutes', [requests], QUARTER),
    figures('Failed, % of 5 minutes', failures, QUARTER),
    figures('Time that the gateway adds, ms', [added('p50'), added('p99')], QUARTER),
    figures('USD of this hour at list prices', money, QUARTER),
    graph(
      'Requests',
      [
        metrics.metric('Requests', { statistic: Stats.SUM, label: 'JSON-RPC' }),
        metrics.metric('DataRequests', { statistic: Stats.SUM, label: 'Data API' }),
      ],
      QUARTER,
    ),
    graph('Failed, %', failures, QUARTER),
    graph(
      'Latency, ms',
      [
        metrics.metric('Latency', { statistic: 'p50', label: 'JSON-RPC p50' }),
        metrics.metric('Latency', { statistic: 'p99', label: 'JSON-RPC p99' }),
        metrics.metric('DataLatency', { statistic: 'p99', label: 'Data API p99' }),
      ],
      QUARTER,
    ),
    graph('USD per hour', money, QUARTER),
  ];
}

/** Alarms that are on; while none is, they take one line. */
function alarmWidgets(alarms: readonly AlarmBase[]): IWidget[] {
  const count = Math.ceil(alarms.length / MAX_ALARMS_SHOWN);
  return Array.from({ length: count }, (_, index) => {
    const shown = alarms.slice(index * MAX_ALARMS_SHOWN, (index + 1) * MAX_ALARMS_SHOWN);
    return new AlarmStatusWidget({
      title: 'Alarms that are on',
      alarms: shown,
      states: [AlarmState.ALARM],
      width: Math.floor(WIDTH / count),
      height: ALARMS_HEIGHT,
    });
  });
}

/** Shares of requests that were answered with 5xx, of responses that tell of a defect, and of calls without a response. */
function failedShares({ rest, metrics }: ShownStage) {
  const sum = { statistic: Stats.SUM };
  const internal = metrics.ofFunctions(API_FUNCTIONS, 'InternalErrors', Stats.SUM);
  const ids = internal.map((_, index) => `i${index}`);
  const counted = { period: PERIOD, statistic: Stats.SUM };
  return [
    math('5xx', '100 * FILL(s, 0) / c', { s: rest.metricServerError(counted), c: rest.metricCount(counted) }),
    math('defects', `100 * (${ids.map((id) => `FILL(${id}, 0)`).join(' + ')}) / c`, {
      ...Object.fromEntries(internal.map((metric, index) => [ids[index] ?? '', metric])),
      c: rest.metricCount(counted),
    }),
    math('calls without a node', '100 * FILL(u, 0) / k', {
      u: metrics.metric('UnansweredCalls', sum),
      k: metrics.metric('Calls', sum),
    }),
  ];
}
