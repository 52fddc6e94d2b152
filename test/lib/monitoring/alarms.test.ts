import { readFileSync } from 'node:fs';
import {
  type MetricDimensions,
  type MetricValues,
  metricNamespace,
  renderMetrics,
} from '../../../lambdas/shared/runtime/metrics.ts';
import { stageFile } from '../../../lib/config/stage-files.ts';
import { parseEmbeddedMetrics } from '../../../local/dashboard/embedded-metrics.ts';
import { judgeAlarm } from '../../../local/dashboard/judge-alarm.ts';
import { MetricStore } from '../../../local/dashboard/metric-store.ts';
import { readAlarms } from '../../../local/dashboard/read-alarms.ts';
import { createAttributes } from '../../../local/template/attributes.ts';
import { createResolver } from '../../../local/template/intrinsics.ts';
import { loadTemplate } from '../../../local/template/load-template.ts';
import { synthesisedTogether } from '../../support/synthesised-once.ts';

const STAGE = 'example-production';
const NOW = 1_800_001_800_000;
const MINUTE_MS = 60_000;
/** A quarter of an hour, and the period before. */
const MINUTES = 20;

/** What each chain of the stage allows its head, by its name. */
const LAGS: Readonly<Record<string, number | undefined>> = {
  fast: 2,
  usual: 120,
  hourly: 3_600,
  daily: 86_400,
  on_demand: undefined,
};

let alarms: ReturnType<typeof readAlarms>;
beforeAll(() => {
  const stage = JSON.parse(readFileSync(stageFile(STAGE), 'utf8'));
  const chains = Object.entries(LAGS).map(([chain, maxHeadLagSeconds], index) => ({
    ...{ chain, name: chain, chainId: index + 1, default: index === 0, maxHeadLagSeconds },
    upstreams: ['secret:gateway/one'],
  }));
  const { lagging } = synthesisedTogether({ lagging: { ...stage, chains } });
  const template = loadTemplate(lagging.folder);
  const parameters = Object.fromEntries(
    Object.keys(template.parameters).map((name) => [name, 'http://node']),
  );
  const attribute = createAttributes(template, 'http://127.0.0.1:1');
  alarms = readAlarms(template, createResolver(template, { parameters, attribute }));
});

/** An alarm by its section of the runbook, and by the chain or table that its description begins with. */
function alarmOf(section: string, of = '') {
  const found = alarms.find(({ description }) =>
    new RegExp(`\\] ${of === '' ? '' : `${of}: `}.*#${section.toLowerCase()}$`).test(description),
  );
  if (found === undefined) throw new Error(`no alarm ${section} ${of}`);
  return found;
}

/** The one metric of an alarm that computes nothing. */
function metricOf({ watched }: ReturnType<typeof alarmOf>) {
  if (watched.kind !== 'statistic') throw new Error('an alarm computes its value');
  return watched.metric;
}

/** State of an alarm after this was recorded in each minute, for longer than it looks back. */
function stateAfter(alarm: ReturnType<typeof alarmOf>, record: (store: MetricStore, atMs: number) => void) {
  const store = new MetricStore({ now: () => NOW });
  for (let minute = 0; minute < MINUTES; minute += 1) record(store, NOW - minute * MINUTE_MS);
  return judgeAlarm(alarm, store, { nowMs: NOW, startedAtMs: NOW - MINUTES * MINUTE_MS }, 'OK').state;
}

/** State of IndexBehind of a chain whose index has told this, each minute, for longer than the alarm looks back. */
function stateOf(chain: string, values: { IndexerLagBlocks: number; IndexedHeadAge: number }): string {
  return stateAfter(alarmOf('IndexBehind', chain), emitted(values, { Chain: chain }));
}

function emitted(values: MetricValues, dimensions: MetricDimensions = {}) {
  return (store: MetricStore, atMs: number) => {
    const rendered = renderMetrics({ values, dimensions }, atMs, metricNamespace(STAGE));
    for (const measurement of parseEmbeddedMetrics(rendered)) store.record(measurement);
  };
}

describe('IndexBehind', () => {
  test.each(Object.keys(LAGS))('is on for %s if its index is far behind, and off if it is not', (chain) => {
    expect(stateOf(chain, { IndexerLagBlocks: 1_001, IndexedHeadAge: 0 })).toBe('ALARM');
    expect(stateOf(chain, { IndexerLagBlocks: 1_000, IndexedHeadAge: 0 })).toBe('OK');
  });

  test.each([
    ['fast', 600],
    ['usual', 600],
    ['hourly', 10_800],
    ['daily', 259_200],
  ])('is on for %s if nothing is behind, and the newest block is older than %i s', (chain, seconds) => {
    expect(stateOf(chain, { IndexerLagBlocks: 0, IndexedHeadAge: seconds })).toBe('OK');
    expect(stateOf(chain, { IndexerLagBlocks: 0, IndexedHeadAge: seconds + 1 })).toBe('ALARM');
    expect(stateOf(chain, { IndexerLagBlocks: 1_001, IndexedHeadAge: seconds + 1 })).toBe('ALARM');
  });

  test('looks at no age of a chain that may make blocks only on demand', () => {
    expect(stateOf('on_demand', { IndexerLagBlocks: 0, IndexedHeadAge: 10 ** 9 })).toBe('OK');
  });
});

describe('charges', () => {
  test('that wait in their queue for more than five minutes wake somebody', () => {
    const alarm = alarmOf('ChargesWaiting');
    expect(alarm.description).toMatch(/^\[page\]/);
    const metric = metricOf(alarm);
    expect(metric).toMatchObject({ namespace: 'AWS/SQS', name: 'ApproximateAgeOfOldestMessage' });
    expect(JSON.stringify(metric)).toContain('ChargesQueue');
    const aged = (value: number) =>
      stateAfter(alarm, (store, atMs) => store.record({ ...metric, value, atMs }));
    expect(aged(300)).toBe('OK');
    expect(aged(301)).toBe('ALARM');
  });

  test('that nobody took wake somebody by their share, where there is enough traffic to tell', () => {
    const alarm = alarmOf('UnchargedAnswers');
    const state = (BilledComputeUnits: number, UnchargedComputeUnits?: number) =>
      stateAfter(
        alarm,
        emitted({
          BilledComputeUnits,
          ...(UnchargedComputeUnits !== undefined && { UnchargedComputeUnits }),
        }),
      );
    expect(state(100_000)).toBe('OK');
    expect(state(100_000, 100)).toBe('OK');
    expect(state(100_000, 101)).toBe('ALARM');
    expect(state(2_000, 2_000)).toBe('OK');
    expect(state(2_001, 2_001)).toBe('ALARM');
  });

  test.each(['keys', 'lanes', 'unsettled'])(
    'whose writes to %s are refused again and again are told',
    (table) => {
      const alarm = alarmOf('ThrottledWrites', table);
      const metric = metricOf(alarm);
      expect(metric).toMatchObject({ namespace: 'AWS/DynamoDB', name: 'WriteThrottleEvents' });
      expect(Object.keys(metric.dimensions)).toEqual(['TableName']);
      expect(JSON.stringify(metric.dimensions).toLowerCase()).toContain(`tables${table}`);
      // A local run does not know what DynamoDB refuses, so the alarm itself is looked at.
      expect(alarm).toMatchObject({
        description: expect.stringMatching(/^\[ticket\]/),
        watched: { statistic: 'Sum', periodSeconds: 300 },
        sign: '>',
        threshold: 100,
        evaluationPeriods: 1,
        missingData: 'notBreaching',
      });
    },
  );
});

test.each([
  ['keys', 'UpdateItem'],
  ['accounts', 'GetItem'],
  ['lanes', 'UpdateItem'],
])('requests to %s that DynamoDB itself fails are told', (table, operation) => {
  const alarm = alarmOf('StoreErrors', table);
  const metric = metricOf(alarm);
  // DynamoDB publishes no sum over operations: a metric of the table alone would stay empty.
  expect(metric).toMatchObject({
    namespace: 'AWS/DynamoDB',
    name: 'SystemErrors',
    dimensions: { TableName: expect.stringMatching(new RegExp(`tables${table}`, 'i')), Operation: operation },
  });
  expect(alarm).toMatchObject({
    description: expect.stringMatching(/^\[ticket\]/),
    watched: { statistic: 'Sum', periodSeconds: 300 },
    sign: '>',
    threshold: 100,
    evaluationPeriods: 1,
    missingData: 'notBreaching',
  });
});

test('an hour that is not settled two hours after its end is told, at the second audit that sees it', () => {
  const alarm = alarmOf('SettlementLate');
  expect(alarm.description).toMatch(/^\[ticket\]/);
  const state = (...ages: readonly number[]) => {
    const store = new MetricStore({ now: () => NOW });
    for (const [audit, UnsettledAge] of ages.entries())
      emitted({ UnsettledAge })(store, NOW - audit * 60 * MINUTE_MS);
    return judgeAlarm(alarm, store, { nowMs: NOW, startedAtMs: NOW - 240 * MINUTE_MS }, 'OK').state;
  };
  expect(state(7_200, 7_200)).toBe('OK');
  expect(state(90_000, 4_200)).toBe('OK');
  expect(state(10_801, 7_201)).toBe('ALARM');
  expect(state()).toBe('OK');
});

describe('instances', () => {
  test.each(['rpc', 'data', 'status', 'mcp'])(
    'of %s that Lambda refuses again and again are told',
    (name) => {
      const alarm = alarmOf('ThrottledRuns', name);
      const metric = metricOf(alarm);
      expect(metric).toMatchObject({ namespace: 'AWS/Lambda', name: 'Throttles' });
      expect(JSON.stringify(metric.dimensions).toLowerCase()).toContain(`functions${name}`);
      const refused = (value: number) =>
        stateAfter(alarm, (store, atMs) => store.record({ ...metric, value, atMs }));
      expect(refused(4)).toBe('OK');
      expect(refused(5)).toBe('ALARM');
    },
  );

  test('of JSON-RPC are told before all are busy', () => {
    const alarm = alarmOf('InstancesBusy');
    expect(metricOf(alarm)).toMatchObject({ namespace: 'AWS/Lambda', name: 'ConcurrentExecutions' });
    expect(alarm).toMatchObject({ threshold: 400, sign: '>', watched: { statistic: 'Maximum' } });
  });
});

test('a certificate that ends within a month wakes somebody', () => {
  const alarm = alarmOf('CertificateExpires');
  expect(alarm.description).toMatch(/^\[page\]/);
  expect(metricOf(alarm)).toMatchObject({
    namespace: 'AWS/CertificateManager',
    name: 'DaysToExpiry',
    dimensions: { CertificateArn: expect.stringMatching(/^arn:aws:acm:/) },
  });
  expect(alarm).toMatchObject({ threshold: 30, sign: '<', missingData: 'notBreaching' });
});

test('time that the gateway adds is told, where there are enough requests to tell', () => {
  const state = (AddedLatency: number, Requests: number) =>
    stateAfter(alarmOf('SlowGateway'), emitted({ AddedLatency, Requests }));
  expect(state(501, 5)).toBe('ALARM');
  expect(state(500, 5)).toBe('OK');
  expect(state(9_000, 4)).toBe('OK');
});

test('hours without a request are told', () => {
  expect(alarmOf('NoTraffic')).toMatchObject({
    watched: { statistic: 'Sum', periodSeconds: 3_600 },
    threshold: 1,
    sign: '<',
    evaluationPeriods: 3,
    missingData: 'breaching',
  });
});
