import { SynthesisedStage } from '../synthesised-stage.ts';
import { variedStage } from '../varied-stages.ts';

const production = new SynthesisedStage('example-production');

const FUNCTIONS = ['Rpc', 'Data', 'Status'];
const aliasOf = (name: string) =>
  production.resources('AWS::Lambda::Alias').find(([id]) => id.startsWith(`Functions${name}Live`));

test.each(FUNCTIONS)('the API calls %s by its alias, which names the version of this deployment', (name) => {
  const [id, alias] = aliasOf(name) ?? [];
  expect(alias?.Properties).toMatchObject({
    Name: 'live',
    FunctionVersion: { 'Fn::GetAtt': [expect.stringMatching(`^Functions${name}Function`), 'Version'] },
  });
  const called = [...production.routes()].filter(([, { Uri }]) =>
    JSON.stringify(Uri ?? '').includes(`"${id}"`),
  );
  expect(called.length).toBeGreaterThan(0);
});

test('no route calls a function whose code changes under it', () => {
  const uris = [...production.routes()].map(([, { Uri }]) => JSON.stringify(Uri ?? ''));
  expect(uris.filter((uri) => /"Functions[A-Za-z]+Function[0-9A-F]{8}"/.test(uri))).toEqual([]);
});

test.each(FUNCTIONS)(
  'a release of %s gets a tenth of the requests first, and goes back if they fail',
  (name) => {
    const [, alias] = aliasOf(name) ?? [];
    const { UpdatePolicy } = alias as unknown as {
      readonly UpdatePolicy: {
        readonly CodeDeployLambdaAliasUpdate: { readonly DeploymentGroupName: { Ref: string } };
      };
    };
    const group = UpdatePolicy.CodeDeployLambdaAliasUpdate.DeploymentGroupName.Ref;
    expect(group).toMatch(`Releases${name.toLowerCase()}`);
    expect(production.properties('AWS::CodeDeploy::DeploymentGroup', group)).toMatchObject({
      DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent15Minutes',
      AlarmConfiguration: {
        Enabled: true,
        Alarms: [{ Name: { Ref: expect.stringMatching('^AlarmsFailingRequests') } }],
      },
      AutoRollbackConfiguration: {
        Enabled: true,
        Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
      },
    });
  },
);

test('a stage file may keep instances started, and do without canaries', () => {
  const started = variedStage('started');
  expect(started.properties('AWS::Lambda::Alias', 'FunctionsRpcLive')).toMatchObject({
    ProvisionedConcurrencyConfig: { ProvisionedConcurrentExecutions: 3 },
  });
  expect(started.text).not.toContain('AWS::CodeDeploy');
});
