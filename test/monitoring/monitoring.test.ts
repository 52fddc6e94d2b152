import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { METRIC_NAMESPACE, METRIC_UNITS, renderMetrics } from '../../lambdas/metrics.ts';
import { SynthesisedStage } from '../lib/synthesised-stage.ts';

const PROJECT = join(import.meta.dirname, '..', '..');
/** Metrics that no widget shows, and why. */
const NOT_SHOWN: Readonly<Record<string, string>> = {
  Latency: 'shown as its two parts, UpstreamLatency and AddedLatency',
};

let folder: string;
let production: SynthesisedStage;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'monitoring-'));
  production = new SynthesisedStage('example-production', join(folder, 'production'));
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true }));

/** Names of our metrics in a text of a template. */
function metricsIn(text: string): Set<string> {
  const inWidgets = text.matchAll(new RegExp(`"${METRIC_NAMESPACE}","(\\w+)"`, 'g'));
  return new Set(Array.from(inWidgets, ([, name]) => name ?? ''));
}

function dashboardText(): string {
  const [[, dashboard] = []] = production.resources('AWS::CloudWatch::Dashboard');
  return JSON.stringify(dashboard).replaceAll('\\"', '"');
}

interface AlarmProperties {
  readonly AlarmDescription: string;
  readonly Namespace?: string;
  readonly MetricName?: string;
}

const alarms = () =>
  production
    .resources('AWS::CloudWatch::Alarm')
    .map(([, { Properties }]) => Properties as unknown as AlarmProperties);

function sourcesBelow(path: string): string {
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && entry.name !== 'metrics.ts')
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
}

describe('metrics', () => {
  test('on the dashboard and in alarms are ones that functions emit', () => {
    const used = [...metricsIn(dashboardText())];
    const watched = alarms().flatMap(({ Namespace, MetricName }) =>
      Namespace === METRIC_NAMESPACE ? [MetricName ?? ''] : [],
    );
    expect(used.length).toBeGreaterThan(20);
    for (const name of [...used, ...watched]) expect(Object.keys(METRIC_UNITS)).toContain(name);
  });

  test('that functions emit are on the dashboard, or left out for a reason', () => {
    const used = metricsIn(dashboardText());
    const missing = Object.keys(METRIC_UNITS).filter((name) => !used.has(name));
    expect(missing).toEqual(Object.keys(NOT_SHOWN));
  });

  test('are all emitted somewhere', () => {
    const sources = sourcesBelow(join(PROJECT, 'lambdas'));
    for (const name of Object.keys(METRIC_UNITS)) expect(sources).toMatch(new RegExp(`\\b${name}(: | })`));
  });

  test('are counted for their chain and for all, and some by one thing more', () => {
    const line = {
      values: { Requests: 1, Calls: 2 },
      dimensions: { Chain: 'one' },
      breakdown: { by: { MethodClass: 'logs' }, values: { Calls: 2 } },
      fields: { requestId: 'r' },
    };
    const count = (name: string) => ({ Name: name, Unit: 'Count' });
    expect(JSON.parse(renderMetrics(line, 5))).toEqual({
      _aws: {
        Timestamp: 5,
        CloudWatchMetrics: [
          {
            Namespace: 'Gateway',
            Dimensions: [[], ['Chain']],
            Metrics: [count('Requests'), count('Calls')],
          },
          {
            Namespace: 'Gateway',
            Dimensions: [['MethodClass'], ['Chain', 'MethodClass']],
            Metrics: [count('Calls')],
          },
        ],
      },
      requestId: 'r',
      Chain: 'one',
      MethodClass: 'logs',
      Requests: 1,
      Calls: 2,
    });
  });

  test('of a breakdown alone count for nothing else', () => {
    const breakdown = { by: { Reason: 'rate_limited' }, values: { Errors: 3 } };
    expect(JSON.parse(renderMetrics({ breakdown }, 5))._aws.CloudWatchMetrics).toEqual([
      { Namespace: 'Gateway', Dimensions: [['Reason']], Metrics: [{ Name: 'Errors', Unit: 'Count' }] },
    ]);
  });
});

describe('alarms', () => {
  test('have a severity and a section of the runbook each, and the runbook no other', () => {
    const runbook = readFileSync(join(PROJECT, 'docs', 'runbook.md'), 'utf8');
    const sections = Array.from(runbook.matchAll(/^## (\w+)$/gm), ([, name]) => (name ?? '').toLowerCase());
    const named = alarms().map(({ AlarmDescription }) => {
      const match = /^\[(page|ticket)\] .+ docs\/runbook\.md#(\w+)$/.exec(AlarmDescription);
      if (match === null) throw new Error(`no severity or section: ${AlarmDescription}`);
      const [, severity, section = ''] = match;
      const text = runbook.toLowerCase().split(`## ${section}\n`)[1] ?? '';
      expect(text.trimStart().startsWith(`\`[${severity}]\``)).toBe(true);
      return section;
    });
    expect(named.sort()).toEqual(sections.sort());
  });

  test('are told to the topic, also when they end', () => {
    for (const [, { Properties }] of production.resources('AWS::CloudWatch::Alarm')) {
      expect(Properties).toMatchObject({ AlarmActions: [expect.anything()], OKActions: [expect.anything()] });
    }
  });
});

describe('the commands for operators', () => {
  const pages = ['runbook.md', 'deploy.md', 'security.md']
    .map((page) => readFileSync(join(PROJECT, 'docs', page), 'utf8'))
    .join('\n');
  const named = (command: string) =>
    new Set(
      Array.from(pages.matchAll(new RegExp(`\\$\\(${command} (\\w+)\\)`, 'g')), ([, name]) => name ?? ''),
    );

  test('name outputs that the stack has', () => {
    const outputs = Object.keys(production.template.findOutputs('*'));
    expect(named('output').size).toBeGreaterThan(3);
    for (const name of named('output')) expect(outputs).toContain(name);
  });

  test('name queues and secrets by what is the beginning of one logical id', () => {
    const ids = ['AWS::SQS::Queue', 'AWS::SecretsManager::Secret'].flatMap((type) =>
      production.resources(type).map(([id]) => id),
    );
    expect(named('resource').size).toBeGreaterThan(3);
    for (const name of named('resource'))
      expect(ids.filter((id) => id.startsWith(name)).map((id) => [name, id])).toHaveLength(1);
  });
});
