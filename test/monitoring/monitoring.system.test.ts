import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import {
  CHAIN_METRICS,
  emitMetrics,
  METRIC_NAMESPACE_VARIABLE,
  METRIC_UNITS,
  type MetricName,
  metricNamespace,
  renderMetrics,
} from '../../lambdas/shared/runtime/metrics.ts';
import { SynthesisedStage } from '../lib/synthesised-stage.ts';
import { variedStage } from '../lib/varied-stages.ts';
import { testAtLength } from '../support/at-length-tests.ts';

const NAMESPACE = metricNamespace('example-production');
const PROJECT = join(import.meta.dirname, '..', '..');
const CHAINS = ['example_mainnet', 'example_testnet'];
const METRIC_LISTS = /^export const (?:METRIC_UNITS|CHAIN_METRICS)\b[^{]*\{[^}]*\}/gm;

let production: SynthesisedStage;

beforeAll(() => {
  production = new SynthesisedStage('example-production');
});

/** Names of our metrics in a text of a template. */
function metricsIn(text: string, namespace = NAMESPACE): Set<string> {
  const inWidgets = text.matchAll(new RegExp(`"${namespace}","(\\w+)"`, 'g'));
  return new Set(Array.from(inWidgets, ([, name]) => name ?? ''));
}

function dashboardText(stage = production): string {
  const [[, dashboard] = []] = stage.resources('AWS::CloudWatch::Dashboard');
  return JSON.stringify(dashboard).replaceAll('\\"', '"');
}

interface AlarmProperties {
  readonly AlarmDescription: string;
  readonly Namespace?: string;
  readonly MetricName?: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: string }[];
  readonly Metrics?: readonly { readonly MetricStat?: { readonly Metric: AlarmMetric } }[];
}

type AlarmMetric = Pick<AlarmProperties, 'Namespace' | 'MetricName' | 'Dimensions'>;

/** Namespace, name and chain of each metric that an alarm looks at. */
function metricsOfAlarm(alarm: AlarmProperties): (readonly [string, string, string])[] {
  const metrics = alarm.Metrics?.flatMap(({ MetricStat }) => MetricStat?.Metric ?? []) ?? [alarm];
  return metrics.map(({ Namespace = '', MetricName = '', Dimensions = [] }) => {
    const chain = Dimensions.find(({ Name }) => Name === 'Chain')?.Value ?? '';
    return [Namespace, MetricName, chain] as const;
  });
}

const alarms = (stage = production) =>
  stage
    .resources('AWS::CloudWatch::Alarm')
    .map(([, { Properties }]) => Properties as unknown as AlarmProperties);

function sourcesBelow(path: string): string {
  return (
    readdirSync(path, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      // The lists of metrics emit none.
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8').replace(METRIC_LISTS, ''))
      .join('\n')
  );
}

describe('metrics', () => {
  test('on the dashboard and in alarms are ones that functions emit', () => {
    const used = [...metricsIn(dashboardText())];
    const watched = alarms()
      .flatMap(metricsOfAlarm)
      .flatMap(([namespace, name]) => (namespace === NAMESPACE ? [name] : []));
    expect(watched).toContain('UnansweredCalls');
    expect(used.length).toBeGreaterThan(20);
    for (const name of [...used, ...watched]) expect(Object.keys(METRIC_UNITS)).toContain(name);
  });

  test('that functions emit are all on the dashboard', () => {
    const used = metricsIn(dashboardText());
    const missing = Object.keys(METRIC_UNITS).filter((name) => !used.has(name));
    expect(missing).toEqual([]);
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
    const count = (name: string) => ({ Name: name });
    expect(JSON.parse(renderMetrics(line, 5, 'Gateway/one'))).toEqual({
      _aws: {
        Timestamp: 5,
        CloudWatchMetrics: [
          {
            Namespace: 'Gateway/one',
            Dimensions: [[]],
            Metrics: [count('Requests')],
          },
          {
            Namespace: 'Gateway/one',
            Dimensions: [[], ['Chain']],
            Metrics: [count('Calls')],
          },
          {
            Namespace: 'Gateway/one',
            Dimensions: [['MethodClass']],
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

  test('are counted by chain where the dashboard or an alarm looks at them by chain, and by chain alone where nothing else', () => {
    const looked = [...dashboardText().matchAll(new RegExp(`"${NAMESPACE}","(\\w+)"(,"Chain",)?`, 'g'))].map(
      ([, name = '', chain]) => [name, chain === undefined ? '' : 'Chain'] as const,
    );
    const watched = alarms().flatMap((alarm) =>
      metricsOfAlarm(alarm).flatMap(([namespace, name, chain]) =>
        namespace === NAMESPACE ? [[name, chain === '' ? '' : 'Chain'] as const] : [],
      ),
    );
    const summed = [
      ...production.text.matchAll(/SELECT SUM\((\w+)\) FROM SCHEMA\(\\"[^"]+\\", \\"Chain\\"\)/g),
    ].map(([, name = '']) => [name, 'Chain'] as const);
    const all = [...looked, ...watched, ...summed];
    const named = (by: '' | 'Chain') => new Set(all.flatMap(([name, of]) => (of === by ? [name] : [])));
    const [ofChain, ofAll] = [named('Chain'), named('')];
    expect(Object.keys(CHAIN_METRICS).sort()).toEqual([...ofChain].sort());
    const alone = Object.keys(CHAIN_METRICS).filter((name) => CHAIN_METRICS[name as MetricName] === 'alone');
    expect(alone.sort()).toEqual([...ofChain].filter((name) => !ofAll.has(name)).sort());
  });

  test('of own time are counted for the class of a request, and for the version that took it', () => {
    const line = {
      values: { Latency: 30, AddedLatency: 10 },
      breakdown: { by: { MethodClass: 'logs' }, values: { Calls: 2 } },
      run: { of: { Function: 'rpc', Version: '7' }, values: { RunTime: 31 } },
    };
    const { _aws, ...figures } = JSON.parse(renderMetrics(line, 5, 'Gateway/one'));
    expect(_aws.CloudWatchMetrics.at(-1)).toEqual({
      Namespace: 'Gateway/one',
      Dimensions: [['MethodClass'], ['Function', 'Version', 'MethodClass']],
      Metrics: [{ Name: 'AddedLatency' }],
    });
    expect(figures).toMatchObject({ Function: 'rpc', Version: '7', MethodClass: 'logs', AddedLatency: 10 });
    const { breakdown: _, ...mixed } = line;
    expect(renderMetrics(mixed, 5, 'Gateway/one')).not.toContain('MethodClass');
  });

  test('of a breakdown alone count for nothing else', () => {
    const breakdown = { by: { Reason: 'rate_limited' }, values: { Errors: 3 } };
    expect(JSON.parse(renderMetrics({ breakdown }, 5, 'Gateway/one'))._aws.CloudWatchMetrics).toEqual([
      { Namespace: 'Gateway/one', Dimensions: [['Reason']], Metrics: [{ Name: 'Errors' }] },
    ]);
  });
});

describe('two stages of one account', () => {
  const local = new SynthesisedStage('local');
  const ours = (stage: SynthesisedStage) =>
    new Set(Array.from(stage.text.matchAll(/Gateway\/[a-z0-9-]+/g), ([namespace]) => namespace));

  test('have no metric in common', () => {
    expect([...ours(local)]).toEqual([metricNamespace('local')]);
    expect([...ours(production)]).toEqual([NAMESPACE]);
    for (const stage of [local, production])
      expect(stage.text).not.toMatch(/Namespace": "Gateway"|\\"Gateway\\"/);
  });

  test('have functions each of which emits in the namespace that its stage watches', () => {
    for (const [stage, namespace] of [
      [local, metricNamespace('local')],
      [production, NAMESPACE],
    ] as const)
      for (const [, { Properties }] of stage.resources('AWS::Lambda::Function'))
        expect(Properties.Environment).toMatchObject({ Variables: { METRIC_NAMESPACE: namespace } });
  });

  test('emit where the stack says', () => {
    const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    process.env[METRIC_NAMESPACE_VARIABLE] = NAMESPACE;
    emitMetrics({ values: { Requests: 1 } }, 5);
    delete process.env[METRIC_NAMESPACE_VARIABLE];
    const [line] = write.mock.calls.map(([text]) => String(text));
    write.mockRestore();
    expect(JSON.parse(line ?? '')._aws.CloudWatchMetrics[0].Namespace).toBe(NAMESPACE);
  });
});

describe('alarms', () => {
  testAtLength('have a severity and a section of the runbook each, and the runbook no other', () => {
    const runbook = readFileSync(join(PROJECT, 'docs', 'runbook.md'), 'utf8');
    const sections = Array.from(runbook.matchAll(/^## (\w+)$/gm), ([, name]) => (name ?? '').toLowerCase());
    const composites = production.resources('AWS::CloudWatch::CompositeAlarm');
    const descriptions = [
      ...alarms().map(({ AlarmDescription }) => AlarmDescription),
      // Of a stage with a probe.
      ...alarms(variedStage('most'))
        .filter(({ AlarmDescription }) => AlarmDescription.endsWith('#probefailing'))
        .map(({ AlarmDescription }) => AlarmDescription),
      // Of a stage with a function on instances.
      ...alarms(variedStage('most'))
        .filter(({ AlarmDescription }) => AlarmDescription.endsWith('#environmentsbusy'))
        .map(({ AlarmDescription }) => AlarmDescription),
      ...composites
        .filter(([, { Properties }]) => Properties.AlarmActions !== undefined)
        .map(([, { Properties }]) => String(Properties.AlarmDescription)),
    ];
    const named = descriptions.map((AlarmDescription) => {
      const match = /^\[(page|ticket)\] .+ (?:docs\/runbook\.md|https:\S+\/runbook)#(\w+)$/.exec(
        AlarmDescription,
      );
      if (match === null) throw new Error(`no severity or section: ${AlarmDescription}`);
      const [, severity, section = ''] = match;
      const text = runbook.toLowerCase().split(`## ${section}\n`)[1] ?? '';
      expect([section, text.trimStart().split(' ', 1)[0]]).toEqual([section, `\`[${severity}]\``]);
      return section;
    });
    expect([...new Set(named)].sort()).toEqual(sections.sort());
  });

  test.each(['IndexHalted', 'ChainBehind', 'NodesDown', 'NodeCallsHigh'])(
    '%s is an alarm for each chain',
    (name) => {
      const ofChains = alarms().filter(({ AlarmDescription }) =>
        AlarmDescription.endsWith(`#${name.toLowerCase()}`),
      );
      const chains = ofChains.map((alarm) => [...new Set(metricsOfAlarm(alarm).map(([, , chain]) => chain))]);
      expect(chains.sort()).toEqual(CHAINS.map((chain) => [chain]));
      for (const [index, { AlarmDescription }] of ofChains.entries())
        expect(AlarmDescription).toContain(`] ${chains[index]}: `);
    },
  );

  test('notify the topic once when they begin and once when they end, by themselves or by a composite alarm', () => {
    const told = { AlarmActions: [expect.anything()], OKActions: [expect.anything()] };
    const composites = production.resources('AWS::CloudWatch::CompositeAlarm');
    const partsOf = (some: typeof composites) =>
      some.flatMap(([, { Properties }]) =>
        Array.from(
          JSON.stringify(Properties.AlarmRule).matchAll(/"(Alarms\w+|Chains\w+)"/g),
          ([, id]) => id ?? '',
        ),
      );
    const telling = composites.filter(([, { Properties }]) => Properties.AlarmActions !== undefined);
    // A beginning is a part of what waits for it, and of the page if it does not come.
    const isFirst = (id: string) => id.startsWith('AlarmsNotBegun');
    const parts = partsOf(telling).filter((id) => !isFirst(id));
    for (const [, { Properties }] of telling) expect(Properties).toMatchObject(told);
    for (const [id, { Properties }] of production.resources('AWS::CloudWatch::Alarm')) {
      if (parts.includes(id) || isFirst(id)) expect([id, Properties.AlarmActions]).toEqual([id, undefined]);
      else expect([id, Properties]).toEqual([id, expect.objectContaining(told)]);
    }
    expect(new Set(parts).size).toBe(parts.length);
    expect(parts.length).toBeGreaterThan(10);
    // Alarms without an action only suppress others.
    const suppressors = JSON.stringify(composites.map(([, { Properties }]) => Properties.ActionsSuppressor));
    for (const [id] of composites.filter((one) => !telling.includes(one))) expect(suppressors).toContain(id);
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

  test('name queues and secrets by a prefix that only one logical id has', () => {
    const ids = ['AWS::SQS::Queue', 'AWS::SecretsManager::Secret'].flatMap((type) =>
      production.resources(type).map(([id]) => id),
    );
    expect(named('resource').size).toBeGreaterThan(3);
    for (const name of named('resource'))
      expect(ids.filter((id) => id.startsWith(name)).map((id) => [name, id])).toHaveLength(1);
  });
});
