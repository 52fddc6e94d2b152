import { readFileSync } from 'node:fs';
import { METRIC_UNITS } from '../../lambdas/shared/runtime/metrics.ts';
import { MAX_SECRET_ARNS, SECRET_ARN_FRAME } from '../../lib/config/contradictions.ts';
import { MAX_CHAINS } from '../../lib/config/stage-config.ts';
import { stageFile } from '../../lib/config/stage-files.ts';
import { type SynthesisedStage, stagesOf } from './synthesised-stage.ts';

/** Quotas that no support case raises: of CloudFormation, IAM (characters without white space), SQS and Lambda. */
const MAX_RESOURCES = 500;
const SPARE_RESOURCES = 50;
const MAX_PARAMETERS = 200;
const MAX_OUTPUTS = 200;
const MAX_TEMPLATE_BYTES = 1_000_000;
const MAX_ROLE_POLICY = 10_240;
const MAX_MANAGED_POLICY = 6_144;
const MAX_MANAGED_POLICIES = 10;
const MAX_QUEUE_STATEMENTS = 20;
const MAX_QUEUE_CONDITIONS = 10;
const MAX_QUEUE_POLICY = 8_192;
const MAX_PERMISSIONS_OF_FUNCTION = 20_480 / 512;
const MAX_TARGETS_OF_RULE = 5;
/** Of a dashboard of CloudWatch: bytes of its body, widgets, metrics of one widget and of all, and alarms of one. */
const MAX_DASHBOARD_BYTES = 1_000_000;
const MAX_WIDGETS = 500;
const MAX_METRICS_OF_WIDGET = 500;
const MAX_METRICS_OF_DASHBOARD = 2_500;
const MAX_ALARMS_OF_WIDGET = 100;
/** Shortest that so many secrets can have, and longest that a stage file takes. */
const SHORT = 3;
const LONG = 512;
const CHAIN_LENGTH = 63;
const MAX_UPSTREAMS = 16;
/** Longest that stands for a reference: the ARN of a rule, a queue or a log group with a generated name. */
const RESOLVED = `arn:aws:logs:ap-southeast-1:111122223333:log-group:${'n'.repeat(64)}`;

/** A stage with everything, as many chains and as many secrets as it may have, all named at length. */
function largest(indexed: boolean, secretLength: number): object {
  const production = JSON.parse(readFileSync(stageFile('example-production'), 'utf8'));
  const length = Math.floor(MAX_SECRET_ARNS / (secretLength + SECRET_ARN_FRAME));
  const secrets = Array.from({ length }, (_, index) => `secret:${`${index}`.padEnd(secretLength, 's')}`);
  return {
    ...production,
    stage: 's'.repeat(32),
    chains: Array.from({ length: MAX_CHAINS }, (_, index) => ({
      chain: `c${index}_`.padEnd(CHAIN_LENGTH, 'c'),
      name: `Chain ${index}`,
      chainId: index + 1,
      default: index === 0,
      upstreams: upstreamsOf(index, secrets),
    })),
    indexing: { enabled: indexed },
    site: { enabled: true, domain: { ...production.domain, name: `docs.${production.domain.name}` } },
  };
}

/** The first chains have as many as they may, the others one. */
function upstreamsOf(chain: number, secrets: readonly string[]): readonly string[] {
  const own = secrets.slice(chain * MAX_UPSTREAMS, (chain + 1) * MAX_UPSTREAMS);
  return own.length > 0 ? own : secrets.slice(0, 1);
}

/** Characters of a policy as it is deployed. */
function lengthOf(policy: unknown): number {
  const text = JSON.stringify(policy, (_key, value) => {
    if (typeof value !== 'object' || value === null) return value;
    if ('Ref' in value) return String(value.Ref).startsWith('AWS::') ? '111122223333' : RESOLVED;
    if ('Fn::GetAtt' in value) return RESOLVED;
    return value;
  });
  return text.replace(/\{"Fn::Join":\["",(\[.*?\])\]\}/g, (_join, parts) =>
    JSON.stringify((JSON.parse(parts) as string[]).join('')),
  ).length;
}

/** A text of a template as it is deployed. */
function resolvedText(value: unknown): string {
  const { 'Fn::Join': [, parts] = ['', []] } = value as {
    'Fn::Join'?: readonly [string, readonly unknown[]];
  };
  return parts.map((part) => (typeof part === 'string' ? part : RESOLVED)).join('');
}

/** Names of metrics that are times. */
const TIMES = new RegExp(
  `\\b(?:${Object.entries(METRIC_UNITS)
    .flatMap(([metric, unit]) => (unit === 'Count' ? [] : [metric]))
    .concat('Latency', 'Duration', 'ApproximateAgeOfOldestMessage')
    .join('|')})\\b`,
);
/** What a graph only reckons with, or counts. */
const HIDDEN = /"visible":false|SampleCount/;

interface DashboardWidget {
  readonly properties: {
    readonly title?: string;
    readonly metrics?: readonly (readonly unknown[])[];
    readonly alarms?: readonly unknown[];
  };
}

interface Policy {
  readonly Statement: readonly {
    readonly Condition?: Readonly<Record<string, object>>;
    readonly Resource: unknown;
  }[];
}

interface Target {
  readonly Input?: string;
  readonly DeadLetterConfig?: { readonly Arn: unknown };
}

let stages: Readonly<
  Record<'indexed, many secrets' | 'indexed, long secrets' | 'not indexed', SynthesisedStage>
>;
beforeAll(() => {
  stages = stagesOf({
    'indexed, many secrets': largest(true, SHORT),
    'indexed, long secrets': largest(true, LONG),
    'not indexed': largest(false, SHORT),
  });
});

describe.each(['indexed, many secrets', 'indexed, long secrets', 'not indexed'] as const)(
  'a stage with as many chains as it may have: %s',
  (name) => {
    const indexed = name !== 'not indexed';
    let stage: SynthesisedStage;
    beforeAll(() => {
      stage = stages[name];
    });

    test('is made of stacks that CloudFormation takes, with room for what is to come', () => {
      // The stage, its alarms, and each chain.
      expect(stage.deployed.size).toBe(2 + MAX_CHAINS);
      for (const text of stage.deployed.values()) {
        const { Resources, Parameters = {}, Outputs = {} } = JSON.parse(text);
        expect(Object.keys(Resources).length).toBeLessThanOrEqual(MAX_RESOURCES - SPARE_RESOURCES);
        expect(Object.keys(Parameters).length).toBeLessThanOrEqual(MAX_PARAMETERS);
        expect(Object.keys(Outputs).length).toBeLessThanOrEqual(MAX_OUTPUTS);
        expect(Buffer.byteLength(JSON.stringify(JSON.parse(text)))).toBeLessThan(MAX_TEMPLATE_BYTES);
      }
    });

    test('has a dashboard that CloudWatch takes', () => {
      const [dashboard] = stage.resources('AWS::CloudWatch::Dashboard');
      const body = resolvedText(dashboard?.[1].Properties.DashboardBody);
      expect(Buffer.byteLength(body)).toBeLessThan(MAX_DASHBOARD_BYTES);
      const { widgets } = JSON.parse(body) as { readonly widgets: readonly DashboardWidget[] };
      expect(widgets.length).toBeGreaterThan(30);
      expect(widgets.length).toBeLessThanOrEqual(MAX_WIDGETS);
      const metrics = widgets.map(({ properties }) => properties.metrics?.length ?? 0);
      expect(Math.max(...metrics)).toBeLessThanOrEqual(MAX_METRICS_OF_WIDGET);
      expect(metrics.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(MAX_METRICS_OF_DASHBOARD);
      for (const { properties } of widgets)
        expect(properties.alarms?.length ?? 0).toBeLessThanOrEqual(MAX_ALARMS_OF_WIDGET);
    });

    test('has the unit in the title of each graph of times', () => {
      const [dashboard] = stage.resources('AWS::CloudWatch::Dashboard');
      const { widgets } = JSON.parse(resolvedText(dashboard?.[1].Properties.DashboardBody)) as {
        readonly widgets: readonly DashboardWidget[];
      };
      const timed = widgets.flatMap(({ properties: { title = '', metrics = [] } }) =>
        metrics.some((metric) => TIMES.test(JSON.stringify(metric)) && !HIDDEN.test(JSON.stringify(metric)))
          ? [title]
          : [],
      );
      expect(timed.length).toBeGreaterThan(5);
      expect(timed.filter((title) => !/, (?:ms|seconds)$/.test(title))).toEqual([]);
    });

    test('has roles whose policies are no longer, and no more, than IAM takes', () => {
      for (const [, { Properties }] of stage.resources('AWS::IAM::Policy')) {
        expect(lengthOf(Properties.PolicyDocument)).toBeLessThanOrEqual(MAX_ROLE_POLICY);
      }
      const perRole = new Map<string, number>();
      for (const [, { Properties }] of stage.resources('AWS::IAM::ManagedPolicy')) {
        expect(lengthOf(Properties.PolicyDocument)).toBeLessThanOrEqual(MAX_MANAGED_POLICY);
        const role = JSON.stringify(Properties.Roles);
        perRole.set(role, (perRole.get(role) ?? 0) + 1);
      }
      expect(Math.max(0, ...perRole.values())).toBeLessThanOrEqual(MAX_MANAGED_POLICIES);
    });

    test('has queues whose policies SQS takes', () => {
      for (const [, { Properties }] of stage.resources('AWS::SQS::QueuePolicy')) {
        const { Statement } = Properties.PolicyDocument as Policy;
        const conditions = Statement.flatMap(({ Condition = {} }) =>
          Object.values(Condition).flatMap(Object.keys),
        );
        expect(Statement.length).toBeLessThanOrEqual(MAX_QUEUE_STATEMENTS);
        expect(conditions.length).toBeLessThanOrEqual(MAX_QUEUE_CONDITIONS);
        expect(lengthOf(Properties.PolicyDocument)).toBeLessThanOrEqual(MAX_QUEUE_POLICY);
      }
    });

    test('has queues that take the events of all rules that leave theirs there, and of no others', () => {
      const takers = stage.resources('AWS::SQS::QueuePolicy').flatMap(([, { Properties }]) => {
        const { Statement } = Properties.PolicyDocument as Policy;
        return Statement.flatMap(({ Condition, Resource }) => {
          const rules = (Condition?.ArnEquals as { 'aws:SourceArn'?: unknown } | undefined)?.[
            'aws:SourceArn'
          ];
          return rules === undefined ? [] : [rules].flat().map((rule) => JSON.stringify([rule, Resource]));
        });
      });
      const leavers = stage
        .resources('AWS::Events::Rule')
        .flatMap(([id, { Properties }]) =>
          (Properties.Targets as Target[]).flatMap(({ DeadLetterConfig }) =>
            DeadLetterConfig === undefined
              ? []
              : JSON.stringify([{ 'Fn::GetAtt': [id, 'Arn'] }, DeadLetterConfig.Arn]),
          ),
        );
      expect(takers.sort()).toEqual(leavers.sort());
    });

    test('takes snapshots of each chain that is indexed', () => {
      const taken = stage
        .resources('AWS::Events::Rule')
        .filter(([id]) => id.startsWith('SnapshotsDue'))
        .flatMap(([, { Properties }]) => (Properties.Targets as Target[]).map(({ Input = '{}' }) => Input));
      expect(new Set(taken).size).toBe(indexed ? MAX_CHAINS : 0);
      expect(taken).toHaveLength(indexed ? MAX_CHAINS : 0);
    });

    test('has functions that few enough may call, and rules with few enough targets', () => {
      const perFunction = new Map<string, number>();
      for (const [, { Properties }] of stage.resources('AWS::Lambda::Permission')) {
        const called = JSON.stringify(Properties.FunctionName);
        perFunction.set(called, (perFunction.get(called) ?? 0) + 1);
      }
      expect(Math.max(...perFunction.values())).toBeLessThanOrEqual(MAX_PERMISSIONS_OF_FUNCTION);
      for (const [, { Properties }] of stage.resources('AWS::Events::Rule')) {
        expect((Properties.Targets as unknown[]).length).toBeLessThanOrEqual(MAX_TARGETS_OF_RULE);
      }
    });
  },
);
