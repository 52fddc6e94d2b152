import {
  type MetricDimensions,
  type MetricValues,
  metricNamespace,
  renderMetrics,
} from '../../../lambdas/shared/runtime/metrics.ts';
import { parseEmbeddedMetrics } from '../../../local/dashboard/embedded-metrics.ts';
import { judgeAlarm } from '../../../local/dashboard/judge-alarm.ts';
import { metricsOf } from '../../../local/dashboard/metric-query.ts';
import { MetricStore } from '../../../local/dashboard/metric-store.ts';
import { readAlarms } from '../../../local/dashboard/read-alarms.ts';
import { createAttributes } from '../../../local/template/attributes.ts';
import { createResolver } from '../../../local/template/intrinsics.ts';
import { loadTemplate } from '../../../local/template/load-template.ts';
import { isAtLength } from '../../support/at-length.ts';
import { describeAtLength, testAtLength } from '../../support/at-length-tests.ts';
import { SynthesisedStage } from '../synthesised-stage.ts';
import { LAGS, variedStage } from '../varied-stages.ts';

type MetricAccount = NonNullable<MetricStore['account']>;

const STAGE = 'example-production';
const NOW = 1_800_001_800_000;
const MINUTE_MS = 60_000;
/** A quarter of an hour, and the period before. */
const MINUTES = 20;

let alarms: ReturnType<typeof readAlarms>;
beforeAll(() => {
  const stage = isAtLength ? variedStage('lagging') : new SynthesisedStage(STAGE);
  const template = loadTemplate(stage.folder);
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

/** Of the metrics that an alarm computes from, the one of a table or function. */
function metricAbout({ watched, queries }: ReturnType<typeof alarmOf>, resource: string, wanted = /./) {
  const found = metricsOf(watched, queries).find(
    ({ name, dimensions }) =>
      JSON.stringify(dimensions).toLowerCase().includes(resource) && name.match(wanted) !== null,
  );
  if (found === undefined) throw new Error(`an alarm looks at no ${resource}`);
  return found;
}

/** State of an alarm after this was recorded in each minute, for longer than it looks back. */
function stateAfter(alarm: ReturnType<typeof alarmOf>, record: (store: MetricStore, atMs: number) => void) {
  const store = emptyStore();
  for (let minute = 0; minute < MINUTES; minute += 1) record(store, NOW - minute * MINUTE_MS);
  return stateNow(alarm, store);
}

const emptyStore = (account?: MetricAccount) => new MetricStore({ now: () => NOW }, { account });

/** State of an alarm that was off, by what a store holds of so many minutes. */
function stateNow(alarm: ReturnType<typeof alarmOf>, store: MetricStore, minutes = MINUTES) {
  return judgeAlarm(alarm, store, { nowMs: NOW, startedAtMs: NOW - minutes * MINUTE_MS }, 'OK').state;
}

/** One value of a metric. */
function valued(metric: ReturnType<typeof metricOf>, value: number) {
  return (store: MetricStore, atMs: number) => store.record({ ...metric, value, atMs });
}

/** State of ChainBehind of a chain that has told this, each minute, for longer than the alarm looks back. */
function stateOf(chain: string, values: MetricValues): string {
  const well = { IndexerLagBlocks: 0, IndexedHeadAge: 0, SnapshotAge: 0, RollupLagBlocks: 0 };
  return stateAfter(alarmOf('ChainBehind', chain), emitted({ ...well, ...values }, { Chain: chain }));
}

/** Runs of a function, each with these values. */
function ran(function_: string, count: number, values: MetricValues) {
  const of = { Function: function_, Version: '1' };
  const rendered = renderMetrics({ run: { of, values } }, 0, metricNamespace(STAGE));
  const measurements = parseEmbeddedMetrics(rendered);
  return (store: MetricStore, atMs: number) => {
    for (let run = 0; run < count; run += 1)
      for (const measurement of measurements) store.record({ ...measurement, atMs });
  };
}

function emitted(values: MetricValues, dimensions: MetricDimensions = {}) {
  return (store: MetricStore, atMs: number) => {
    const rendered = renderMetrics({ values, dimensions }, atMs, metricNamespace(STAGE));
    for (const measurement of parseEmbeddedMetrics(rendered)) store.record(measurement);
  };
}

describeAtLength('IndexBehind', () => {
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

  test.each([
    ['SnapshotAge', 28_800],
    ['RollupLagBlocks', 1_000],
  ])(
    'is ChainBehind, which is on too if %s is more than %i, and while one of its figures is missing',
    (name, most) => {
      expect(stateOf('usual', { [name]: most })).toBe('OK');
      expect(stateOf('usual', { [name]: most + 1 })).toBe('ALARM');
      const told = {
        IndexerLagBlocks: 0,
        IndexedHeadAge: 0,
        SnapshotAge: 0,
        RollupLagBlocks: 0,
        [name]: undefined,
      };
      const values = JSON.parse(JSON.stringify(told)) as MetricValues;
      const store = emptyStore();
      for (let minute = 0; minute < MINUTES; minute += 1)
        emitted(values, { Chain: 'usual' })(store, NOW - minute * MINUTE_MS);
      expect(stateNow(alarmOf('ChainBehind', 'usual'), store)).toBe('ALARM');
    },
  );

  test('looks at no age of a chain that may make blocks only on demand', () => {
    expect(stateOf('on_demand', { IndexerLagBlocks: 0, IndexedHeadAge: 10 ** 9 })).toBe('OK');
  });
});

/** A section, whom it tells, figures of a minute that turn it on, and some that do not. */
type ByFigures = readonly [
  string,
  'page' | 'ticket',
  on: readonly MetricValues[],
  off: readonly MetricValues[],
];

test.each<ByFigures>([
  [
    'UnchargedAnswers',
    'page',
    [
      { BilledComputeUnits: 100_000, UnchargedComputeUnits: 101 },
      { BilledComputeUnits: 2_001, UnchargedComputeUnits: 2_001 },
    ],
    [
      { BilledComputeUnits: 100_000 },
      { BilledComputeUnits: 100_000, UnchargedComputeUnits: 100 },
      { BilledComputeUnits: 2_000, UnchargedComputeUnits: 2_000 },
    ],
  ],
  [
    'SlowGateway',
    'ticket',
    [{ AddedLatency: 501, Requests: 5 }],
    [
      { AddedLatency: 500, Requests: 5 },
      { AddedLatency: 9_000, Requests: 4 },
    ],
  ],
  [
    'FailingDataRequests',
    'page',
    [{ DataRequests: 100, DataErrors: 3, Requests: 100_000 }],
    [
      { DataRequests: 100, DataErrors: 2, Requests: 100_000 },
      { DataRequests: 4, DataErrors: 4, Requests: 100_000 },
    ],
  ],
  [
    'SlowDataApi',
    'ticket',
    [{ DataLatency: 3_100, DataRequests: 5 }],
    [
      { DataLatency: 2_900, DataRequests: 5 },
      { DataLatency: 9_000, DataRequests: 4 },
    ],
  ],
  [
    'HeadsNotKept',
    'ticket',
    [{ Requests: 1_000, HeadsNotKept: 11 }],
    [{ Requests: 1_000, HeadsNotKept: 10 }, { Requests: 4, HeadsNotKept: 4 }, { Requests: 1_000 }],
  ],
])('%s is a %s by these figures of each minute', (section, severity, on, off) => {
  const alarm = alarmOf(section);
  expect(alarm.description).toMatch(new RegExp(`^\\[${severity}\\]`));
  const state = (values: MetricValues) => [values, stateAfter(alarm, emitted(values))];
  expect([...on, ...off].map(state)).toEqual([
    ...on.map((values) => [values, 'ALARM']),
    ...off.map((values) => [values, 'OK']),
  ]);
});

test.each([
  ['ThrottledWrites', 'WriteThrottleEvents', 20, ['tableskeys', 'tableslanes', 'tablesunsettled']],
  [
    'ThrottledReads',
    'ReadThrottleEvents',
    20,
    ['tableskeys', 'tablesaccounts', 'tableslanes', 'tablesbalances'],
  ],
  ['ThrottledRuns', 'Throttles', 4, ['functionsrpc', 'functionsdata', 'functionsstatus', 'functionsmcp']],
] as const)(
  '%s is a ticket once a minute has more %s than %i, of whatever it watches',
  (section, name, most, watched) => {
    const alarm = alarmOf(section);
    expect(alarm.description).toMatch(/^\[ticket\]/);
    for (const resource of watched) {
      const metric = metricAbout(alarm, resource);
      expect(metric.name).toBe(name);
      // AWS publishes a sum of a table over its operations for these alone.
      expect(Object.keys(metric.dimensions)).toHaveLength(1);
      const states = [most, most + 1].map((value) => stateAfter(alarm, valued(metric, value)));
      expect([resource, ...states]).toEqual([resource, 'OK', 'ALARM']);
    }
  },
);

describe('charges', () => {
  test('that wait in their queue for more than five minutes send a page', () => {
    const alarm = alarmOf('ChargesWaiting');
    expect(alarm.description).toMatch(/^\[page\]/);
    const metric = metricOf(alarm);
    expect(metric).toMatchObject({ namespace: 'AWS/SQS', name: 'ApproximateAgeOfOldestMessage' });
    expect(JSON.stringify(metric)).toContain('ChargesQueue');
    const aged = (value: number) => stateAfter(alarm, valued(metric, value));
    expect(aged(300)).toBe('OK');
    expect(aged(301)).toBe('ALARM');
  });
});

test.each([
  ['keys', 'UpdateItem'],
  ['accounts', 'GetItem'],
  ['lanes', 'UpdateItem'],
])('requests to %s that DynamoDB itself fails are told', (table, operation) => {
  const alarm = alarmOf('StoreErrors');
  const metric = metricAbout(alarm, `tables${table}`);
  // DynamoDB publishes no sum over operations: a metric of the table alone would stay empty.
  expect(metric).toMatchObject({
    namespace: 'AWS/DynamoDB',
    name: 'SystemErrors',
    dimensions: { TableName: expect.stringMatching(new RegExp(`tables${table}`, 'i')), Operation: operation },
  });
  expect(alarm.description).toMatch(/^\[ticket\]/);
  // A local run does not know them.
  const state = (value: number) => {
    const store = emptyStore({ quotaOf: () => undefined });
    store.record({ ...metric, value, atMs: NOW });
    return stateNow(alarm, store);
  };
  expect([100, 101].map(state)).toEqual(['OK', 'ALARM']);
});

test('an hour that is not settled two hours after its end is told, at the second audit that sees it', () => {
  const alarm = alarmOf('SettlementLate');
  expect(alarm.description).toMatch(/^\[ticket\]/);
  const state = (...ages: readonly number[]) => {
    const store = emptyStore();
    for (const [audit, UnsettledAge] of ages.entries())
      emitted({ UnsettledAge })(store, NOW - audit * 60 * MINUTE_MS);
    return stateNow(alarm, store, 240);
  };
  expect(state(7_200, 7_200)).toBe('OK');
  expect(state(90_000, 4_200)).toBe('OK');
  expect(state(10_801, 7_201)).toBe('ALARM');
  expect(state()).toBe('OK');
});

describe('instances', () => {
  test('of JSON-RPC are told before all are busy', () => {
    const alarm = alarmOf('InstancesBusy');
    expect(metricOf(alarm)).toMatchObject({ namespace: 'AWS/Lambda', name: 'ConcurrentExecutions' });
    expect(alarm).toMatchObject({ threshold: 400, sign: '>', watched: { statistic: 'Maximum' } });
  });
});

describe.each(['rpc', 'data', 'status', 'mcp'])('answers of %s', (name) => {
  /** State after five minutes, in each of which there were so many runs of two kinds. */
  const stateWith = (
    section: string,
    many: number,
    usual: MetricValues,
    few: number,
    other: MetricValues,
    of = '',
  ) =>
    stateAfter(alarmOf(section, of), (store, atMs) => {
      ran(name, many, usual)(store, atMs);
      ran(name, few, other)(store, atMs);
    });
  const failed = { RunTime: 1, InternalErrors: 1 };

  test('that show a defect send a page by their share, if there are enough of them', () => {
    const alarm = alarmOf('InternalErrors');
    expect(alarm.description).toMatch(/^\[page\]/);
    expect(alarm).toMatchObject({ evaluationPeriods: 1, threshold: 0 });
    expect(stateWith('InternalErrors', 98, { RunTime: 1 }, 1, failed)).toBe('ALARM');
    expect(stateWith('InternalErrors', 99, { RunTime: 1 }, 1, failed)).toBe('OK');
    expect(stateWith('InternalErrors', 0, { RunTime: 1 }, 1, failed)).toBe('ALARM');
    expect(stateAfter(alarm, ran('other', 100, failed))).toBe('OK');
    const store = emptyStore();
    ran(name, 4, failed)(store, NOW);
    expect(stateNow(alarm, store)).toBe('OK');
    ran(name, 1, failed)(store, NOW);
    expect(stateNow(alarm, store)).toBe('ALARM');
  });

  test('that are 404 send a page if nearly all are, and there are enough of them', () => {
    const missed = { RunTime: 1, NotFoundAnswers: 1 };
    expect(alarmOf('RequestsNotFound', name).description).toMatch(/^\[page\]/);
    expect(stateWith('RequestsNotFound', 19, { RunTime: 1 }, 81, missed, name)).toBe('ALARM');
    expect(stateWith('RequestsNotFound', 20, { RunTime: 1 }, 80, missed, name)).toBe('OK');
    expect(stateWith('RequestsNotFound', 0, { RunTime: 1 }, 19, missed, name)).toBe('OK');
  });
});

test.each(['rpc', 'data', 'mcp'])('responses of %s that should be billed and are not send a page', (name) => {
  const alarm = alarmOf('NothingCharged', name);
  expect(alarm.description).toMatch(/^\[page\]/);
  const state = (count: number, ChargedComputeUnits: number) =>
    stateAfter(alarm, ran(name, count, { RunTime: 1, ChargedComputeUnits }));
  expect(state(20, 0)).toBe('ALARM');
  expect(state(20, 0.4)).toBe('ALARM');
  expect(state(20, 1)).toBe('OK');
  expect(state(19, 0)).toBe('OK');
});

test('one bill that disagrees sends a page, of whatever function that bills', () => {
  const alarm = alarmOf('BillsDisagree');
  expect(alarm.description).toMatch(/^\[page\]/);
  for (const name of ['rpc', 'data', 'mcp'])
    expect(stateAfter(alarm, ran(name, 1, { RunTime: 1, BillsDisagree: 1 }))).toBe('ALARM');
  expect(stateAfter(alarm, ran('rpc', 100, { RunTime: 1 }))).toBe('OK');
});

test('requests that are refused for lack of billing data send a page by their share', () => {
  const alarm = alarmOf('BillingUnavailable');
  const all = metricsOf(alarm.watched, alarm.queries).find(({ name }) => name === 'Count');
  if (all === undefined) throw new Error('the alarm does not look at all requests');
  expect(all).toMatchObject({ namespace: 'AWS/ApiGateway' });
  const state = (requests: number, refusals: number) =>
    stateAfter(alarm, (store, atMs) => {
      for (let index = 0; index < requests; index += 1) store.record({ ...all, value: 1, atMs });
      for (let index = 0; index < refusals; index += 1) emitted({ RefusedForUnavailability: 1 })(store, atMs);
    });
  expect(state(100, 2)).toBe('ALARM');
  expect(state(200, 2)).toBe('OK');
  expect(state(1, 1)).toBe('OK');
  expect(state(2, 2)).toBe('ALARM');
});

test.each(['rpc', 'data', 'status', 'mcp'])('failed runs of %s send a page', (name) => {
  const alarm = alarmOf('FailedRuns');
  expect(alarm.description).toMatch(/^\[page\]/);
  const [failed, runs] = [/Errors/, /Invocations/].map((wanted) =>
    metricAbout(alarm, `functions${name}`, wanted),
  );
  if (failed === undefined || runs === undefined) throw new Error('not a share');
  const state = (all: number, failing: number) =>
    stateAfter(alarm, (store, atMs) => {
      store.record({ ...runs, value: all, atMs });
      store.record({ ...failed, value: failing, atMs });
    });
  expect(state(100, 2)).toBe('ALARM');
  expect(state(100, 1)).toBe('OK');
});

testAtLength('asynchronous runs are watched, of each function, and of each chain', () => {
  const watched = alarms.filter(({ description }) => description.endsWith('#failedwork'));
  const metrics = watched.flatMap((alarm) => metricsOf(alarm.watched, alarm.queries));
  const functions = [
    'AccountBalances',
    'BooksAudit',
    'BooksSettlement',
    'FunctionsCharges',
    'HeadsService',
    'IndexingFill',
    'MigrationsService',
    'SnapshotsService',
  ];
  expect(metrics).toHaveLength(functions.length);
  for (const name of functions) {
    const [alarm] = watched.filter((one) => JSON.stringify(one.queries).includes(name));
    if (alarm === undefined) throw new Error(`no alarm looks at ${name}`);
    const metric = metricAbout(alarm, name.toLowerCase(), /^Errors$/);
    const state = (count: number) => {
      const store = emptyStore();
      store.record({ ...metric, value: count, atMs: NOW });
      return stateNow(alarm, store);
    };
    expect([name, state(2), state(3)]).toEqual([name, 'OK', 'ALARM']);
  }
  // What follows a chain leaves each slot that failed in a queue, and a chain that is behind.
  for (const queue of ['FailedIndexing', 'FailedRollups'])
    expect(stateAfter(alarmOf(queue), valued(metricOf(alarmOf(queue)), 1))).toBe('ALARM');
});

test('a certificate that ends within a month is told', () => {
  const alarm = alarmOf('CertificateExpires');
  expect(alarm.description).toMatch(/^\[ticket\]/);
  expect(metricOf(alarm)).toMatchObject({
    namespace: 'AWS/CertificateManager',
    name: 'DaysToExpiry',
    dimensions: { CertificateArn: expect.stringMatching(/^arn:aws:acm:/) },
  });
  expect(alarm).toMatchObject({ threshold: 30, sign: '<', missingData: 'notBreaching' });
});

test('hours without a request are told, and not those in which the stage did not run', () => {
  const alarm = alarmOf('NoTraffic');
  const count = metricsOf(alarm.watched, alarm.queries).find(({ name }) => name === 'Count');
  if (count === undefined) throw new Error('the alarm does not look at requests');
  const state = (hours: number, requests: number) => {
    const store = emptyStore();
    for (let minute = 0; minute < hours * 60; minute += 1)
      emitted({ BalanceViewAge: 0 })(store, NOW - minute * MINUTE_MS);
    for (let request = 0; request < requests; request += 1)
      store.record({ ...count, value: 1, atMs: NOW - 100 * MINUTE_MS });
    return stateNow(alarm, store, 240);
  };
  expect([state(3, 0), state(3, 1), state(2, 0), state(0, 0)]).toEqual(['ALARM', 'OK', 'OK', 'OK']);
});

testAtLength(
  'pages go to an incident service beside the e-mail, and descriptions point where the stage file says',
  () => {
    const started = variedStage('most');
    expect(started.resources('AWS::SNS::Subscription').map(([, { Properties }]) => Properties)).toEqual([
      {
        Endpoint: 'https://pages.example.com/1',
        Protocol: 'https',
        TopicArn: { Ref: expect.stringMatching('^AlarmsPages') },
      },
    ]);
    for (const [, { Properties }] of started.resources('AWS::CloudWatch::Alarm'))
      expect(Properties.AlarmDescription).toMatch(/ https:\/\/docs\.example\.com\/runbook#\w+$/);
  },
);

describe('Data API requests', () => {
  test('that want their database do not count among all that fail', () => {
    const alarm = alarmOf('FailingRequests');
    const [all, failed] = ['Count', '5XXError'].map((wanted) =>
      metricsOf(alarm.watched, alarm.queries).find(({ name }) => name === wanted),
    );
    if (all === undefined || failed === undefined) throw new Error('not a share');
    const state = (failing: number, DatabaseUnavailable?: number) =>
      stateAfter(alarm, (store, atMs) => {
        store.record({ ...all, value: 100, atMs });
        store.record({ ...failed, value: failing, atMs });
        if (DatabaseUnavailable !== undefined) emitted({ DatabaseUnavailable })(store, atMs);
      });
    expect(state(3)).toBe('ALARM');
    expect(state(20, 18)).toBe('OK');
    expect(state(21, 18)).toBe('ALARM');
  });
});

test('balances of wide accounts that are not refreshed send a page, and so does a run without metrics', () => {
  const alarm = alarmOf('AccountBalancesOld');
  expect(alarm.description).toMatch(/^\[page\]/);
  const state = (...ages: readonly (number | undefined)[]) =>
    stateAfter(alarm, (store, atMs) => {
      const age = ages[(NOW - atMs) / MINUTE_MS];
      if (age !== undefined) emitted({ BalanceViewAge: age })(store, atMs);
    });
  expect(state(20, 20, 20)).toBe('OK');
  expect(state(21, 21, 21)).toBe('ALARM');
  // One late run is no matter.
  expect(state(21, 10, 21)).toBe('OK');
  expect(state(undefined, undefined, undefined)).toBe('ALARM');
  expect(state(10, undefined, undefined)).toBe('OK');
});

test('a notification is sent before the concurrency of the account is used up, whatever uses it', () => {
  const alarm = alarmOf('AccountConcurrency');
  expect(alarm).toMatchObject({ threshold: 90, sign: '>', evaluationPeriods: 3 });
  expect(metricsOf(alarm.watched, alarm.queries)).toEqual([
    { namespace: 'AWS/Lambda', name: 'ClaimedAccountConcurrency', dimensions: {} },
    { namespace: 'AWS/Lambda', name: 'ConcurrentExecutions', dimensions: {} },
  ]);
});

test('events of schedules that reach no function, and no queue, are told', () => {
  const alarm = alarmOf('ScheduleFails');
  const metrics = metricsOf(alarm.watched, alarm.queries);
  const rulesOf = (wanted: string) =>
    metrics
      .filter(({ name }) => name === wanted)
      .map(
        ({ dimensions }) =>
          /BooksSettlement|BooksAudit|AccountBalances|Snapshots/.exec(dimensions.RuleName ?? '')?.[0],
      );
  expect(rulesOf('FailedInvocations').sort()).toEqual([
    'AccountBalances',
    'BooksAudit',
    'BooksSettlement',
    'Snapshots',
  ]);
  expect(rulesOf('InvocationsFailedToBeSentToDlq').sort()).toEqual(['BooksAudit', 'BooksSettlement']);
  for (const metric of metrics) expect(stateAfter(alarm, valued(metric, 1))).toBe('ALARM');
  expect(stateAfter(alarm, () => {})).toBe('OK');
});

testAtLength(
  'calls of nodes beyond two for each call of a client are told by chain, where there are enough to tell',
  () => {
    const alarm = alarmOf('NodeCallsHigh', 'usual');
    expect(alarm.description).toMatch(/^\[ticket\]/);
    const state = (Calls: number, NodeCalls?: number, Chain = 'usual') =>
      stateAfter(
        alarmOf('NodeCallsHigh', Chain),
        emitted({ Calls, ...(NodeCalls !== undefined && { NodeCalls }) }, { Chain }),
      );
    expect(state(60, 121)).toBe('ALARM');
    expect(state(60, 120)).toBe('OK');
    expect(state(59, 1_000)).toBe('OK');
    expect(state(60)).toBe('OK');
    // Of a chain whose nodes must agree, each is asked.
    expect([240, 241].map((calls) => state(60, calls, 'daily'))).toEqual(['OK', 'ALARM']);
    // A busy chain does not hide a quiet one.
    const both = stateAfter(alarm, (store, atMs) => {
      emitted({ Calls: 9_000, NodeCalls: 9_000 }, { Chain: 'fast' })(store, atMs);
      emitted({ Calls: 60, NodeCalls: 121 }, { Chain: 'usual' })(store, atMs);
    });
    expect(both).toBe('ALARM');
  },
);
