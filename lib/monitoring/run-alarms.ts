import { Stack } from 'aws-cdk-lib';
import { type Alarm, type IAlarm, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnRule } from 'aws-cdk-lib/aws-events';
import type { Construct } from 'constructs';
import type { MetricName } from '../../lambdas/shared/runtime/metrics.ts';
import type { ChainStacks } from '../chain-data/chain-stacks.ts';
import type { RouteTarget } from '../edge/api-routes.ts';
import { ServiceFunction } from '../functions/service-function.ts';
import type { AlarmWatch } from './alarm-watch.ts';
import { PERIOD } from './graph.ts';

/** Functions behind the API, and those of them whose responses are paid for. */
export const API_FUNCTIONS: readonly RouteTarget[] = ['rpc', 'data', 'status', 'mcp'];
export const PAID_FUNCTIONS: readonly RouteTarget[] = ['rpc', 'data', 'mcp'];

/** CloudWatch computes from no more metrics in an alarm. */
const METRICS_OF_ALARM = 10;
/** Functions that only work on the chain database, and fail while that is lost. */
const DATABASE_FUNCTIONS = ['snapshots', 'backfill'];

/** Share of a function's responses that may tell of a defect, or of its runs that may fail, and least count of them. */
const MAX_INTERNAL_PERCENT = 1;
const MIN_INTERNAL_ERRORS = 5;
/** Share of a function's responses that may be 404, and how many responses there must be: a stranger may try out keys. */
const MAX_NOT_FOUND_PERCENT = 80;
const MIN_RESPONSES = 100;
/** Least mean charge of a response that is due to be paid: the cheapest one costs a compute unit. */
const MIN_CHARGED_CU = 0.5;
/** Runs of a function without a waiting caller that may fail in five minutes: three are one event with its retries. */
const MAX_FAILED_WORK = 2;

/** Responses of the functions behind the API that tell of a defect, by function: some have few of the requests. */
export function watchResponses(watch: AlarmWatch): void {
  for (const of of API_FUNCTIONS) {
    const metric = (name: MetricName, statistic: string) =>
      watch.metrics.metric(name, { statistic, run: { Function: of } });
    const answers = metric('RunTime', Stats.SAMPLE_COUNT);
    watch.alarm(
      'InternalErrors',
      'page',
      `More than ${MAX_INTERNAL_PERCENT} % of a function's answers are errors of its own.`,
      {
        of,
        metric: new MathExpression({
          // Without an error there is no such metric, no value, and no alarm.
          expression: `IF(failed >= ${MIN_INTERNAL_ERRORS}, 100 * failed / answers, 0)`,
          usingMetrics: { answers, failed: metric('InternalErrors', Stats.SUM) },
          period: PERIOD,
        }),
        threshold: MAX_INTERNAL_PERCENT,
        periods: 1,
      },
    );
    watch.alarm('RequestsNotFound', 'page', `More than ${MAX_NOT_FOUND_PERCENT} % of the answers are 404.`, {
      of,
      metric: new MathExpression({
        expression: `IF(answers >= ${MIN_RESPONSES}, 100 * missed / answers, 0)`,
        usingMetrics: { answers, missed: metric('NotFoundAnswers', Stats.SUM) },
        period: PERIOD,
      }),
      threshold: MAX_NOT_FOUND_PERCENT,
      periods: 1,
    });
  }
  for (const of of PAID_FUNCTIONS) {
    const charged = (statistic: string) =>
      watch.metrics.metric('ChargedComputeUnits', { statistic, run: { Function: of } });
    watch.alarm('NothingCharged', 'page', 'Answers are not charged.', {
      of,
      metric: new MathExpression({
        // Nothing is due: no value, and no alarm.
        expression: `IF(due >= ${MIN_RESPONSES}, charged / due < ${MIN_CHARGED_CU}, 0)`,
        usingMetrics: { due: charged(Stats.SAMPLE_COUNT), charged: charged(Stats.SUM) },
        period: PERIOD,
      }),
      threshold: 0,
      periods: 1,
    });
  }
}

/** Bills that contradict themselves: there are none of a release that is well. */
export function watchBills(watch: AlarmWatch): void {
  const wrong = PAID_FUNCTIONS.map(
    (of) =>
      [of, watch.metrics.metric('BillsDisagree', { statistic: Stats.SUM, run: { Function: of } })] as const,
  );
  watch.alarm('BillsDisagree', 'page', 'What responses are billed contradicts their charges or prices.', {
    metric: new MathExpression({
      expression: wrong.map(([of]) => `FILL(${of}, 0)`).join(' + '),
      usingMetrics: Object.fromEntries(wrong),
      period: PERIOD,
    }),
    threshold: 0,
    periods: 1,
  });
}

/** Runs that crash, do not start, or are cut short: of the functions behind the API by share, of each other one by count. */
export function watchRuns(watch: AlarmWatch, stack: Stack, lostDatabase: IAlarm | undefined): void {
  for (const service of servicesBelow(stack, stack)) {
    const { name: of, lambda } = service;
    const failed = lambda.metricErrors({ period: PERIOD, statistic: Stats.SUM });
    if (!API_FUNCTIONS.some((one) => one === of))
      watch.alarm('FailedWork', 'ticket', 'Runs of a function fail.', {
        of,
        metric: failed,
        threshold: MAX_FAILED_WORK,
        periods: 1,
        explainedBy: DATABASE_FUNCTIONS.includes(of) ? lostDatabase : undefined,
      });
    else
      watch.alarm('FailedRuns', 'page', `More than ${MAX_INTERNAL_PERCENT} % of a function's runs fail.`, {
        of,
        metric: new MathExpression({
          expression: `IF(failed >= ${MIN_INTERNAL_ERRORS}, 100 * failed / runs, 0)`,
          usingMetrics: { failed, runs: lambda.metricInvocations({ period: PERIOD, statistic: Stats.SUM }) },
          period: PERIOD,
        }),
        threshold: MAX_INTERNAL_PERCENT,
        periods: 1,
      });
  }
}

/** Runs of the functions that follow a chain, which are in its own stack: a part of what tells of the chain. */
export function watchRunsOfChain(watch: AlarmWatch, chainStacks: ChainStacks, chain: string): Alarm {
  const stack = Stack.of(chainStacks.of(chain, 'Alarms'));
  const failed = Object.fromEntries(
    servicesBelow(stack, stack).map(({ name, lambda }) => [
      name,
      lambda.metricErrors({ period: PERIOD, statistic: Stats.SUM }),
    ]),
  );
  return watch.part('FailedWork', 'ticket', 'Runs of a function fail.', {
    chain,
    metric: new MathExpression({
      expression: Object.keys(failed)
        .map((name) => `FILL(${name}, 0)`)
        .join(' + '),
      usingMetrics: failed,
      period: PERIOD,
    }),
    threshold: MAX_FAILED_WORK,
    periods: 1,
  });
}

/**
 * Events that no function got: a rule without the right to call its function, or a queue that does not take what failed. The
 * slots of a chain are watched by their silence.
 */
export function watchSchedules(watch: AlarmWatch, stack: Stack): void {
  const lost = stack.node
    .findAll()
    .filter((one) => one instanceof CfnRule)
    .filter((rule) => Stack.of(rule) === stack && rule.scheduleExpression !== undefined)
    .flatMap(lostEvents);
  for (let first = 0; first < lost.length; first += METRICS_OF_ALARM) {
    const metrics = lost.slice(first, first + METRICS_OF_ALARM);
    const named = metrics.map((metric, index) => [`m${index}`, metric] as const);
    watch.alarm('ScheduleFails', 'ticket', 'Events of a schedule reach no function.', {
      ...(first > 0 && { of: String(first / METRICS_OF_ALARM + 1) }),
      metric: new MathExpression({
        expression: named.map(([id]) => `FILL(${id}, 0)`).join(' + '),
        usingMetrics: Object.fromEntries(named),
        period: PERIOD,
      }),
      threshold: 0,
      periods: 1,
    });
  }
}

/** EventBridge has values of these only while there are some. */
function lostEvents(rule: CfnRule): Metric[] {
  const metric = (metricName: string) =>
    new Metric({
      namespace: 'AWS/Events',
      metricName,
      dimensionsMap: { RuleName: rule.ref },
      statistic: Stats.SUM,
      period: PERIOD,
    });
  const isKept = /deadLetterConfig/i.test(JSON.stringify(rule.stack.resolve(rule.targets)));
  return [metric('FailedInvocations'), ...(isKept ? [metric('InvocationsFailedToBeSentToDlq')] : [])];
}

function servicesBelow(root: Construct, stack: Stack): ServiceFunction[] {
  return root.node
    .findAll()
    .filter((one) => one instanceof ServiceFunction)
    .filter((one) => Stack.of(one) === stack);
}
