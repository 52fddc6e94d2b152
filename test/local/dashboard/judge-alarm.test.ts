import { type AlarmState, contributorsOf, judgeAlarm } from '../../../local/dashboard/judge-alarm.ts';
import { MetricStore, RESOLUTION_MS } from '../../../local/dashboard/metric-store.ts';
import { readAlarms } from '../../../local/dashboard/read-alarms.ts';
import { loadAssembly } from '../assembly.ts';

const MINUTE_MS = 60_000;
const NOW = 1_800_000_000_000;
const PROPERTIES = {
  Namespace: 'Gateway',
  MetricName: 'Failures',
  Statistic: 'Sum',
  Period: 60,
  EvaluationPeriods: 3,
  Threshold: 5,
  ComparisonOperator: 'GreaterThanThreshold',
  TreatMissingData: 'notBreaching',
};

interface World {
  /** Values of minutes, the latest last; undefined: no data. */
  readonly minutes: readonly (number | undefined)[];
  readonly changes?: object;
  /** @default long ago */
  readonly startedAtMs?: number;
  readonly before?: AlarmState;
}

function judge({ minutes, changes = {}, startedAtMs = 0, before = 'OK' }: World) {
  const store = new MetricStore({ now: () => NOW });
  const latest = NOW - (NOW % RESOLUTION_MS);
  for (const [back, value] of minutes.toReversed().entries()) {
    if (value === undefined) continue;
    store.record({
      namespace: 'Gateway',
      name: 'Failures',
      dimensions: {},
      value,
      atMs: latest - back * MINUTE_MS,
    });
  }
  const properties = { ...PROPERTIES, ...changes };
  const { template, resolver: resolve } = loadAssembly({
    A: { Type: 'AWS::CloudWatch::Alarm', Properties: properties },
  });
  const [alarm] = readAlarms(template, resolve);
  if (alarm === undefined) throw new Error('no alarm is read');
  return judgeAlarm(alarm, store, { nowMs: NOW, startedAtMs }, before);
}

const NONE = [undefined, undefined, undefined];

test.each<[string, World, AlarmState]>([
  ['all periods over the threshold', { minutes: [6, 7, 8] }, 'ALARM'],
  ['one of them at the threshold', { minutes: [6, 5, 8] }, 'OK'],
  ['two of three are enough', { minutes: [6, 5, 8], changes: { DatapointsToAlarm: 2 } }, 'ALARM'],
  ['over it earlier only', { minutes: [9, 9, 9, 1, 1, 1] }, 'OK'],
  ['a missing period is well', { minutes: [6, undefined, 8] }, 'OK'],
  [
    'a missing period breaches',
    { minutes: [6, undefined, 8], changes: { TreatMissingData: 'breaching' } },
    'ALARM',
  ],
  ['nothing breaches', { minutes: NONE, changes: { TreatMissingData: 'breaching' } }, 'ALARM'],
  [
    'nothing yet is no breach',
    { minutes: NONE, changes: { TreatMissingData: 'breaching' }, startedAtMs: NOW - 2 * MINUTE_MS },
    'INSUFFICIENT_DATA',
  ],
  [
    'good values decide also early on',
    { minutes: [1], changes: { TreatMissingData: 'breaching' }, startedAtMs: NOW - MINUTE_MS },
    'OK',
  ],
  [
    'nothing is unknown by default',
    { minutes: NONE, changes: { TreatMissingData: undefined } },
    'INSUFFICIENT_DATA',
  ],
  [
    'nothing leaves things as they are',
    { minutes: NONE, changes: { TreatMissingData: 'ignore' }, before: 'ALARM' },
    'ALARM',
  ],
  ['below', { minutes: [4, 4, 4], changes: { ComparisonOperator: 'LessThanThreshold' } }, 'ALARM'],
  ['at most', { minutes: [5, 5, 5], changes: { ComparisonOperator: 'LessThanOrEqualToThreshold' } }, 'ALARM'],
  [
    'at least',
    { minutes: [5, 5, 5], changes: { ComparisonOperator: 'GreaterThanOrEqualToThreshold' } },
    'ALARM',
  ],
  [
    'a percentile',
    { minutes: [6, 6, 6], changes: { Statistic: undefined, ExtendedStatistic: 'p99' } },
    'ALARM',
  ],
  ['a count of samples', { minutes: [9, 9, 9], changes: { Statistic: 'SampleCount' } }, 'OK'],
  [
    'an unknown statistic',
    { minutes: [9, 9, 9], changes: { Statistic: undefined, ExtendedStatistic: 'wm90' } },
    'NOT_AVAILABLE',
  ],
  ['a metric of AWS that is not known', { minutes: [], changes: { Namespace: 'AWS/RDS' } }, 'NOT_AVAILABLE'],
])('%s', (_, world, state) => expect(judge(world).state).toBe(state));

test('metric math over two metrics', () => {
  const metric = (Id: string, Stat: string) => ({
    Id,
    ReturnData: false,
    MetricStat: { Metric: { Namespace: 'Gateway', MetricName: 'Failures' }, Period: 60, Stat },
  });
  const judgeShare = (expression: string) =>
    judge({
      minutes: [6, 6, 6],
      changes: {
        Namespace: undefined,
        MetricName: undefined,
        Statistic: undefined,
        Period: undefined,
        Metrics: [{ Id: 'e', Expression: expression }, metric('sum', 'Sum'), metric('count', 'SampleCount')],
      },
    });
  expect(judgeShare('IF(sum > 1, sum / count, 0)')).toEqual({
    state: 'ALARM',
    reason: '6, 6, 6 (alarm: > 5 in 3 of 3)',
  });
  expect(judgeShare('sum / (count + 1)').state).toBe('OK');
  expect(judgeShare('ANOMALY_DETECTION_BAND(sum)')).toMatchObject({
    state: 'NOT_AVAILABLE',
    reason: expect.stringContaining('function ANOMALY_DETECTION_BAND is not supported'),
  });
  expect(judgeShare('sum / other')).toMatchObject({ state: 'NOT_AVAILABLE' });
});

test('what it cannot evaluate is refused by name', () => {
  expect(() => judge({ minutes: [], changes: { ComparisonOperator: 'GreaterThanUpperThreshold' } })).toThrow(
    'A (AWS::CloudWatch::Alarm): ComparisonOperator GreaterThanUpperThreshold is not supported',
  );
});

test('an alarm on sums by chain is on while those of one chain are over its threshold, whatever the others have', () => {
  const query = (expression: string) => ({
    Metrics: [{ Id: 'q', Expression: expression, Period: 60, ReturnData: true }],
    MetricName: undefined,
    AlarmDescription: '[ticket] Nodes fail. runbook.md#one',
    EvaluationPeriods: 2,
  });
  const SUMS = 'SELECT SUM(Failures) FROM SCHEMA("Gateway", "Chain") GROUP BY "Chain" ORDER BY SUM() DESC';
  const { template, resolver: resolve } = loadAssembly({
    A: { Type: 'AWS::CloudWatch::Alarm', Properties: { ...PROPERTIES, ...query(SUMS) } },
    B: { Type: 'AWS::CloudWatch::Alarm', Properties: { ...PROPERTIES, ...query('SELECT AVG(Failures)') } },
  });
  const [alarm, unknown] = readAlarms(template, resolve);
  if (alarm === undefined || unknown === undefined) throw new Error('no alarms are read');
  const store = new MetricStore({ now: () => NOW });
  const times = { nowMs: NOW, startedAtMs: 0 };
  expect(judgeAlarm(alarm, store, times, 'OK').state).toBe('OK');
  const record = (Chain: string, values: readonly number[]) => {
    for (const [back, value] of values.entries())
      store.record({
        namespace: 'Gateway',
        name: 'Failures',
        dimensions: { Chain },
        value,
        atMs: NOW - back * MINUTE_MS,
      });
  };
  record('one', [9, 1]);
  record('two', [1, 9]);
  // Neither is over it twice, though their sum is.
  expect(judgeAlarm(alarm, store, times, 'OK').state).toBe('OK');
  record('three', [6, 6]);
  expect(judgeAlarm(alarm, store, times, 'OK').state).toBe('ALARM');
  expect(
    contributorsOf(alarm, store).map((one) => [one.description, judgeAlarm(one, store, times, 'OK').state]),
  ).toEqual([
    ['[ticket] one: Nodes fail. runbook.md#one', 'OK'],
    ['[ticket] two: Nodes fail. runbook.md#one', 'OK'],
    ['[ticket] three: Nodes fail. runbook.md#one', 'ALARM'],
  ]);
  expect(judgeAlarm(unknown, store, times, 'OK').state).toBe('NOT_AVAILABLE');
});
