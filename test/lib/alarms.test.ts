import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { metricNamespace, renderMetrics } from '../../lambdas/metrics.ts';
import { stageFile } from '../../lib/synthesise.ts';
import { createAttributes } from '../../local/attributes.ts';
import { parseEmbeddedMetrics } from '../../local/dashboard/embedded-metrics.ts';
import { judgeAlarm } from '../../local/dashboard/judge-alarm.ts';
import { MetricStore } from '../../local/dashboard/metric-store.ts';
import { readAlarms } from '../../local/dashboard/read-alarms.ts';
import { createResolver } from '../../local/intrinsics.ts';
import { loadTemplate } from '../../local/template.ts';
import { SynthesisedStage } from './synthesised-stage.ts';

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

const folder = mkdtempSync(join(tmpdir(), 'alarms-'));
afterAll(() => rmSync(folder, { recursive: true }));

let alarms: ReturnType<typeof readAlarms>;
beforeAll(() => {
  const stage = JSON.parse(readFileSync(stageFile(STAGE), 'utf8'));
  const chains = Object.entries(LAGS).map(([chain, maxHeadLagSeconds], index) => ({
    ...{ chain, name: chain, chainId: index + 1, default: index === 0, maxHeadLagSeconds },
    upstreams: ['secret:gateway/one'],
  }));
  const file = join(folder, 'stage.json');
  writeFileSync(file, JSON.stringify({ ...stage, chains }));
  const template = loadTemplate(new SynthesisedStage(file, join(folder, 'stage')).folder);
  const parameters = Object.fromEntries(
    Object.keys(template.parameters).map((name) => [name, 'http://node']),
  );
  const attribute = createAttributes(template, 'http://127.0.0.1:1');
  alarms = readAlarms(template, createResolver(template, { parameters, attribute }));
}, 120_000);

/** State of IndexBehind of a chain whose index has told this, each minute, for longer than the alarm looks back. */
function stateOf(chain: string, values: { IndexerLagBlocks: number; IndexedHeadAge: number }): string {
  const store = new MetricStore({ now: () => NOW });
  for (let minute = 0; minute < MINUTES; minute += 1) {
    const line = { values, dimensions: { Chain: chain } };
    const rendered = renderMetrics(line, NOW - minute * MINUTE_MS, metricNamespace(STAGE));
    for (const measurement of parseEmbeddedMetrics(rendered)) store.record(measurement);
  }
  const alarm = alarms.find(({ description }) =>
    new RegExp(`\\] ${chain}: .*#indexbehind$`).test(description),
  );
  if (alarm === undefined) throw new Error(`no alarm of ${chain}`);
  return judgeAlarm(alarm, store, { nowMs: NOW, startedAtMs: NOW - MINUTES * MINUTE_MS }, 'OK').state;
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
