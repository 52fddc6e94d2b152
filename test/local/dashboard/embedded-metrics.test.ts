import fc from 'fast-check';
import { METRIC_UNITS, type MetricName, renderMetrics } from '../../../lambdas/shared/runtime/metrics.ts';
import { parseEmbeddedMetrics } from '../../../local/dashboard/embedded-metrics.ts';

const NAMES = Object.keys(METRIC_UNITS) as MetricName[];
const figures = fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 });

test('what a function emits is read for all, and for its chain', () => {
  const line = renderMetrics(
    { values: { Requests: 2, Calls: 5 }, dimensions: { Chain: 'one' } },
    1_000,
    'Gateway',
  );
  const shared = { namespace: 'Gateway', atMs: 1_000 };
  expect(parseEmbeddedMetrics(line)).toEqual([
    { ...shared, name: 'Requests', dimensions: {}, value: 2 },
    { ...shared, name: 'Calls', dimensions: {}, value: 5 },
    { ...shared, name: 'Calls', dimensions: { Chain: 'one' }, value: 5 },
  ]);
});

test('any values that a function emits are read as they were', () => {
  const values = fc.dictionary(fc.constantFrom(...NAMES), figures);
  fc.assert(
    fc.property(values, fc.nat(), (emitted, atMs) => {
      const read = parseEmbeddedMetrics(renderMetrics({ values: emitted }, atMs, 'Gateway'));
      const expected = JSON.parse(JSON.stringify(emitted));
      expect(Object.fromEntries(read.map(({ name, value }) => [name, value]))).toEqual(expected);
    }),
  );
});

test('other lines are none, whatever they hold', () => {
  const metric = {
    Timestamp: 1,
    CloudWatchMetrics: [{ Namespace: 'N', Dimensions: [[]], Metrics: [{ Name: 'A' }] }],
  };
  const lines = [
    'CloudWatchMetrics',
    '{"CloudWatchMetrics"',
    '"CloudWatchMetrics"',
    JSON.stringify({ _aws: { CloudWatchMetrics: {} } }),
    JSON.stringify({ _aws: { ...metric, Timestamp: 'now' }, A: 1 }),
    JSON.stringify({ _aws: metric, A: 'many' }),
    JSON.stringify({ _aws: metric }),
  ];
  for (const line of lines) expect(parseEmbeddedMetrics(line)).toEqual([]);
  fc.assert(
    fc.property(fc.json(), (text) => {
      const _aws = { Timestamp: 1, CloudWatchMetrics: JSON.parse(text) };
      parseEmbeddedMetrics(JSON.stringify({ _aws }));
    }),
  );
});

test('a line has at most a hundred metrics', () => {
  const names = Array.from({ length: 150 }, (_, index) => `M${index}`);
  const Metrics = names.map((Name) => ({ Name }));
  const _aws = { Timestamp: 1, CloudWatchMetrics: [{ Namespace: 'N', Dimensions: [[]], Metrics }] };
  const values = Object.fromEntries(names.map((name) => [name, 1]));
  expect(parseEmbeddedMetrics(JSON.stringify({ _aws, ...values }))).toHaveLength(100);
});
