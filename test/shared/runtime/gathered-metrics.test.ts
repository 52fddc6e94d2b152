/** The metrics of a second are one line, with the same sums and samples. */
import fc from 'fast-check';
import { GatheredMetrics, requestTelemetry } from '../../../lambdas/shared/runtime/gathered-metrics.ts';
import { type MetricLine, type MetricValue, renderMetrics } from '../../../lambdas/shared/runtime/metrics.ts';
import { systemTelemetry } from '../../../lambdas/shared/runtime/telemetry.ts';
import { parseEmbeddedMetrics } from '../../../local/dashboard/embedded-metrics.ts';

const MAX_VALUES = 100;
const GATHER_MS = 1_000;

const NOW = 1_000;

/** A gatherer whose time passes by hand. */
function gatherer() {
  const emitted: { readonly line: MetricLine<MetricValue>; readonly nowMs: number }[] = [];
  const waits: (() => void)[] = [];
  const metrics = new GatheredMetrics({
    emit: (line, nowMs) => emitted.push({ line, nowMs }),
    after: (run, durationMs) => {
      expect(durationMs).toBe(GATHER_MS);
      waits.push(run);
    },
  });
  const pass = () => {
    for (const run of waits.splice(0)) run();
  };
  return { metrics, emitted, waits, pass };
}

function requestLine(latencyMs: number, { chain = 'one', account = 'acme' } = {}): MetricLine {
  return {
    values: { Requests: 1, Calls: 2, Latency: latencyMs },
    dimensions: { Chain: chain },
    breakdown: { by: { MethodClass: 'state' }, values: { Calls: 2, BilledComputeUnits: 20 } },
    run: {
      of: { Function: 'rpc', Version: '7' },
      values: { RunTime: latencyMs, ChargedComputeUnits: latencyMs === 0 ? 0 : 20 },
    },
    fields: { requestId: `r${latencyMs}`, status: 200, account },
  };
}

test('the lines of a second are one: counts are added up, of times and of what was paid each value is kept', () => {
  const { metrics, emitted, waits, pass } = gatherer();
  for (const latencyMs of [3, 0, 5]) metrics.add(requestLine(latencyMs), NOW);
  expect([emitted.length, waits.length]).toEqual([0, 1]);
  pass();
  expect(emitted).toEqual([
    {
      nowMs: NOW + GATHER_MS,
      line: {
        values: { Requests: 3, Calls: 6, Latency: [3, 0, 5] },
        dimensions: { Chain: 'one' },
        breakdown: { by: { MethodClass: 'state' }, values: { Calls: 6, BilledComputeUnits: 60 } },
        run: {
          of: { Function: 'rpc', Version: '7' },
          values: { RunTime: [3, 0, 5], ChargedComputeUnits: [20, 0, 20] },
        },
        fields: { account: 'acme' },
      },
    },
  ]);
  metrics.add(requestLine(1), NOW);
  expect(waits).toHaveLength(1);
});

test('a line has at most as many values of a metric as the format lets it, and one wait is enough', () => {
  const { metrics, emitted, waits, pass } = gatherer();
  for (let count = 0; count < 2 * MAX_VALUES + 1; count += 1) metrics.add(requestLine(count), NOW);
  expect(emitted.map(({ line }) => [line.values?.Latency].flat().length)).toEqual([MAX_VALUES, MAX_VALUES]);
  expect(waits).toHaveLength(1);
  pass();
  expect(emitted.at(-1)?.line.values?.Requests).toBe(1);
});

test('sums, numbers of samples and values are those of a line for each request', () => {
  const line = fc
    .record({
      latencyMs: fc.nat(9),
      chain: fc.constantFrom('one', 'two'),
      account: fc.constantFrom('a', 'b', 'c'),
    })
    .map(({ latencyMs, ...of }) => requestLine(latencyMs, of));
  const measured = (lines: readonly MetricLine<MetricValue>[]) => {
    const values = new Map<string, number[]>();
    for (const one of lines)
      for (const { name, dimensions, value } of parseEmbeddedMetrics(renderMetrics(one, NOW, 'N'))) {
        const key = `${name} ${JSON.stringify(dimensions)}`;
        values.set(key, [...(values.get(key) ?? []), value]);
      }
    return [...values]
      .map(([key, all]) => [
        key,
        all.reduce((sum, value) => sum + value, 0),
        /^(Latency|RunTime|Charged)/.test(key) ? all.sort((a, b) => a - b) : undefined,
      ])
      .sort((one, other) => String(one[0]).localeCompare(String(other[0])));
  };
  fc.assert(
    fc.property(fc.array(line, { maxLength: 250 }), (lines) => {
      const { metrics, emitted, pass } = gatherer();
      for (const one of lines) metrics.add(one, NOW);
      pass();
      expect(measured(emitted.map(({ line: gathered }) => gathered))).toEqual(measured(lines));
    }),
    { numRuns: 50 },
  );
});

test('a process with one request at a time writes each line at once', () => {
  expect(requestTelemetry(1)).toBe(systemTelemetry);
  expect(requestTelemetry(64).emit).not.toBe(systemTelemetry.emit);
});
