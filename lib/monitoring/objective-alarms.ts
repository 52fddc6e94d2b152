import { Duration } from 'aws-cdk-lib';
import {
  type Alarm,
  AlarmRule,
  type IAlarm,
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
/** What failures do to the budget. */
const FAILING = 'Failed answers use up';
/** Digits of a share that is compared. */
const PERCENT_DECIMALS = 6;
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
}

const RPC: Interface = { name: 'rpc', latency: 'AddedLatency' };
const DATA: Interface = { name: 'data', latency: 'DataLatency' };

/**
 * Alarms that say at once what is wrong: while one is on, no alarm says as well that it uses up the budget. Those of several
 * functions are not among them: another function keeps one on.
 */
const EXPLAIN_RPC = ['FailingRequests', 'BillingUnavailable'];
const EXPLAIN_DATA = [...EXPLAIN_RPC, 'DatabaseLost', 'FailingDataRequests'];

/** Error budgets of the interfaces: that they are used up faster than the objectives last. */
export function watchObjectives(
  watch: AlarmWatch,
  objectives: Readonly<Record<Interface['name'], Objective>>,
  functions: ServiceFunctions,
  hasDatabase: boolean,
): void {
  const interfaces = hasDatabase ? [RPC, DATA] : [RPC];
  const failing = (one: Interface) =>
    failures(watch, one, functions[one.name], PERCENT - objectives[one.name].answeredPercent);
  const explained = interfaces.map(({ name }) => ({
    name,
    by: watch.anyOf(`Explained-${name}`, name === 'rpc' ? EXPLAIN_RPC : EXPLAIN_DATA),
  }));
  const tell = (burning: Burning, budget: Budget) =>
    watch.composite(
      burning.section,
      burning.severity,
      `${burning.meaning} the error budget of 30 days too soon.`,
      {
        ...(budget.of !== undefined && { of: budget.of }),
        explainedBy: budget.explainedBy,
        extension: afterwards(burning.burns),
        rule: ruleOf(watch, burning, budget),
      },
    );
  for (const [index, { name, by: explainedBy }] of explained.entries()) {
    const budget = { of: name, explainedBy, shares: interfaces.slice(index, index + 1).map(failing) };
    tell({ section: 'BudgetBurnsFast', severity: 'page', meaning: FAILING, burns: FAST }, budget);
  }
  // What explains the last one explains all. A ticket is for both interfaces: the dashboard shows which it is.
  const explainedBy = explained.at(-1)?.by;
  const ofBoth = { explainedBy, shares: interfaces.map(failing) };
  tell({ section: 'BudgetBurns', severity: 'ticket', meaning: FAILING, burns: SLOW }, ofBoth);
  const slow = interfaces.map((one) => slowResponses(watch, one, objectives[one.name]));
  const burns = [...FAST.slice(1), ...SLOW];
  const meaning = 'Slow answers use up';
  tell({ section: 'LatencyBudgetBurns', severity: 'ticket', meaning, burns }, { ...ofBoth, shares: slow });
}

/** How long a burn that is over can still be seen: until its short window has passed. */
function afterwards(burns: readonly Burn[]): Duration {
  return Duration.minutes(Math.max(...burns.map(({ short }) => short.toMinutes())) + MARGIN_MINUTES);
}

/** Responses of interfaces that may be bad. */
interface Budget {
  /** Absent: of each of them. */
  readonly of?: string;
  readonly explainedBy: IAlarm | undefined;
  readonly shares: readonly Share[];
}

/** The bad responses of an interface. */
interface Share {
  /** Metric math that is 1 while so many times as many are bad in a window as may be, and the metrics that it names. */
  readonly isOver: (times: number, window: 'long' | 'short') => string;
  readonly metrics: Readonly<Record<string, IMetric>>;
}

/** An alarm of a budget. */
interface Burning {
  readonly section: string;
  readonly severity: Severity;
  readonly meaning: string;
  readonly burns: readonly Burn[];
}

/** One of the burns continues: over its long window, and still over its short one. */
function ruleOf(
  watch: AlarmWatch,
  { section, severity, burns }: Burning,
  { of, shares }: Budget,
): IAlarmRule {
  const over = (times: number, window: 'long' | 'short', period: Duration): Alarm =>
    watch.part(section, severity, `${times} times the budget, over ${period.toHumanString()}.`, {
      of: [of ?? [], period.toMinutes()].flat().join('-'),
      metric: new MathExpression({
        // Of an interface without responses there is no figure, which must not hide the other's.
        expression: shares.map(({ isOver }) => `FILL(${isOver(times, window)}, 0)`).join(' + '),
        usingMetrics: Object.assign({}, ...shares.map(({ metrics }) => metrics)),
        period,
      }),
      threshold: 0,
      periods: 1,
    });
  return AlarmRule.anyOf(
    ...burns.map(({ times, long, short }) =>
      AlarmRule.allOf(over(times, 'long', long), over(times, 'short', short)),
    ),
  );
}

/** Responses that fail for a reason of ours, and runs that end without one. @param percent of all that may */
function failures(watch: AlarmWatch, { name }: Interface, service: ServiceFunction, percent: number): Share {
  const run = { Function: name };
  const bad = `FILL(${name}Failed, 0) + FILL(${name}Crashed, 0)`;
  const all = `FILL(${name}Answers, 0) + FILL(${name}Crashed, 0)`;
  return {
    isOver: (times, window) =>
      `IF(${bad} >= ${MIN_FAILED[window]}, 100 * (${bad}) / (${all}) > ${rounded(times * percent)}, 0)`,
    metrics: {
      [`${name}Answers`]: watch.metrics.metric('RunTime', { statistic: Stats.SAMPLE_COUNT, run }),
      [`${name}Failed`]: watch.metrics.metric('FailedAnswers', { statistic: Stats.SUM, run }),
      [`${name}Crashed`]: service.lambda.metricErrors({ statistic: Stats.SUM }),
    },
  };
}

/** Responses that take longer than they are to. */
function slowResponses(
  watch: AlarmWatch,
  { name, latency }: Interface,
  { latencyMs, fastPercent }: Objective,
): Share {
  return {
    isOver: (times, window) =>
      `IF(${name}Timed >= ${MIN_TIMED[window]}, ${name}Slow > ${rounded(times * (PERCENT - fastPercent))}, 0)`,
    metrics: {
      [`${name}Timed`]: watch.metrics.metric(latency, { statistic: Stats.SAMPLE_COUNT }),
      [`${name}Slow`]: watch.metrics.metric(latency, { statistic: `PR(${latencyMs}:${LONGEST_MS})` }),
    },
  };
}

/** A threshold as metric math takes it, without what binary fractions leave. */
function rounded(percent: number): number {
  return Number(percent.toFixed(PERCENT_DECIMALS));
}
