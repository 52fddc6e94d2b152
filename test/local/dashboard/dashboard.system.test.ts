import { metricNamespace, renderMetrics } from '../../../lambdas/shared/runtime/metrics.ts';
import { createDashboard } from '../../../local/dashboard/dashboard.ts';
import { parseEmbeddedMetrics } from '../../../local/dashboard/embedded-metrics.ts';
import { MetricStore } from '../../../local/dashboard/metric-store.ts';
import type { WidgetView } from '../../../local/dashboard/view.ts';
import { createAttributes } from '../../../local/template/attributes.ts';
import { createResolver } from '../../../local/template/intrinsics.ts';
import { loadTemplate } from '../../../local/template/load-template.ts';
import { resourcesOfType, type Template } from '../../../local/template/template.ts';
import { STAGES, synthesisedOnce } from '../../support/synthesised-once.ts';
import { loadAssembly } from '../assembly.ts';

type MetricsView = Extract<WidgetView, { kind: 'metrics' }>;

const NOW = 1_800_001_800_000;
function open(template: Template, resolve = resolverOf(template), startMs = NOW) {
  const clock = { atMs: startMs, now: () => clock.atMs };
  const store = new MetricStore(clock);
  const dashboard = createDashboard({
    chains: [],
    stage: 'test',
    template,
    resolve,
    queues: new Map(),
    store,
    clock,
  });
  const emit = (line: string) => {
    for (const measurement of parseEmbeddedMetrics(line)) store.record(measurement);
  };
  return { clock, dashboard, emit };
}

function resolverOf(template: Template) {
  const parameters = Object.fromEntries(
    Object.keys(template.parameters).map((name) => [name, 'http://node']),
  );
  return createResolver(template, {
    parameters,
    attribute: createAttributes(template, 'http://127.0.0.1:1'),
  });
}

function stackOf(stage: string): Template {
  return loadTemplate(synthesisedOnce(stage).folder);
}

/** ARNs of the alarms that the widgets of a dashboard show. */
function alarmsOnDashboard(template: Template): string[] {
  const [dashboard] = resourcesOfType(template, 'AWS::CloudWatch::Dashboard');
  const body = JSON.parse(String(resolverOf(template)(dashboard?.properties.DashboardBody)));
  return body.widgets.flatMap(
    ({ properties }: { properties: { alarms?: string[] } }) => properties.alarms ?? [],
  );
}

/** A dashboard of one widget, in a run that began at a time. */
function widgetOf(properties: object, startMs = NOW) {
  const body = { widgets: [{ type: 'metric', x: 0, y: 0, width: 6, height: 6, properties }] };
  const { template, resolver } = loadAssembly({
    D: {
      Type: 'AWS::CloudWatch::Dashboard',
      Properties: { DashboardName: 'one', DashboardBody: JSON.stringify(body) },
    },
  });
  return open(template, resolver, startMs);
}

function metricsViews(widgets: readonly WidgetView[]): MetricsView[] {
  return widgets.filter((widget) => widget.kind === 'metrics');
}

function firstWidget({ dashboard }: ReturnType<typeof widgetOf>): MetricsView {
  const [widget] = metricsViews(dashboard.view(600).widgets);
  if (widget === undefined) throw new Error('no widget is drawn');
  return widget;
}

const CRASHES = ['rpc', 'data', 'status', 'mcp'].map((name) => `ReleaseStopped ${name}-Crashes`);

const DATABASE = ['DatabaseBusy', 'DatabaseConnections', 'TransactionsOld'];

/** Alarms on a part of the account's concurrency, on a certificate, on AWS's own databases and copies, and on a version. */
const ONLY_ON_AWS: Readonly<Record<string, readonly string[]>> = {
  local: ['AccountConcurrency', 'StoreErrors', ...DATABASE],
  'example-instances': [
    'AccountConcurrency',
    ...['rpc', 'mcp'].map((name) => `EnvironmentsBusy ${name}`),
    'StoreErrors',
    ...CRASHES,
  ],
  'example-production': [
    'AccountConcurrency',
    'InstancesBusy',
    'CertificateExpires',
    'StoreErrors',
    ...DATABASE,
    'BackupMissing',
    ...CRASHES,
  ],
};

/** What of the room there is: of its database, or of environments on instances. */
const OF_DATABASE = ['AWS/RDS ServerlessDatabaseCapacity', 'AWS/RDS DatabaseConnections'];
const ROOM_ONLY_ON_AWS: Readonly<Record<string, readonly string[]>> = {
  local: OF_DATABASE,
  'example-instances': [
    'AWS/Lambda ExecutionEnvironmentConcurrency',
    'AWS/Lambda ExecutionEnvironmentCPUUtilization',
  ],
  'example-production': OF_DATABASE,
};

// A stage of another extent has few alarms.
describe.each(STAGES.filter((stage) => stage in ONLY_ON_AWS))('the stack of stage %s', (stage) => {
  let opened: ReturnType<typeof open>;
  beforeAll(() => {
    opened = open(stackOf(stage));
  });

  test('has one dashboard, all of which a local run understands', () => {
    const all = opened.dashboard.view(600).widgets;
    const widgets = metricsViews(all);
    expect(widgets.length).toBeGreaterThan(15);
    const series = widgets.flatMap((widget) => widget.series);
    expect(series.filter(({ availability }) => availability === 'faulty')).toEqual([]);
    const unavailable = series.filter(({ availability }) => availability === 'unavailable');
    expect([...new Set(unavailable.map(({ reason }) => reason))]).toEqual([
      'AWS/DynamoDB ConsumedWriteCapacityUnits',
      'AWS/WAFV2 BlockedRequests',
      'AWS/Lambda ConcurrentExecutions',
      ...(ROOM_ONLY_ON_AWS[stage] ?? []),
      'AWS/Logs IncomingBytes',
    ]);
    expect(all.filter(({ kind }) => kind === 'logs')).toHaveLength(3);
  });

  test('has alarms, each on the dashboard; a local run judges all but those on what only AWS has', () => {
    opened.dashboard.tick();
    const { alarms } = opened.dashboard.view(600);
    expect(alarms.length).toBeGreaterThan(10);
    const unjudged = alarms.filter(({ state }) => state === 'NOT_AVAILABLE');
    expect(unjudged.map(({ name }) => name)).toEqual(ONLY_ON_AWS[stage]);
    const telling = alarms.filter(({ tells }) => tells);
    expect(alarmsOnDashboard(stackOf(stage)).sort()).toEqual(telling.map(({ arn }) => arn).sort());
    expect(telling.map(({ name }) => name)).toContain('UnchargedAnswers');
    const told = ['ChainBehind', 'ChainBehindTold'].map(
      (section) => alarms.find(({ name }) => name === `${section} example_mainnet`)?.tells,
    );
    expect(told).toEqual(stage === 'example-instances' ? [undefined, undefined] : [false, true]);
  });

  test('shows what functions emit', () => {
    const { clock, emit, dashboard } = opened;
    const request = (Chain: string) => ({ values: { Requests: 1 }, dimensions: { Chain } });
    const emitIn = (namespace: string, chain: string) =>
      emit(renderMetrics(request(chain), clock.now(), namespace));
    emitIn(metricNamespace(stage), 'one');
    emitIn(metricNamespace(stage), 'other');
    emitIn(metricNamespace('another-stage'), 'one');
    const widgets = metricsViews(dashboard.view(600).widgets);
    const requests = widgets.find(({ title }) => title === 'Requests');
    expect(requests?.series[0]?.values.at(-1)).toBe(2);
    expect(requests?.series[0]?.values.at(-2)).toBeNull();
  });
});

describe('a widget', () => {
  const emitted = (world: ReturnType<typeof widgetOf>, requests: number, secondsAgo = 0) =>
    world.emit(
      renderMetrics(
        { values: { Requests: requests, Calls: 3 } },
        world.clock.now() - secondsAgo * 1_000,
        'Gateway',
      ),
    );

  test('with a function or a statistic that is not known shows the error', () => {
    const metrics = [
      [{ expression: 'RATE(r)', label: 'rate' }],
      [{ expression: 'r + other', label: 'sum' }],
      ['Gateway', 'Requests', { id: 'r', stat: 'wm90', label: 'mean' }],
    ];
    const { series } = firstWidget(widgetOf({ view: 'timeSeries', metrics }));
    expect(series.map(({ availability, reason }) => [availability, reason])).toEqual([
      ['faulty', 'RATE(r): function RATE is not supported by a local run'],
      ['faulty', 'other is not a metric beside the expression'],
      ['faulty', 'statistic wm90 is not supported by a local run'],
    ]);
  });

  test('draws metric math, not what it is made of', () => {
    const world = widgetOf({
      view: 'timeSeries',
      stat: 'Sum',
      metrics: [
        [{ expression: 'c / r', label: 'calls of a request' }],
        ['Gateway', 'Requests', { id: 'r', visible: false }],
        ['Gateway', 'Calls', { id: 'c', visible: false }],
      ],
    });
    emitted(world, 2);
    const { series } = firstWidget(world);
    expect(series.map(({ label, values }) => [label, values.at(-1)])).toEqual([['calls of a request', 1.5]]);
  });

  test('draws an hour as an hour, and shorter periods as the range needs them', () => {
    const metric = (period: number) => ['Gateway', 'Requests', { stat: 'Sum', period, label: `${period}` }];
    const world = widgetOf({ view: 'timeSeries', metrics: [metric(60), metric(3_600)] });
    emitted(world, 2, 30);
    emitted(world, 5);
    const [minute, hour] = firstWidget(world).series;
    expect([minute?.periodSeconds, hour?.periodSeconds]).toEqual([10, 3_600]);
    expect(minute?.values.filter((value) => value !== null)).toEqual([2, 5]);
    expect(hour?.values.at(-1)).toBe(7);
  });

  test('shows what a young run had before its newest period', () => {
    const metrics = [['Gateway', 'Requests', { stat: 'Sum' }]];
    const world = widgetOf({ view: 'timeSeries', metrics }, NOW + 290_000);
    emitted(world, 4);
    world.clock.atMs += 20_000;
    const [widget] = metricsViews(world.dashboard.view(10_800).widgets);
    expect(widget?.series[0]?.values).toEqual([4, null]);
  });

  test('of a single value shows the latest, however long ago', () => {
    const metrics = [['Gateway', 'Requests', { stat: 'Maximum', period: 3_600 }]];
    const world = widgetOf({ view: 'singleValue', metrics });
    emitted(world, 4);
    world.clock.atMs += 90 * 60_000;
    expect(firstWidget(world).series[0]?.values.findLast((value) => value !== null)).toBe(4);
  });

  test('of a single value takes the whole of a short period, whatever the range', () => {
    const metrics = [['Gateway', 'Requests', { stat: 'Sum', period: 300 }]];
    const world = widgetOf({ view: 'singleValue', metrics });
    emitted(world, 4);
    world.clock.atMs += 200_000;
    emitted(world, 3);
    const { series } = firstWidget(world);
    expect(series[0]).toMatchObject({ periodSeconds: 300 });
    expect(series[0]?.values.at(-1)).toBe(7);
  });

  test('draws a limit as a level line beside what is used of it, not alone', () => {
    const annotations = { horizontal: [{ label: 'the most', value: 8, yAxis: 'left' }] };
    const of = (...metric: string[]) =>
      firstWidget(widgetOf({ view: 'timeSeries', metrics: [metric], annotations }));
    const { series, times } = of('Gateway', 'Requests');
    expect(series.map(({ label }) => label)).toEqual(['Requests', 'the most']);
    expect(series[1]?.values).toEqual(times.map(() => 8));
    expect(of('AWS/RDS', 'DatabaseConnections').series).toHaveLength(1);
  });

  test.each([
    [{ view: 'pie', metrics: [] }, 'view pie'],
    [{ view: 'timeSeries', metrics: [], annotations: {} }, 'annotations that are not horizontal'],
    [{ view: 'timeSeries', metrics: [['Gateway', 'Requests', { color: '#fff' }]] }, 'metric.color'],
    [{ view: 'timeSeries', metrics: [['.', 'Requests']] }, '"." in a metric'],
  ])('that it cannot draw is refused by name: %j', (properties, message) => {
    expect(() => widgetOf(properties)).toThrow(
      `D (AWS::CloudWatch::Dashboard): ${message} is not supported by a local run`,
    );
  });
});
