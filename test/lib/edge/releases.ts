import { testAtLength } from '../../support/at-length-tests.ts';
import { SynthesisedStage } from '../synthesised-stage.ts';
import { variedStage } from '../varied-stages.ts';

/** A release serves a tenth of the requests first, and goes back by itself. */
export function testReleases(): void {
  const production = new SynthesisedStage('example-production');

  const FUNCTIONS = ['Rpc', 'Data', 'Status', 'Mcp'];
  const aliasOf = (name: string) =>
    production.resources('AWS::Lambda::Alias').find(([id]) => id.startsWith(`Functions${name}Live`));

  test('no route calls a function whose code changes under it', () => {
    const uris = [...production.routes()].map(([, { Uri }]) => JSON.stringify(Uri ?? ''));
    expect(uris.filter((uri) => /"Functions[A-Za-z]+Function[0-9A-F]{8}"/.test(uri))).toEqual([]);
  });

  interface Deployed {
    readonly DependsOn?: readonly string[];
    readonly UpdatePolicy: {
      readonly CodeDeployLambdaAliasUpdate: { readonly DeploymentGroupName: { Ref: string } };
    };
  }

  interface Hooked {
    readonly UpdatePolicy: {
      readonly CodeDeployLambdaAliasUpdate: { readonly BeforeAllowTrafficHook: unknown };
    };
  }

  interface Gate {
    readonly AlarmName: unknown;
    readonly Metrics: readonly {
      readonly MetricStat?: {
        readonly Metric: {
          readonly Dimensions: readonly { readonly Name: string; readonly Value: unknown }[];
        };
      };
    }[];
  }

  /** The deployment group of a function, and the properties of its gates. */
  function releaseOf(name: string) {
    const [, alias] = aliasOf(name) ?? [];
    const deployed = alias as unknown as Deployed;
    const group = deployed.UpdatePolicy.CodeDeployLambdaAliasUpdate.DeploymentGroupName.Ref;
    const properties = production.properties('AWS::CodeDeploy::DeploymentGroup', group);
    const { Alarms } = properties.AlarmConfiguration as { Alarms: readonly { Name: { Ref: string } }[] };
    const gates = Alarms.map(
      ({ Name }) => production.properties('AWS::CloudWatch::Alarm', Name.Ref) as unknown as Gate,
    );
    const version = alias?.Properties.FunctionVersion;
    return { deployed, group, properties, gates, version };
  }

  test.each(FUNCTIONS)(
    'an alarm that is on stops no release of %s: gates are made with its version',
    (name) => {
      const { gates, version } = releaseOf(name);
      expect(gates).toHaveLength({ Rpc: 8, Status: 4 }[name] ?? 6);
      const names = gates.map(({ AlarmName }) => JSON.stringify(AlarmName));
      expect(new Set(names).size).toBe(gates.length);
      for (const { AlarmName, Metrics } of gates) {
        // Another version is another name, so another alarm, which has no state yet.
        expect(JSON.stringify(AlarmName)).toContain(JSON.stringify(version));
        const dimensions = Metrics.flatMap(({ MetricStat }) =>
          MetricStat ? [MetricStat.Metric.Dimensions] : [],
        );
        const ofVersion = dimensions.filter((of) =>
          of.some((one) => JSON.stringify(one.Value) === JSON.stringify(version)),
        );
        const ofAll = dimensions.filter(
          ([one, other]) => /^(?:Function|MethodClass)$/.test(one?.Name ?? '') && !other,
        );
        expect(ofVersion.length).toBeGreaterThan(0);
        expect(ofVersion.length + ofAll.length).toBe(dimensions.length);
      }
    },
  );

  test('the version before stays, for the way back', () => {
    const versions = production.resources('AWS::Lambda::Version');
    expect(versions).toHaveLength(FUNCTIONS.length);
    for (const [, { DeletionPolicy }] of versions) expect(DeletionPolicy).toBe('RetainExceptOnCreate');
  });

  testAtLength('where a stage has a probe, that compares each version before it gets requests', () => {
    const probed = variedStage('moved');
    expect(production.text).not.toContain('BeforeAllowTrafficHook');
    const aliases = probed.resources('AWS::Lambda::Alias');
    const hooks = aliases.map(
      ([, alias]) =>
        (alias as unknown as Hooked).UpdatePolicy.CodeDeployLambdaAliasUpdate.BeforeAllowTrafficHook,
    );
    const probe = { Ref: expect.stringMatching('^ProbeServiceFunction') };
    expect(hooks).toEqual(FUNCTIONS.map(() => probe));
    // CodeDeploy may call it before the traffic moves.
    for (const [, alias] of aliases)
      expect((alias as unknown as Deployed).DependsOn).toContainEqual(
        expect.stringMatching('^ReleasesRoleDefaultPolicy'),
      );
    const function_ = probed.properties('AWS::Lambda::Function', 'ProbeServiceFunction');
    expect(function_.Timeout).toBe(300);
    expect(JSON.stringify(function_.Environment)).toContain('"RELEASED_FUNCTIONS"');
    const policy = JSON.stringify(probed.properties('AWS::IAM::Policy', 'ProbeServiceRole').PolicyDocument);
    for (const action of [
      'lambda:InvokeFunction',
      'codedeploy:GetDeployment',
      'codedeploy:PutLifecycleEventHookExecutionStatus',
    ])
      expect(policy).toContain(`"${action}"`);
    expect(policy).not.toContain('"Resource":"*"');
  });

  testAtLength('a stage file may keep instances started, and do without canaries', () => {
    const started = variedStage('most');
    expect(started.properties('AWS::Lambda::Alias', 'FunctionsRpcLive')).toMatchObject({
      ProvisionedConcurrencyConfig: { ProvisionedConcurrentExecutions: 3 },
    });
    expect(started.text).not.toContain('AWS::CodeDeploy');
  });
}
