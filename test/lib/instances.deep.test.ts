import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StageSettings } from '../../lambdas/shared/runtime/settings.ts';
import { SynthesisedStage } from './synthesised-stage.ts';
import { variedStage } from './varied-stages.ts';

let stage: SynthesisedStage;

beforeAll(() => {
  stage = new SynthesisedStage('example-instances');
});

const onInstances = (prefix: string) => stage.properties('AWS::Lambda::Function', prefix);

describe('a function on instances', () => {
  test('takes 64 requests in one thread of one processor, in a provider of its own', () => {
    const providers = ['FunctionsRpcOn', 'FunctionsMcpOn'].map((prefix) => {
      const properties = onInstances(prefix);
      expect(properties).toMatchObject({
        MemorySize: 2_048,
        Architectures: ['arm64'],
        PublishToLatestPublished: false,
        CapacityProviderConfig: {
          LambdaManagedInstancesCapacityProviderConfig: {
            PerExecutionEnvironmentMaxConcurrency: 64,
            ExecutionEnvironmentMemoryGiBPerVCpu: 2,
          },
        },
        Environment: {
          Variables: {
            REQUESTS_PER_ENVIRONMENT: '64',
            AWS_LAMBDA_NODEJS_WORKER_COUNT: '1',
            NODE_OPTIONS: '--max-semi-space-size=16',
          },
        },
      });
      expect(properties).not.toHaveProperty('ReservedConcurrentExecutions');
      return JSON.stringify(properties.CapacityProviderConfig);
    });
    expect(new Set(providers).size).toBe(2);
  });

  test('has the environments that the stage file says, in the version that is called and in no other', () => {
    const bounds = stage
      .resources('AWS::Lambda::Version')
      .map(([id, { Properties }]) => [id.slice(0, 14), Properties.FunctionScalingConfig])
      .sort();
    expect(bounds).toEqual([
      ['FunctionsDataF', undefined],
      ['FunctionsMcpOn', { MinExecutionEnvironments: 2, MaxExecutionEnvironments: 4 }],
      ['FunctionsRpcOn', { MinExecutionEnvironments: 3, MaxExecutionEnvironments: 30 }],
      ['FunctionsStatu', undefined],
    ]);
  });

  test('has the code, the layer, the routes and the rights that it has as an event function', () => {
    const here = stage;
    const rest = variedStage('busyEvents');
    const of = (one: SynthesisedStage, prefix: string) => {
      const { Handler, Layers, Runtime, Timeout } = one.properties('AWS::Lambda::Function', prefix);
      return { Handler, Layers, Runtime, Timeout };
    };
    expect(of(here, 'FunctionsRpc')).toEqual(of(rest, 'FunctionsRpc'));
    expect(here.permissions('FunctionsRpcOnInstancesRole')).toEqual(rest.permissions('FunctionsRpcRole'));
    const kinds = (one: SynthesisedStage) =>
      [...one.routes()].map(([route, { ResponseTransferMode, TimeoutInMillis }]) => [
        route,
        ResponseTransferMode,
        TimeoutInMillis,
      ]);
    expect(kinds(here)).toEqual(kinds(rest));
    const responses = (one: SynthesisedStage) =>
      one.resources('AWS::ApiGateway::GatewayResponse').map(([, { Properties }]) => Properties);
    expect(responses(here)).toEqual(responses(rest));
  });

  test('is released as any: by its alias, a tenth first', () => {
    const alias = stage.properties('AWS::Lambda::Alias', 'FunctionsRpcOnInstances');
    expect(alias.Name).toBe('live');
    const [, group] =
      stage.resources('AWS::CodeDeploy::DeploymentGroup').find(([id]) => id.startsWith('Releasesrpc')) ?? [];
    expect(group?.Properties).toMatchObject({ AutoRollbackConfiguration: { Enabled: true } });
  });

  test('has settings of its own: charges in groups, buckets drawn ahead', () => {
    const settingsOf = (prefix: string) =>
      JSON.parse(
        readFileSync(join(stage.code('AWS::Lambda::Function', prefix), 'stage.json'), 'utf8'),
      ) as StageSettings;
    expect(settingsOf('FunctionsRpcOn').metering.groupCommitCu).toBe(100_000);
    expect(settingsOf('FunctionsRpcOn').plans.busy?.drawAhead).toBe(true);
    expect(settingsOf('FunctionsDataF').metering.groupCommitCu).toBe(0);
    expect(stage.template.findOutputs('GroupCommitCu')).toMatchObject({ GroupCommitCu: { Value: '100000' } });
  });
});

/** What CloudFormation does to a stage whose functions move to instances, in the words of its resources. */
describe('functions that move there, and back', () => {
  type Resources = Readonly<Record<string, { readonly Type: string; readonly Properties?: unknown }>>;
  const resourcesOf = ({ template }: SynthesisedStage) =>
    (template.toJSON() as { readonly Resources: Resources }).Resources;
  const onlyIn = (one: Resources, other: Resources) =>
    Object.entries(one).filter(([id]) => !Object.hasOwn(other, id));
  const typesOf = (some: readonly (readonly [string, { readonly Type: string }])[]) =>
    [...new Set(some.map(([, { Type }]) => Type))].sort();
  /** Replaced whenever code or settings change. */
  const RELEASED = ['AWS::ApiGateway::Deployment', 'AWS::Lambda::Version'];
  const OF_A_FUNCTION = [
    'AWS::IAM::Policy',
    'AWS::IAM::Role',
    'AWS::Lambda::Alias',
    'AWS::Lambda::Function',
    'AWS::Lambda::Permission',
    'AWS::Logs::LogGroup',
  ];
  let before: Resources;
  let after: Resources;

  beforeAll(() => {
    before = resourcesOf(variedStage('busyEvents'));
    after = resourcesOf(stage);
  });

  test('are other functions: what goes is theirs alone, what comes is theirs and the network', () => {
    expect(typesOf(onlyIn(before, after))).toEqual([...OF_A_FUNCTION, ...RELEASED].sort());
    const come = typesOf(onlyIn(after, before)).filter((type) => !type.startsWith('AWS::EC2::'));
    expect(come).toEqual(
      ['AWS::CloudWatch::Alarm', 'AWS::Lambda::CapacityProvider', ...OF_A_FUNCTION, ...RELEASED].sort(),
    );
    const functions = onlyIn(before, after).filter(([, { Type }]) => Type === 'AWS::Lambda::Function');
    expect(functions.map(([id]) => id.replace(/Function\w{8}$/, '')).sort()).toEqual([
      'FunctionsMcp',
      'FunctionsRpc',
    ]);
  });

  test('leave tables, queues, keys and the address of the API as they are', () => {
    const stays = [
      'AWS::ApiGateway::RestApi',
      'AWS::DynamoDB::Table',
      'AWS::KMS::Key',
      'AWS::S3::Bucket',
      'AWS::SQS::Queue',
      'AWS::SecretsManager::Secret',
    ];
    const kept = Object.entries(before).filter(([, { Type }]) => stays.includes(Type));
    expect(typesOf(kept)).toEqual(stays);
    for (const [id, resource] of kept) expect([id, after[id]]).toEqual([id, resource]);
  });

  test('change what points at them in place, and nothing else', () => {
    const changed = Object.entries(before).filter(
      ([id, resource]) => after[id] !== undefined && JSON.stringify(after[id]) !== JSON.stringify(resource),
    );
    // None of these is replaced for what changes of it: integrations, settings, versions, names of functions in figures.
    expect(typesOf(changed)).toEqual([
      'AWS::ApiGateway::Method',
      'AWS::ApiGateway::Stage',
      'AWS::CloudWatch::Alarm',
      'AWS::CloudWatch::Dashboard',
      'AWS::Lambda::Alias',
      'AWS::Lambda::Function',
    ]);
    const staying = changed.filter(([, { Type }]) => Type === 'AWS::Lambda::Function').map(([id]) => id);
    for (const name of ['FunctionsDataFunction', 'FunctionsStatusFunction'])
      expect(staying).toContainEqual(expect.stringContaining(name));
  });
});

describe('the network of instances', () => {
  test('gives no instance an address of its own, and starts none before there is a way out', () => {
    for (const [, { Properties }] of stage.resources('AWS::EC2::Subnet'))
      expect(Properties.MapPublicIpOnLaunch).toBe(false);
    for (const [, { DependsOn, Properties }] of stage.resources('AWS::Lambda::CapacityProvider')) {
      expect(DependsOn?.filter((id) => /FunctionsSubnet\dDefaultRoute/.test(id))).toHaveLength(2);
      expect(JSON.stringify(Properties.VpcConfig)).not.toContain('WaySubnet');
    }
  });

  test('is in no other stage', () => {
    const usual = new SynthesisedStage('example-production');
    expect(usual.resources('AWS::Lambda::CapacityProvider')).toEqual([]);
    expect(usual.resources('AWS::EC2::NatGateway')).toEqual([]);
  });
});

test('a data function moves there too, with its part of the database', () => {
  const moved = variedStage('most');
  expect(moved.permissions('FunctionsDataOnInstancesRole')).toEqual(
    new SynthesisedStage('local').permissions('FunctionsDataRole'),
  );
  expect(moved.resources('AWS::Lambda::CapacityProvider')).toHaveLength(1);
  const [alarm] = moved
    .resources('AWS::CloudWatch::Alarm')
    .filter(([, { Properties }]) => JSON.stringify(Properties).includes('ExecutionEnvironmentConcurrency'));
  expect(alarm?.[1].Properties).toMatchObject({ Threshold: 51, EvaluationPeriods: 3 });
});
