import { Duration } from 'aws-cdk-lib';
import {
  type Alarm,
  AlarmRule,
  type IAlarmRule,
  type IMetric,
  MathExpression,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { MetricName } from '../../lambdas/shared/runtime/metrics.ts';
import type { Objective } from '../config/objectives-config.ts';
import type { ServiceFunctions } from '../edge/service-functions.ts';
import type { ServiceFunction } from '../functions/service-function.ts';
import type { AlarmWatch, Severity } from './alarm-watch.ts';

const PERCENT = 100;
/** Least count of failed responses in the long window and in the short one: of few requests, one or two are no trend. */
const MIN_FAILED = { long: 10, short: 2 } as const;
/** Least count of responses whose time is looked at. */
const MIN_TIMED = { long: 100, short: 20 } as const;
/** No response takes longer, in milliseconds. */
const LONGEST_MS = 900_000;

/** Time that CloudWatch may take to see the end of a short window. */
const MARGIN_MINUTES = 5;

/** A budget that would be used up so many times too early, over a long window, and still over a short one. */
interface Burn {
  readonly times: number;
  readonly long: Duration;
  readonly short: Duration;
}

/** Uses 2 % of the budget of 30 days in an hour, or 5 % in six: an operator is paged. */
const FAST: readonly Burn[] = [
  { times: 14.4, long: Duration.hours(1), short: Duration.minutes(5) },
  { times: 6, long: Duration.hours(6), short: Duration.minutes(30) },
];
/** Uses 10 % in a day. CloudWatch has no period that is longer. */
const SLOW: readonly Burn[] = [{ times: 3, long: Duration.days(1), short: Duration.hours(2) }];

/** An interface, and the time of its responses that counts. */
interface Interface {
  readonly name: 'rpc' | 'data';
  readonly latency: MetricName;
  /** Alarms that say at once what is wrong: while one is on, it is not told as well that it uses up the budget. */
  readonly explainedBy: readonly string[];
}

const RPC: Interface = {
  name: 'rpc',
  latency: 'AddedLatency',
  explainedBy: ['FailingRequests', 'BillingUnavailable', 'InternalErrors-rpc', 'FailedRuns-rpc'],
};
const DATA: Interface = {
  name: 'data',
  latency: 'DataLatency',
  explainedBy: [
    'DatabaseLost',
    'FailingDataRequests',
    'BillingUnavailable',
    'InternalErrors-data',
    'FailedRuns-data',
  ],
};

/** Error budgets of the interfaces: that they are used up faster than the objectives last. */
export function watchObjectives(
  watch: AlarmWatch,
  objectives: Readonly<Record<Interface['name'], Objective>>,
  functions: ServiceFunctions,
  hasDatabase: boolean,
): void {
  for (const one of hasDatabase ? [RPC, DATA] : [RPC])
    watchObjective(watch, one, objectives[one.name], functions[one.name]);
}

function watchObjective(
  watch: AlarmWatch,
  { name, latency, explainedBy }: Interface,
  { answeredPercent, latencyMs, fastPercent }: Objective,
  service: ServiceFunction,
): void {
  const subject = { of: name, explainedBy: watch.anyOf(`Explained-${name}`, explainedBy) };
  const failing = {
    of: 'Failed answers',
    percent: PERCENT - answeredPercent,
    shareIn: failures(watch, name, service),
  };
  const slow = {
    of: 'Slow answers',
    percent: PERCENT - fastPercent,
    shareIn: slowResponses(watch, latency, latencyMs),
  };
  const tell = (section: string, severity: Severity, burns: readonly Burn[], budget: Budget) =>
    watch.composite(section, severity, `${budget.of} use up the error budget of 30 days too soon.`, {
      ...subject,
      extension: afterwards(burns),
      rule: burning(watch, { section, severity, name }, burns, budget),
    });
  tell('BudgetBurnsFast', 'page', FAST, failing);
  tell('BudgetBurns', 'ticket', SLOW, failing);
  tell('LatencyBudgetBurns', 'ticket', [...FAST.slice(1), ...SLOW], slow);
}

/** How long a burn that is over can still be seen: until its short window has passed. */
function afterwards(burns: readonly Burn[]): Duration {
  return Duration.minutes(Math.max(...burns.map(({ short }) => short.toMinutes())) + MARGIN_MINUTES);
}

/** A share of responses that may be bad, and what they are. */
interface Budget {
  readonly of: string;
  readonly percent: number;
  readonly shareIn: ShareIn;
}

/** The share of bad responses in a window, in percent. */
type ShareIn = (period: Duration, window: 'long' | 'short') => IMetric;

/** One of the burns goes on: over its long window, and still over its short one. */
function burning(
  watch: AlarmWatch,
  of: { readonly section: string; readonly severity: Severity; readonly name: string },
  burns: readonly Burn[],
  { percent, shareIn }: Budget,
): IAlarmRule {
  const over = (times: number, window: 'long' | 'short', period: Duration): Alarm =>
    watch.part(of.section, of.severity, `${times} times the budget, over ${period.toHumanString()}.`, {
      of: `${of.name}-${period.toMinutes()}`,
      metric: shareIn(period, window),
      threshold: times * percent,
      periods: 1,
    });
  return AlarmRule.anyOf(
    ...burns.map(({ times, long, short }) =>
      AlarmRule.allOf(over(times, 'long', long), over(times, 'short', short)),
    ),
  );
}

/** Responses that fail for a reason of ours, and runs that end without one, in percent. */
function failures(watch: AlarmWatch, name: string, service: ServiceFunction): ShareIn {
  const run = { Function: name };
  const bad = 'FILL(failed, 0) + FILL(crashed, 0)';
  return (period, window) =>
    new MathExpression({
      expression: `IF(${bad} >= ${MIN_FAILED[window]}, 100 * (${bad}) / (FILL(answers, 0) + FILL(crashed, 0)), 0)`,
      usingMetrics: {
        answers: watch.metrics.metric('RunTime', { statistic: Stats.SAMPLE_COUNT, run }),
        failed: watch.metrics.metric('FailedAnswers', { statistic: Stats.SUM, run }),
        crashed: service.lambda.metricErrors({ statistic: Stats.SUM }),
      },
      period,
    });
}

/** Responses that take longer than they are to, in percent. */
function slowResponses(watch: AlarmWatch, latency: MetricName, latencyMs: number): ShareIn {
  return (period, window) =>
    new MathExpression({
      expression: `IF(timed >= ${MIN_TIMED[window]}, slow, 0)`,
      usingMetrics: {
        timed: watch.metrics.metric(latency, { statistic: Stats.SAMPLE_COUNT }),
        slow: watch.metrics.metric(latency, { statistic: `PR(${latencyMs}:${LONGEST_MS})` }),
      },
      period,
    });
}
