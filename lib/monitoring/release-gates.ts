import { type Alarm, type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import { METHOD_CLASSES } from '../../lambdas/shared/methods/method-table.ts';
import type { MetricName, RunDimensions } from '../../lambdas/shared/runtime/metrics.ts';
import type { RouteTarget } from '../edge/api-routes.ts';
import type { ServiceFunctions } from '../edge/service-functions.ts';
import type { AlarmWatch } from './alarm-watch.ts';
import { PERIOD, TRIMMED_MEAN } from './graph.ts';
import { PAID_FUNCTIONS } from './run-alarms.ts';

/** Share of a new version's responses or runs that may fail, in percent, and least count of them. */
const MAX_FAILED_PERCENT = 1;
const MIN_FAILED = 3;
/** Points by which its share of 404s may be above that of the other versions, and how many responses it must have. */
const MAX_MORE_NOT_FOUND_POINTS = 20;
const MIN_RESPONSES = 20;
/** Least charge of a new version for a response, in percent of the charge by all versions, and least count of responses. */
const MIN_CHARGED_PERCENT = 50;
const MIN_COMPARED = 50;
/** Time of its runs beyond twice that of all versions, in milliseconds: new instances are slow at first. */
const MAX_SLOWER_MS = 250;
/** The same for the time of its own, without nodes, of requests of one class: it hardly varies. */
const MAX_OWN_SLOWER_MS = 50;
/** An alarm has ten metrics at most, and three a class: the classes that nearly all requests are of, and the others. */
const CLASSES_TIMED = 3;
const TIMED_CLASSES = {
  OwnTime: METHOD_CLASSES.slice(0, CLASSES_TIMED),
  OwnTimeOfOthers: METHOD_CLASSES.slice(CLASSES_TIMED),
};

/** One thing that a new version must not be. */
interface Gate {
  readonly name:
    | 'Crashes'
    | 'InternalErrors'
    | 'NotFound'
    | 'ChargesLess'
    | 'BillsDisagree'
    | 'Slow'
    | keyof typeof TIMED_CLASSES;
  readonly meaning: string;
  readonly expression: string;
  readonly metrics: Readonly<Record<string, IMetric>>;
  readonly threshold: number;
}

/**
 * The alarms that end a release, of each function behind the API. They look at the version of this deployment, and at
 * others only to compare it: what is wrong with those stops no release. Each has the version in its name, so a
 * deployment has alarms of its own, which begin without a state.
 */
export function releaseGates(
  watch: AlarmWatch,
  stackName: string,
  functions: ServiceFunctions,
): Readonly<Record<RouteTarget, readonly Alarm[]>> {
  const gatesOf = (target: RouteTarget) => {
    const { version } = functions.live[target].version;
    return gates(watch, functions, target).flatMap(
      ({ name, meaning, expression, metrics, threshold }) =>
        watch.alarm('ReleaseStopped', 'ticket', meaning, {
          of: `${target}-${name}`,
          name: `${stackName}-${target}-${version}-${name}`,
          metric: new MathExpression({ expression, usingMetrics: { ...metrics }, period: PERIOD }),
          threshold,
          periods: 1,
        }) ?? [],
    );
  };
  return { rpc: gatesOf('rpc'), data: gatesOf('data'), status: gatesOf('status'), mcp: gatesOf('mcp') };
}

function gates(watch: AlarmWatch, functions: ServiceFunctions, target: RouteTarget): Gate[] {
  const { version } = functions.live[target].version;
  const ofNew = (name: MetricName, statistic: string) =>
    watch.metrics.metric(name, { statistic, run: { Function: target, Version: version } });
  const ofAll = (name: MetricName, statistic: string) =>
    watch.metrics.metric(name, { statistic, run: { Function: target } });
  const answers = ofNew('RunTime', Stats.SAMPLE_COUNT);
  return [
    crashes(functions.live[target]),
    {
      name: 'InternalErrors',
      meaning: 'Answers of the new version are errors of its own.',
      expression: `IF(failed >= ${MIN_FAILED}, 100 * failed / answers, 0)`,
      metrics: { answers, failed: ofNew('InternalErrors', Stats.SUM) },
      threshold: MAX_FAILED_PERCENT,
    },
    {
      name: 'NotFound',
      meaning: 'The new version answers 404 more often than the others.',
      // Without other versions there is nothing to compare: a division by zero has no value.
      expression: `IF(answers >= ${MIN_RESPONSES}, 100 * missed / answers - 100 * (allMissed - missed) / (all - answers), 0)`,
      metrics: {
        answers,
        missed: ofNew('NotFoundAnswers', Stats.SUM),
        all: ofAll('RunTime', Stats.SAMPLE_COUNT),
        allMissed: ofAll('NotFoundAnswers', Stats.SUM),
      },
      threshold: MAX_MORE_NOT_FOUND_POINTS,
    },
    {
      name: 'Slow',
      meaning: 'The new version takes more than twice the time of the others.',
      expression: `IF(answers >= ${MIN_COMPARED}, time - 2 * usual, 0)`,
      metrics: {
        answers,
        time: ofNew('RunTime', TRIMMED_MEAN),
        usual: ofAll('RunTime', TRIMMED_MEAN),
      },
      threshold: MAX_SLOWER_MS,
    },
    ...(target === 'rpc' ? ownTimes(watch, { Function: target, Version: version }) : []),
    ...(PAID_FUNCTIONS.includes(target) ? [chargesLess(ofNew, ofAll), billsDisagree(ofNew)] : []),
  ];
}

/** Runs of the version that an alias names. */
function crashes(alias: Alias): Gate {
  const { version, lambda } = alias.version;
  const runs = (metricName: string) =>
    new Metric({
      namespace: 'AWS/Lambda',
      metricName,
      dimensionsMap: {
        FunctionName: lambda.functionName,
        Resource: `${lambda.functionName}:${alias.aliasName}`,
        ExecutedVersion: version,
      },
      statistic: Stats.SUM,
      period: PERIOD,
    });
  return {
    name: 'Crashes',
    meaning: 'Runs of the new version fail.',
    expression: `IF(failed >= ${MIN_FAILED}, 100 * failed / runs, 0)`,
    metrics: { failed: runs('Errors'), runs: runs('Invocations') },
    threshold: MAX_FAILED_PERCENT,
  };
}

function ownTimes(watch: AlarmWatch, run: RunDimensions): Gate[] {
  return (['OwnTime', 'OwnTimeOfOthers'] as const).map((name) => ownTime(watch, run, name));
}

function ownTime({ metrics }: AlarmWatch, run: RunDimensions, name: keyof typeof TIMED_CLASSES): Gate {
  const time = (statistic: string, dimensionsMap: Readonly<Record<string, string>>) =>
    metrics.metric('AddedLatency', { statistic }).with({ dimensionsMap });
  const compared = TIMED_CLASSES[name].map((MethodClass) => ({
    // Of a class without calls there is no figure, which must not hide those of the others.
    expression: `FILL(IF(${MethodClass}Answers >= ${MIN_COMPARED}, ${MethodClass}Time > 2 * ${MethodClass}Usual + ${MAX_OWN_SLOWER_MS}, 0), 0)`,
    metrics: {
      [`${MethodClass}Answers`]: time(Stats.SAMPLE_COUNT, { ...run, MethodClass }),
      [`${MethodClass}Time`]: time(TRIMMED_MEAN, { ...run, MethodClass }),
      [`${MethodClass}Usual`]: time(TRIMMED_MEAN, { MethodClass }),
    },
  }));
  return {
    name,
    meaning: 'The new version itself takes more than twice the time of the others for calls of a class.',
    expression: compared.map(({ expression }) => expression).join(' + '),
    metrics: Object.assign({}, ...compared.map((one) => one.metrics)),
    threshold: 0,
  };
}

function chargesLess(
  ofNew: (name: MetricName, statistic: string) => IMetric,
  ofAll: (name: MetricName, statistic: string) => IMetric,
): Gate {
  return {
    name: 'ChargesLess',
    meaning: 'The new version charges less than half for an answer.',
    expression: `IF(due >= ${MIN_COMPARED}, 100 - 100 * charged / usual, 0)`,
    metrics: {
      due: ofNew('ChargedComputeUnits', Stats.SAMPLE_COUNT),
      charged: ofNew('ChargedComputeUnits', TRIMMED_MEAN),
      usual: ofAll('ChargedComputeUnits', TRIMMED_MEAN),
    },
    threshold: 100 - MIN_CHARGED_PERCENT,
  };
}

/** One is enough: a healthy version has none. */
function billsDisagree(ofNew: (name: MetricName, statistic: string) => IMetric): Gate {
  return {
    name: 'BillsDisagree',
    meaning: 'Bills of the new version contradict its charges or the prices.',
    expression: 'FILL(wrong, 0)',
    metrics: { wrong: ofNew('BillsDisagree', Stats.SUM) },
    threshold: 0,
  };
}
