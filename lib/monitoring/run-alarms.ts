import { Stack } from 'aws-cdk-lib';
import { type IAlarm, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnRule } from 'aws-cdk-lib/aws-events';
import type { Construct } from 'constructs';
import type { MetricName } from '../../lambdas/shared/runtime/metrics.ts';
import type { RouteTarget } from '../edge/api-routes.ts';
import { ServiceFunction } from '../functions/service-function.ts';
import type { AlarmWatch } from './alarm-watch.ts';
import { PERIOD } from './graph.ts';

/** Functions behind the API, and those of them whose responses are paid for. */
export const API_FUNCTIONS: readonly RouteTarget[] = ['rpc', 'data', 'status', 'mcp'];
export const PAID_FUNCTIONS: readonly RouteTarget[] = ['rpc', 'data', 'mcp'];

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

/**
 * Responses of the functions behind the API that tell of a defect. Each share is that of a function alone, as some have few of
 * the requests. What a stranger can keep on, or what costs money, pages for each; defects page once, as who is woken by one looks
 * at all functions until it ends.
 */
export function watchResponses(watch: AlarmWatch): void {
  watch.anyAlarm(
    'InternalErrors',
    'page',
    `More than ${MAX_INTERNAL_PERCENT} % of a function's answers are errors of its own.`,
    {
      each: shares(watch, {
        kind: 'InternalErrors',
        least: MIN_INTERNAL_ERRORS,
        counted: 'Bad',
        percent: MAX_INTERNAL_PERCENT,
      }),
      periods: 1,
    },
  );
  watch.eachAlarm(
    'RequestsNotFound',
    'page',
    `More than ${MAX_NOT_FOUND_PERCENT} % of a function's answers are 404.`,
    {
      each: shares(watch, {
        kind: 'NotFoundAnswers',
        least: MIN_RESPONSES,
        counted: 'All',
        percent: MAX_NOT_FOUND_PERCENT,
      }),
      periods: 1,
    },
  );
  watch.eachAlarm('NothingCharged', 'page', 'Answers of a function are not charged.', {
    each: PAID_FUNCTIONS.map((of) => {
      const charged = (statistic: string) =>
        watch.metrics.metric('ChargedComputeUnits', { statistic, run: { Function: of } });
      return {
        of,
        holds: `IF(${of}Due >= ${MIN_RESPONSES}, ${of}Charged / ${of}Due < ${MIN_CHARGED_CU}, 0)`,
        metrics: { [`${of}Due`]: charged(Stats.SAMPLE_COUNT), [`${of}Charged`]: charged(Stats.SUM) },
      };
    }),
    periods: 1,
  });
}

interface Share {
  /** Responses that count. */
  readonly kind: MetricName;
  /** How many of these there must be, or of all. */
  readonly least: number;
  readonly counted: 'Bad' | 'All';
  readonly percent: number;
}

/** Whether more than so many percent of the responses of each function behind the API are of a kind. */
function shares({ metrics }: AlarmWatch, { kind, least, counted, percent }: Share) {
  return API_FUNCTIONS.map((of) => {
    const metric = (name: MetricName, statistic: string) =>
      metrics.metric(name, { statistic, run: { Function: of } });
    return {
      of,
      holds: `IF(${of}${counted} >= ${least}, 100 * ${of}Bad / ${of}All > ${percent}, 0)`,
      metrics: {
        [`${of}All`]: metric('RunTime', Stats.SAMPLE_COUNT),
        [`${of}Bad`]: metric(kind, Stats.SUM),
      },
    };
  });
}

/** Bills that contradict themselves: there are none of a release that is well. */
export function watchBills(watch: AlarmWatch): void {
  watch.alarm('BillsDisagree', 'page', 'What responses are billed contradicts their charges or prices.', {
    metric: watch.metrics.sumOfEach('Function', 'BillsDisagree'),
    threshold: 0,
    periods: 1,
  });
}

/**
 * Runs that crash, do not start, or are cut short: of the functions behind the API by share, of each other one by count. Those
 * that follow a chain are watched by what they leave: the queue of failed slots, and the chain that falls behind.
 */
export function watchRuns(watch: AlarmWatch, stack: Stack, lostDatabase: IAlarm | undefined): void {
  const services = servicesBelow(stack, stack);
  const failing = (some: readonly ServiceFunction[]) =>
    some.map(({ name, lambda }) => {
      const id = idOf(name);
      return {
        holds: `${id} > ${MAX_FAILED_WORK}`,
        metrics: { [id]: lambda.metricErrors({ period: PERIOD, statistic: Stats.SUM }) },
      };
    });
  const [answering, working] = [true, false].map((isOfApi) =>
    services.filter(({ name }) => API_FUNCTIONS.some((one) => one === name) === isOfApi),
  ) as [ServiceFunction[], ServiceFunction[]];
  const isOfDatabase = ({ name }: ServiceFunction) => DATABASE_FUNCTIONS.includes(name);
  watch.anyAlarm('FailedRuns', 'page', `More than ${MAX_INTERNAL_PERCENT} % of a function's runs fail.`, {
    each: answering.map(({ name, lambda }) => ({
      holds: `IF(${name}Failed >= ${MIN_INTERNAL_ERRORS}, 100 * ${name}Failed / ${name}Runs > ${MAX_INTERNAL_PERCENT}, 0)`,
      metrics: {
        [`${name}Failed`]: lambda.metricErrors({ period: PERIOD, statistic: Stats.SUM }),
        [`${name}Runs`]: lambda.metricInvocations({ period: PERIOD, statistic: Stats.SUM }),
      },
    })),
    periods: 1,
  });
  watch.anyAlarm('FailedWork', 'ticket', 'Runs of a function that no caller waits for fail.', {
    each: failing(working.filter((one) => !isOfDatabase(one))),
    periods: 1,
  });
  watch.anyAlarm('FailedWork', 'ticket', 'Runs of a function that works on the chain database fail.', {
    of: 'database',
    each: failing(working.filter(isOfDatabase)),
    periods: 1,
    explainedBy: lostDatabase,
  });
}

/** A metric's id by the name of its function: `account-balances` is `accountBalances`. */
function idOf(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
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
  watch.anyAlarm('ScheduleFails', 'ticket', 'Events of a schedule reach no function.', {
    each: lost.map((metric, index) => ({ holds: `m${index} > 0`, metrics: { [`m${index}`]: metric } })),
    periods: 1,
  });
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
