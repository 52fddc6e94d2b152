import { faultOf, metricsOf, periodOf, valueIn } from './metric-query.ts';
import { type MetricStore, RESOLUTION_MS } from './metric-store.ts';
import type { AlarmDefinition } from './read-alarms.ts';

/** States of CloudWatch, and that of an alarm whose metric no local run can know. */
export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA' | 'NOT_AVAILABLE';

/** State of an alarm at some moment, and the reason. */
export interface Judgement {
  readonly state: AlarmState;
  readonly reason: string;
}

/** The moment of a judgement, and when the run began, in milliseconds since the epoch. */
interface Times {
  readonly nowMs: number;
  readonly startedAtMs: number;
}

/** One of the periods that an alarm looks at. */
type Period = { readonly value: number } | 'missing' | 'before-the-run';

/**
 * Judges an alarm over the periods that end now, as CloudWatch does every minute. Periods that began before the run, and
 * of which nothing is known, are no proof that something stands still. An alarm with contributors is on while one of them is.
 *
 * @param before state so far, which missing data can leave as it is
 */
export function judgeAlarm(
  alarm: AlarmDefinition,
  store: MetricStore,
  times: Times,
  before: AlarmState,
): Judgement {
  const judged = contributorsOf(alarm, store).map((one) => judgeOne(one, store, times, before));
  return judged.find(({ state }) => state === 'ALARM') ?? judged[0] ?? judgeOne(alarm, store, times, before);
}

/** What an alarm has a state for: each series of its sums by a dimension, with its value in the description; else itself. */
export function contributorsOf(alarm: AlarmDefinition, store: MetricStore): AlarmDefinition[] {
  const { watched, arn, description } = alarm;
  if (watched.kind !== 'grouped') return [alarm];
  const { name, namespace, dimension, id, label, isVisible, statistic, periodSeconds } = watched;
  return store.valuesOf(namespace, name, dimension).map((value) => {
    const metric = { namespace, name, dimensions: { [dimension]: value } };
    const query = { kind: 'statistic', id, label, isVisible, metric, statistic, periodSeconds } as const;
    const told = description.replace(/^\[\w+\] /, `$&${value}: `);
    return { ...alarm, arn: `${arn}/${value}`, description: told, queries: [query], watched: query };
  });
}

function judgeOne(alarm: AlarmDefinition, store: MetricStore, times: Times, before: AlarmState): Judgement {
  const fault = faultOf(alarm.watched, alarm.queries);
  if (fault !== undefined) return { state: 'NOT_AVAILABLE', reason: fault };
  const unknown = metricsOf(alarm.watched, alarm.queries).find((metric) => !store.knows(metric));
  if (unknown !== undefined)
    return {
      state: 'NOT_AVAILABLE',
      reason: `${unknown.namespace} ${unknown.name} is not available locally`,
    };
  return judgePeriods(alarm, periodsOf(alarm, store, times), before);
}

/** The periods that an alarm looks at, the latest first. */
function periodsOf(alarm: AlarmDefinition, store: MetricStore, { nowMs, startedAtMs }: Times): Period[] {
  const end = (Math.floor(nowMs / RESOLUTION_MS) + 1) * RESOLUTION_MS;
  const longestMs = periodOf(alarm.watched, alarm.queries) * 1_000;
  return Array.from({ length: alarm.evaluationPeriods }, (_, back) => {
    const value = valueIn(alarm.watched, alarm.queries, store, (periodSeconds) => {
      const toMs = end - back * periodSeconds * 1_000;
      return { fromMs: toMs - periodSeconds * 1_000, toMs };
    });
    if (value !== undefined) return { value };
    return end - (back + 1) * longestMs < startedAtMs ? 'before-the-run' : 'missing';
  });
}

/** Decides from the periods alone. */
function judgePeriods(alarm: AlarmDefinition, periods: readonly Period[], before: AlarmState): Judgement {
  const { comparison, threshold, sign, datapointsToAlarm, missingData } = alarm;
  const values = periods.flatMap((period) => (typeof period === 'string' ? [] : [period.value]));
  const breaching = values.filter((value) => comparison(value, threshold)).length;
  const count = (kind: Period) => periods.filter((period) => period === kind).length;
  const [missing, unknown] = [count('missing'), count('before-the-run')];
  const surely = breaching + (missingData === 'breaching' ? missing : 0);
  const perhaps = surely + (missingData === 'breaching' ? unknown : 0);
  const shown = values.length === 0 ? 'no data' : values.map(shortNumber).join(', ');
  const reason = `${shown} (alarm: ${sign} ${threshold} in ${datapointsToAlarm} of ${periods.length})`;
  if (surely >= datapointsToAlarm) return { state: 'ALARM', reason };
  if (perhaps >= datapointsToAlarm)
    return {
      state: 'INSUFFICIENT_DATA',
      reason: `the run is too young for this alarm; ${reason}`,
    };
  if (values.length === 0 && missingData === 'missing') return { state: 'INSUFFICIENT_DATA', reason };
  if (values.length === 0 && missingData === 'ignore') return { state: before, reason };
  return { state: 'OK', reason };
}

function shortNumber(value: number): string {
  return String(Number(value.toPrecision(4)));
}
