import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Match } from 'aws-cdk-lib/assertions';
import { embeddedUpstreamParameter } from '../../lib/functions/embedded-upstreams.ts';
import { testAtLength } from '../support/at-length-tests.ts';
import { SynthesisedStage } from './synthesised-stage.ts';
import { variedStage } from './varied-stages.ts';

/**
 * Most that a function and its layer may have together, compressed, in bytes: a cold start reads all of it. The client of HTTP
 * is 53 kB of it (ADR 025).
 */
/** Days after its hour in which a lane may still rise. */
const LANE_OPEN_DAYS = 30;
const MAX_GZIP_BYTES = 229 * 1024;
/**
 * Of those that are larger: the SDK of the Model Context Protocol brings its schemas and their validators; what writes Parquet is
 * 17 kB, and what reads it 24 kB. What asks nodes, which the Data API does for balances, is 60 kB; JSON-RPC has the room of large results
 * and the comparison of nodes beside it, with 3 kB of copies and holds, and what tells how far nodes prove the state. What verifies
 * blocks is 11 kB; with what asks two operators and makes proofs it is 18 to 24 kB. What recovers signers, for the two that verify
 * whole blocks, is 123 kB (ADR 093); what derives prices is 14 kB, beside the index of a chain.
 */
const MAX_GZIP_BYTES_OF: Readonly<Record<string, number>> = {
  FunctionsRpc: 255 * 1024,
  FunctionsMcp: 394 * 1024,
  FunctionsData: 292 * 1024,
  IndexingFill: 399 * 1024,
  IndexingFollowexamplemainnet: 385 * 1024,
};

/** Files of functions beside their code and their settings. */
const OWN_FILES: Readonly<Record<string, readonly string[]>> = {
  MigrationsService: ['migrations'],
  FunctionsStatus: ['contract.json', 'openapi.json', 'openrpc.json'],
};
let local: SynthesisedStage;
let production: SynthesisedStage;
let stages: SynthesisedStage[];

beforeAll(() => {
  local = new SynthesisedStage('local');
  production = new SynthesisedStage('example-production');
  stages = [local, production];
});

describe('routes', () => {
  const RPC = ['/v1', '/v1/{credential}', '/v1/{credential}/{api_key}'].map((path) => `POST ${path}`);
  const STATUS = [
    '/v1/status',
    '/v1/chains',
    '/v1/account',
    '/v1/account/usage',
    '/v1/account/settlements',
    '/v1/account/settlements/{hour}/lanes',
    '/v1/account/lanes',
    '/v1/account/receipts',
    '/v1/account/credits',
    '/v1/heads/{proxy+}',
    '/v1/openapi.json',
    '/v1/openrpc.json',
    '/v1/contract.json',
  ].map((path) => `GET ${path}`);
  const KEYLESS = [
    '/v1/status',
    '/v1/chains',
    '/v1/heads/{proxy+}',
    '/v1/openapi.json',
    '/v1/openrpc.json',
    '/v1/contract.json',
  ].map((path) => `HEAD ${path}`);
  const MCP = ['/v1/mcp', '/v1/mcp/{api_key}'].flatMap((path) =>
    ['GET', 'POST', 'DELETE'].map((method) => `${method} ${path}`),
  );
  const DATA = [
    '/v1/data',
    '/v1/data/{chain}',
    '/v1/data/chains',
    '/v1/data/{chain}/{proxy+}',
    '/v1/addresses/{proxy+}',
    '/v1/batch/{proxy+}',
    '/v1/blocks',
    '/v1/blocks/{proxy+}',
    '/v1/blocks-by-hash/{proxy+}',
    '/v1/blocks-by-time/{proxy+}',
    '/v1/dex/{proxy+}',
    '/v1/logs',
    '/v1/nfts/{proxy+}',
    '/v1/prices',
    '/v1/status/{proxy+}',
    '/v1/stocks',
    '/v1/stocks/{proxy+}',
    '/v1/tokens',
    '/v1/tokens/{proxy+}',
    '/v1/transactions',
    '/v1/transactions/{proxy+}',
    '/v1/transfers',
  ].map((path) => `GET ${path}`);

  function routesTo(stage: SynthesisedStage, name: string): string[] {
    return [...stage.routes()]
      .filter(([, integration]) =>
        new RegExp(`"Functions${name}Live`).test(JSON.stringify(integration.Uri ?? null)),
      )
      .map(([route]) => route)
      .sort();
  }

  test('go to their functions', () => {
    for (const stage of stages) {
      expect(routesTo(stage, 'Rpc')).toEqual([...RPC].sort());
      expect(routesTo(stage, 'Status')).toEqual([...STATUS, ...KEYLESS].sort());
      expect(routesTo(stage, 'Data')).toEqual([...DATA].sort());
      expect(routesTo(stage, 'Mcp')).toEqual([...MCP].sort());
    }
  });

  test('of JSON-RPC and of the Data API stream, the others are buffered, and none waits as long as its function may run', () => {
    for (const integration of local.routes().values()) {
      if (integration.Type === 'MOCK') continue;
      const [, target = ''] =
        /"(Functions(?:Rpc|Data|Status|Mcp))Live/.exec(JSON.stringify(integration.Uri)) ?? [];
      const streams = target === 'FunctionsRpc' || target === 'FunctionsData';
      const runsMs = 1_000 * Number(local.properties('AWS::Lambda::Function', target).Timeout);
      expect(integration).toMatchObject({ Type: 'AWS_PROXY', TimeoutInMillis: runsMs - 2_000 });
      expect(integration.ResponseTransferMode).toBe(streams ? 'STREAM' : undefined);
      const invocation = streams
        ? /2021-11-15.*\/response-streaming-invocations/
        : /2015-03-31.*\/invocations/;
      expect(JSON.stringify(integration.Uri)).toMatch(invocation);
    }
  });

  test('that are none are answered 404 with an empty body on every resource and below', () => {
    const routes = local.routes();
    const resources = new Set([...routes.keys()].map((route) => route.split(' ')[1]));
    expect(resources).toContain('/');
    expect(resources).toContain('/{proxy+}');
    expect(resources.size).toBe(local.resources('AWS::ApiGateway::Resource').length + 1);
    for (const resource of resources) {
      expect(routes.get(`ANY ${resource}`)).toEqual({
        Type: 'MOCK',
        ContentHandling: 'CONVERT_TO_TEXT',
        PassthroughBehavior: 'NEVER',
        RequestTemplates: expect.objectContaining({
          'application/json': '{"statusCode": 404}',
          'application/x-www-form-urlencoded': '{"statusCode": 404}',
          'text/plain': '{"statusCode": 404}',
        }),
        IntegrationResponses: [
          {
            StatusCode: '404',
            ResponseParameters: { 'method.response.header.X-Request-Id': 'context.requestId' },
          },
        ],
      });
    }
  });
});

describe('gateway responses', () => {
  function responses(): Map<string, Record<string, unknown>> {
    return new Map(
      local
        .resources('AWS::ApiGateway::GatewayResponse')
        .map(([, { Properties }]) => [String(Properties.ResponseType), Properties]),
    );
  }

  function bodyOf(type: string): unknown {
    const templates = responses().get(type)?.ResponseTemplates as Record<string, string> | undefined;
    const template = templates?.['application/json'];
    return template ? JSON.parse(template) : template;
  }

  const ERRORS: readonly [string, string | undefined, number, string, string, boolean][] = [
    [
      'REQUEST_TOO_LARGE',
      '413',
      -32600,
      'request body too large: max 2097152 bytes',
      'body_too_large',
      false,
    ],
    ['THROTTLED', '429', -32005, 'rate limit exceeded', 'rate_limited', true],
    ['WAF_FILTERED', '429', -32005, 'rate limit exceeded', 'rate_limited', true],
    ['INTEGRATION_FAILURE', '503', -32030, 'rpc gateway unavailable', 'gateway_unavailable', true],
    ['INTEGRATION_TIMEOUT', '504', -32030, 'rpc gateway timed out', 'gateway_timed_out', true],
    ['DEFAULT_4XX', undefined, -32600, 'invalid request', 'request_refused', false],
    ['DEFAULT_5XX', undefined, -32030, 'rpc gateway unreachable', 'gateway_unreachable', true],
  ];

  test.each(ERRORS)('%s is %s with a JSON-RPC error', (type, status, code, message, reason, retryable) => {
    expect(responses().get(type)?.StatusCode).toBe(status);
    expect(bodyOf(type)).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code, message, data: { reason, retryable } },
    });
  });

  const UNKNOWN = [
    'MISSING_AUTHENTICATION_TOKEN',
    'RESOURCE_NOT_FOUND',
    'INVALID_SIGNATURE',
    'UNSUPPORTED_MEDIA_TYPE',
  ];
  test.each(UNKNOWN)('%s is an unknown route', (type) => {
    expect(responses().get(type)?.StatusCode).toBe('404');
    expect(bodyOf(type)).toBe('');
  });

  test('are these and no others', () => {
    expect([...responses().keys()].sort()).toEqual([...UNKNOWN, ...ERRORS.map(([type]) => type)].sort());
  });

  test('name their request, say when to try again where that helps, and have CORS `*` as GET /v1/status has', () => {
    for (const [type, { ResponseParameters }] of responses()) {
      const retry = ['THROTTLED', 'WAF_FILTERED', 'INTEGRATION_FAILURE'].includes(type);
      expect(ResponseParameters).toEqual({
        'gatewayresponse.header.X-Request-Id': 'context.requestId',
        ...(UNKNOWN.includes(type) ? {} : { 'gatewayresponse.header.Access-Control-Allow-Origin': "'*'" }),
        ...(retry ? { 'gatewayresponse.header.Retry-After': "'1'" } : {}),
      });
    }
  });
});

describe('nothing logs a path', () => {
  const SAFE = [
    '$context.requestId',
    '$context.requestTimeEpoch',
    '$context.httpMethod',
    '$context.resourcePath',
    '$context.protocol',
    '$context.status',
    '$context.error.responseType',
    '$context.identity.sourceIp',
    '$context.responseLength',
    '$context.responseLatency',
    '$context.integration.status',
    '$context.integration.latency',
  ];

  test('the access log has safe fields only', () => {
    for (const stage of stages) {
      const { Format } = stage.properties('AWS::ApiGateway::Stage').AccessLogSetting as { Format: string };
      expect(Object.values(JSON.parse(Format)).sort()).toEqual([...SAFE].sort());
    }
  });
});

describe('functions', () => {
  const METERING_NAMES = [
    'FunctionsRpc',
    'FunctionsData',
    'FunctionsStatus',
    'FunctionsMcp',
    'FunctionsCharges',
    'BooksSettlementService',
    'BooksAuditService',
    'AccountBalancesService',
    'HeadsService',
  ];
  const INDEXING_NAMES = ['IndexingFill', 'IndexingFollowexamplemainnet', 'SnapshotsService'];
  const NAMES = [...METERING_NAMES, ...INDEXING_NAMES, 'MigrationsService'];

  test('carry the settings of the stage beside their code', () => {
    for (const name of NAMES) {
      const code = local.code('AWS::Lambda::Function', `${name}Function`);
      const own = OWN_FILES[name] ?? [];
      expect(readdirSync(code).sort()).toEqual(['index.js', ...own, 'package.json', 'stage.json'].sort());
      expect(JSON.parse(readFileSync(join(code, 'stage.json'), 'utf8'))).toMatchObject({
        stage: 'local',
        chains: [{ chain: 'example_mainnet', upstreams: ['embedded'], maxLogsBlockRange: 10_000 }],
        defaultPlan: 'standard',
      });
    }
  });

  test('load with the layer, and only with what a deployed function has', () => {
    const layer = local.code('AWS::Lambda::LayerVersion', 'FunctionsAccessLayer');
    const modules = join(layer, 'nodejs', 'node_modules');
    expect(readdirSync(modules).sort()).toEqual(['gateway-access', 'undici']);
    for (const name of NAMES) {
      const code = local.code('AWS::Lambda::Function', `${name}Function`);
      const script = `globalThis.awslambda = { streamifyResponse: (handler) => handler };
        process.stdout.write(typeof require(process.argv[1]).handler)`;
      const kind = execFileSync(process.execPath, ['-e', script, join(code, 'index.js')], {
        env: { NODE_PATH: modules, LAMBDA_TASK_ROOT: code, AWS_REGION: 'us-east-1', ...variablesOf(name) },
        encoding: 'utf8',
      });
      expect(kind).toBe('function');
    }
  });

  /** The variables of a function, with a stand-in for every reference. */
  function variablesOf(name: string): Record<string, string> {
    const { Environment } = local.properties('AWS::Lambda::Function', `${name}Function`);
    const { Variables } = Environment as { Variables: object };
    return Object.fromEntries(
      Object.entries(Variables).map(([variable, value]) => [
        variable,
        typeof value === 'string' ? value : 'http://127.0.0.1:1',
      ]),
    );
  }

  test('leave the AWS SDK and the client of HTTP to the layer', () => {
    for (const name of NAMES) {
      const code = local.code('AWS::Lambda::Function', `${name}Function`);
      const own = readFileSync(join(code, 'index.js'), 'utf8');
      expect(own).not.toContain('com.amazonaws.');
      expect(own).not.toContain('llhttp');
    }
  });

  test('are small, with a layer that has clients of four services and of none that gives credentials', () => {
    const layer = local.code('AWS::Lambda::LayerVersion', 'FunctionsAccessLayer');
    const modules = join(layer, 'nodejs', 'node_modules');
    const shared = readFileSync(join(modules, 'gateway-access', 'index.js'));
    const httpClient = readFileSync(join(modules, 'undici', 'lib', 'dispatcher', 'client.js'));
    const services = new Set(shared.toString().match(/com\.amazonaws\.\w+/g));
    expect([...services].map((name) => name.split('.').pop()).sort()).toEqual([
      'dynamodb',
      'rdsdata',
      'secretsmanager',
      'sqs',
    ]);
    const larger = NAMES.flatMap((name) => {
      const own = readFileSync(join(local.code('AWS::Lambda::Function', `${name}Function`), 'index.js'));
      const bytes = [shared, httpClient, own].reduce((sum, code) => sum + gzipSync(code).length, 0);
      const most = MAX_GZIP_BYTES_OF[name] ?? MAX_GZIP_BYTES;
      return bytes > most ? [`${name}: ${bytes} of ${most}`] : [];
    });
    expect(larger).toEqual([]);
  });

  test('of an embedded chain take its URL from a parameter without a default', () => {
    const parameter = embeddedUpstreamParameter('example_mainnet');
    expect(local.template.findParameters(parameter)[parameter]).not.toHaveProperty('Default');
    const users = local
      .resources('AWS::Lambda::Function')
      .filter(([, { Properties }]) => JSON.stringify(Properties).includes(`{"Ref":"${parameter}"}`))
      .map(([id]) => id.replace(/^(?:Functions)?(\w+?)Function.*/, '$1'));
    expect(users.sort()).toEqual([
      'Data',
      'IndexingFill',
      'IndexingFollowexamplemainnet',
      'Mcp',
      'Rpc',
      'SnapshotsService',
      'Status',
    ]);
    expect(production.text).not.toContain('EmbeddedUpstream');
  });
});

describe('charges that could not be stored', () => {
  test('raise an alarm where alarms are on, like failed settlements and audits', () => {
    for (const deadLetters of ['ChargesDeadLetters', 'BooksSettlementDeadLetters', 'BooksAuditDeadLetters']) {
      production.template.hasResourceProperties('AWS::CloudWatch::Alarm', {
        MetricName: 'ApproximateNumberOfMessagesVisible',
        Dimensions: [
          {
            Name: 'QueueName',
            Value: { 'Fn::GetAtt': [Match.stringLikeRegexp(`^${deadLetters}`), 'QueueName'] },
          },
        ],
        AlarmActions: [Match.anyValue()],
      });
    }
    production.template.hasResourceProperties('AWS::SNS::Subscription', {
      Endpoint: 'operations@example.com',
    });
  });

  test('never wait, and as dead letters, for as long as their lanes may rise', () => {
    const kept = local
      .resources('AWS::SQS::Queue')
      .filter(([id]) => id.startsWith('Charges'))
      .map(([, { Properties }]) => Number(Properties.MessageRetentionPeriod));
    expect(kept).toHaveLength(2);
    expect(kept.reduce((sum, seconds) => sum + seconds, 0)).toBeLessThan(LANE_OPEN_DAYS * 24 * 3_600);
  });

  testAtLength('raise none where alarms are off', () => {
    variedStage('trial').template.resourceCountIs('AWS::CloudWatch::Alarm', 0);
  });
});

describe('the stack', () => {
  test('tells the operator and the local run what they need', () => {
    const names = [
      'BaseUrl',
      'KeysTableName',
      'AccountsTableName',
      'LedgerTableName',
      'LanesTableName',
      'UnsettledTableName',
      'BalancesTableName',
      'ChargeQueueUrl',
      'EvidenceBucketName',
      'HeadsBucketName',
      'IssuerSecretArn',
      'HeadKeyArn',
      'PlanNames',
      'PlanShards',
      'GroupCommitCu',
      'CacheTableName',
      'ChainNames',
      'BackfillQueueUrl',
      'ChainDatabaseArn',
      'ChainDatabaseName',
      'ChainDatabaseReaderSecretArn',
      'BlockFilesBucketName',
      'MigrateFunctionName',
      'LiveFunctions',
      'PagesTopicArn',
      'TicketsTopicArn',
    ];
    expect(Object.keys(local.template.findOutputs('*')).sort()).toEqual([...names, 'DefaultPlan'].sort());
    local.template.hasOutput('PlanNames', { Value: 'standard,free' });
    local.template.hasOutput('DefaultPlan', { Value: 'standard' });
    production.template.hasOutput('BaseUrl', { Value: 'https://rpc.example.com' });
  });

  test('takes TLS from 1.2 on, under its own name or under that of API Gateway', () => {
    production.template.hasResourceProperties('AWS::ApiGateway::DomainName', { SecurityPolicy: 'TLS_1_2' });
    local.template.hasResourceProperties('AWS::ApiGateway::RestApi', {
      EndpointAccessMode: 'BASIC',
      SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PQ_2025_09',
    });
  });

  test('sends no telemetry and runs no code while it is deployed', () => {
    for (const { template } of stages) {
      template.resourceCountIs('AWS::CDK::Metadata', 0);
      template.resourceCountIs('AWS::CloudFormation::CustomResource', 0);
    }
  });
});
