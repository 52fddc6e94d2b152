import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FRONT_HEADERS } from '../../lambdas/shared/runtime/front-headers.ts';
import type { StageSettings } from '../../lambdas/shared/runtime/settings.ts';
import { ROUTES } from '../../lib/edge/api-routes.ts';
import { SynthesisedStage } from './synthesised-stage.ts';
import { variedStage } from './varied-stages.ts';

let stage: SynthesisedStage;

beforeAll(() => {
  stage = new SynthesisedStage('example-web');
});

const ofRpc = () => ROUTES.filter(({ target }) => target === 'rpc');
const integrationOf = (one: SynthesisedStage, route: string) =>
  one.routes().get(route) as
    | { Type?: string; Uri?: unknown; RequestParameters?: Readonly<Record<string, unknown>> }
    | undefined;

describe('a web function', () => {
  test('takes 64 requests in an environment, down to none, and ends after the API has given up', () => {
    const revision = stage.properties('AWS::Lambda::WebFunctionRevision');
    expect(revision).toMatchObject({
      BuildConfig: { RuntimeConfig: { Runtime: 'nodejs24.x' } },
      ServiceConfig: {
        MaxConcurrencyPerEnvironment: 64,
        TimeoutSeconds: 42,
        EnvironmentVariables: {
          REQUESTS_PER_ENVIRONMENT: '64',
          REQUEST_TIMEOUT_MS: '42000',
          NODE_OPTIONS: '--max-semi-space-size=16',
        },
      },
    });
    expect(stage.properties('AWS::Lambda::WebFunctionEndpoint')).toMatchObject({
      AuthType: 'ApplicationManaged',
      EndpointType: 'HomeRegion',
      ScalingConfig: { MaxEnvironments: 40 },
    });
    for (const { path, method } of ofRpc())
      expect(integrationOf(stage, `${method} ${path}`)).toMatchObject({ TimeoutInMillis: 40_000 });
  });

  test('has the rights of the event function, and that of its secret', () => {
    const usual = variedStage('quietEvents').permissions('FunctionsRpcRole');
    const here = stage.permissions('FunctionsRpcOnWebRole');
    const more = here.filter((one) => !JSON.stringify(usual).includes(JSON.stringify(one)));
    expect(more).toHaveLength(1);
    expect(JSON.stringify(more)).toContain('secretsmanager:GetSecretValue');
  });

  test('is named by all that it is made of, and keeps the revision before', () => {
    const [, revision] = stage.resources('AWS::Lambda::WebFunctionRevision')[0] ?? [];
    expect(revision).toMatchObject({ UpdateReplacePolicy: 'Retain' });
    const names = ['example', 'canaryless'].map(
      (name) =>
        (
          (name === 'example' ? stage : variedStage('webSecretB')).properties(
            'AWS::Lambda::WebFunctionRevision',
          ).ServiceConfig as { EnvironmentVariables: { REVISION: string } }
        ).EnvironmentVariables.REVISION,
    );
    expect(names[0]).toMatch(/^[0-9a-f]{12}$/);
    // The other field of the secret is no other revision.
    expect(names[1]).toBe(names[0]);
  });

  test('is a server with the settings of many requests', () => {
    const { S3Object } = (
      stage.properties('AWS::Lambda::WebFunctionRevision').BuildConfig as {
        CodeConfig: { S3Object: { Key: string } };
      }
    ).CodeConfig;
    const folder = join(stage.folder, `asset.${S3Object.Key.replace('.zip', '')}`);
    const settings = JSON.parse(readFileSync(join(folder, 'stage.json'), 'utf8')) as StageSettings;
    expect(settings.metering.groupCommitCu).toBe(100_000);
    expect(settings.plans.standard?.drawAhead).toBe(true);
    // The layer is a part of it.
    expect(readFileSync(join(folder, 'index.js'), 'utf8')).not.toContain('require("gateway-access")');
  });

  test('is moved to by parameters of the stack where there is a canary, and at once elsewhere', () => {
    const parameters = Object.keys(stage.template.findParameters('*')).filter((name) => /^Web/.test(name));
    expect(parameters.sort()).toEqual(['WebRevisionBefore', 'WebRevisionBeforeWeight', 'WebRevisionWeight']);
    expect(stage.properties('AWS::Lambda::WebFunctionEndpoint').RevisionWeights).toHaveProperty('Fn::If');
    expect(
      variedStage('webAtOnce').properties('AWS::Lambda::WebFunctionEndpoint').RevisionWeights,
    ).toMatchObject([{ Weight: 100 }]);
  });
});

describe('the routes of a web function', () => {
  test.each(ofRpc().map(({ method, path }) => `${method} ${path}`))(
    '%s sets every header that is believed',
    (route) => {
      const integration = integrationOf(stage, route);
      expect(integration).toMatchObject({ Type: 'HTTP_PROXY', ResponseTransferMode: 'STREAM' });
      const set = Object.keys(integration?.RequestParameters ?? {}).map((name) =>
        name.replace('integration.request.header.', ''),
      );
      expect(set.sort()).toEqual(Object.values(FRONT_HEADERS).sort());
      expect(JSON.stringify(integration?.Uri)).not.toMatch(/\{\w+\+?\}/);
    },
  );

  test('have the secret as a reference, in the field that the stage file names', () => {
    const secretOf = (one: SynthesisedStage) =>
      JSON.stringify(
        integrationOf(one, 'POST /v1')?.RequestParameters?.[
          `integration.request.header.${FRONT_HEADERS.secret}`
        ],
      );
    expect(secretOf(stage)).toContain('resolve:secretsmanager:');
    expect(secretOf(stage)).toContain(':SecretString:a::}}');
    expect(secretOf(variedStage('webSecretB'))).toContain(':SecretString:b::}}');
  });

  test('are deployed anew when the field changes', () => {
    const deployment = (one: SynthesisedStage) => one.resources('AWS::ApiGateway::Deployment')[0]?.[0];
    expect(deployment(variedStage('webSecretB'))).not.toBe(deployment(stage));
  });
});

test('no other stage has any of it', () => {
  const usual = new SynthesisedStage('example-production');
  expect(usual.resources('AWS::Lambda::WebFunction')).toEqual([]);
  expect(usual.text).not.toContain('HTTP_PROXY');
});
