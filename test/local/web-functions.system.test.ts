import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { type LocalApi, startApi } from '../../local/api/server.ts';
import { createWebFunctions, type WebFunctions } from '../../local/functions/web-functions.ts';
import type { WebResponse } from '../../local/functions/web-response.ts';
import { loadAssembly } from './assembly.ts';
import { processesMentioning } from './processes.ts';

const DOMAIN = 'endpoint.invalid';
const LOOK_INTERVAL_MS = 20;
/** A server that does what the path of a request says. */
const SERVER = `
const { createServer } = require('node:http');
const held = [];
const actions = {
  '/pid': (request, response) => response.end(String(process.pid)),
  '/headers': (request, response) => response.end(JSON.stringify(request.rawHeaders)),
  '/environment': (request, response) => response.end(JSON.stringify(process.env)),
  '/hold': (request, response) => { held.push(response); },
  '/held': (request, response) => response.end(String(held.length)),
  '/release': (request, response) => { for (const one of held.splice(0)) one.end('held'); response.end('released'); },
  '/die': () => process.kill(process.pid, 'SIGKILL'),
  '/exhaust': () => process.abort(),
  '/cut': (request, response) => response.destroy(),
  '/half': (request, response) => { response.write('half'); setTimeout(() => process.exit(1), 50); },
  '/teapot': (request, response) => { response.writeHead(503, { 'X-Own': 'yes' }); response.end('mine'); },
  '/echo': (request, response) => request.pipe(response),
};
const [host, port] = process.env.AWS_LAMBDA_HTTP_ENDPOINT.split(':');
const server = createServer((request, response) => actions[request.url.split('?')[0]](request, response));
server.listen(Number(port), host);
process.on('SIGTERM', () => {
  process.stdout.write('told to end\\n');
  if (process.env.ENDS === 'true') process.exit(0);
});
`;

function webResources(code: string, service = {}, endpoint = {}) {
  return {
    Web: { Type: 'AWS::Lambda::WebFunction', Properties: { FunctionName: 'web' } },
    Revision: {
      Type: 'AWS::Lambda::WebFunctionRevision',
      Properties: {
        FunctionName: 'web',
        BuildConfig: {
          CodeConfig: { S3Object: { Bucket: 'any', Key: `${code}.zip` } },
          RuntimeConfig: { Runtime: 'nodejs24.x' },
        },
        ServiceConfig: { ExecutionRoleArn: 'any', ...service },
      },
    },
    Endpoint: {
      Type: 'AWS::Lambda::WebFunctionEndpoint',
      Properties: {
        AuthType: 'ApplicationManaged',
        EndpointName: 'prod',
        EndpointType: 'HomeRegion',
        FunctionName: 'web',
        ...endpoint,
      },
    },
  };
}

const ASSETS = {
  server: { 'index.js': SERVER },
  broken: { 'index.js': 'throw new Error("broken")' },
};

let functions: WebFunctions | undefined;
let lines: string[] = [];

afterEach(async () => {
  await functions?.close();
  functions = undefined;
  lines = [];
});

function start(service = {}, endpoint = {}, { code = 'server', idleMs = 60_000 } = {}): WebFunctions {
  const { template, resolver } = loadAssembly(webResources(code, service, endpoint), ASSETS);
  functions = createWebFunctions({
    template,
    resolver,
    accessKeyId: 'local',
    endpoints: {},
    onLog: (_, line) => lines.push(line),
    idleMs,
  });
  return functions;
}

async function ask(target: string, headers: readonly string[] = []): Promise<WebResponse & { read: string }> {
  const answer = await functions?.request(DOMAIN, {
    method: 'GET',
    target,
    body: Buffer.alloc(0),
    headers: ['Host', DOMAIN, ...headers],
  });
  if (answer === undefined) throw new Error('there is no such endpoint');
  return { ...answer, read: await text(answer.body) };
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(LOOK_INTERVAL_MS);
}

test('a request starts the first environment, and it serves all that it has room for', async () => {
  start({ MaxConcurrencyPerEnvironment: 3 });
  const first = await ask('/pid');
  expect(first).toMatchObject({ status: 200, isOfLambda: false });
  const held = [ask('/hold'), ask('/hold')];
  await until(async () => (await ask('/held')).read === '2');
  expect((await ask('/pid')).read).toBe(first.read);
  await ask('/release');
  expect((await Promise.all(held)).map(({ read }) => read)).toEqual(['held', 'held']);
});

test('a 65th request gets a second environment, and a 129th is refused by Lambda where there may be two', async () => {
  start({ MaxConcurrencyPerEnvironment: 64 }, { ScalingConfig: { MaxEnvironments: 2 } });
  const first = await ask('/pid');
  const held = Array.from({ length: 64 }, () => ask('/hold'));
  const second = await ask('/pid');
  expect(second.read).not.toBe(first.read);
  held.push(...Array.from({ length: 64 }, () => ask('/hold')));
  await pause(100);
  const refused = await ask('/pid');
  expect(refused).toMatchObject({ status: 429, isOfLambda: true });
  expect(JSON.parse(refused.read)).not.toHaveProperty('jsonrpc');
  for (const pid of [first.read, second.read]) process.kill(Number(pid), 'SIGKILL');
  const answers = await Promise.all(held);
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 128 }, () => 502));
  expect((await ask('/pid')).status).toBe(200);
});

test.each([
  ['an environment that is killed', '/die', 502],
  ['one that runs out of memory', '/exhaust', 507],
  ['a server that cuts the connection', '/cut', 502],
])('%s is answered by Lambda itself', async (_, target, status) => {
  start();
  const answer = await ask(target);
  expect(answer).toMatchObject({ status, isOfLambda: true });
  expect(Object.fromEntries(answer.headers)).toHaveProperty('lambda-web-error-type');
  expect((await ask('/pid')).status).toBe(200);
});

test('a request that runs into the time-out is answered by Lambda, and the others go on', async () => {
  start({ TimeoutSeconds: 1 });
  const { read } = await ask('/pid');
  expect(await ask('/hold')).toMatchObject({ status: 504, isOfLambda: true });
  expect((await ask('/pid')).read).toBe(read);
});

test('code that does not start is answered by Lambda, to all that waited for it', async () => {
  start({}, {}, { code: 'broken' });
  const answers = await Promise.all([ask('/pid'), ask('/pid')]);
  expect(answers.map(({ status, isOfLambda }) => [status, isOfLambda])).toEqual([
    [500, true],
    [500, true],
  ]);
});

test('a response that breaks off in its midst breaks off', async () => {
  start();
  const answer = await functions?.request(DOMAIN, {
    method: 'GET',
    target: '/half',
    headers: ['Host', DOMAIN],
    body: Buffer.alloc(0),
  });
  expect(answer?.status).toBe(200);
  if (answer === undefined) throw new Error('there is no such endpoint');
  await expect(text(answer.body)).rejects.toThrow();
});

test('what the function answers goes on as it is, with the headers of Lambda', async () => {
  start();
  const answer = await ask('/teapot');
  expect(answer).toMatchObject({ status: 503, read: 'mine', isOfLambda: false });
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'X-Own': 'yes',
    'lambda-web-request-id': expect.any(String),
  });
});

test('a function sees no header that Lambda keeps to itself, and none of its account variables', async () => {
  start({ EnvironmentVariables: { OWN: 'yes' } });
  const sent = [
    'X-Real-IP',
    '1',
    'X-HTTP-Method-Override',
    'PUT',
    'Lambda-Web-Request-Id',
    '2',
    'X-Kept',
    '3',
  ];
  const raw = JSON.parse((await ask('/headers', sent)).read) as string[];
  const names = raw.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  expect(names).toEqual(
    expect.arrayContaining(['x-kept', 'lambda-web-request-id', 'lambda-web-endpoint-name']),
  );
  expect(names).not.toEqual(expect.arrayContaining(['x-real-ip']));
  expect(names).not.toEqual(expect.arrayContaining(['x-http-method-override']));
  expect(raw).not.toContain('2');
  const variables = JSON.parse((await ask('/environment')).read);
  expect(variables).toMatchObject({ OWN: 'yes', AWS_LAMBDA_INITIALIZATION_TYPE: 'native-http' });
  for (const unset of ['AWS_LAMBDA_FUNCTION_NAME', 'AWS_LAMBDA_LOG_GROUP_NAME', '_X_AMZN_TRACE_ID'])
    expect(variables).not.toHaveProperty(unset);
});

test('an environment without requests ends, and the next request starts another', async () => {
  start({ EnvironmentVariables: { ENDS: 'true' } }, {}, { idleMs: 200 });
  const { read } = await ask('/pid');
  await until(() => !processesMentioning('web-bootstrap').includes(Number(read)));
  await until(() => lines.includes('told to end'));
  expect((await ask('/pid')).read).not.toBe(read);
});

test('an environment that does not end by itself is killed within a second', async () => {
  start();
  const { read } = await ask('/pid');
  const held = ask('/hold').catch(() => undefined);
  await until(async () => (await ask('/held')).read === '1');
  await functions?.close();
  expect(lines).toContain('told to end');
  expect(processesMentioning('web-bootstrap')).not.toContain(Number(read));
  expect(await held).toMatchObject({ status: 502 });
});

describe('behind an HTTP proxy integration', () => {
  let api: LocalApi;

  afterEach(() => api.close());

  async function startBehind(timeoutMs = 5_000, parameters: Readonly<Record<string, string>> = {}) {
    const method = (path: string) => ({
      Type: 'AWS::ApiGateway::Method',
      Properties: {
        AuthorizationType: 'NONE',
        HttpMethod: 'POST',
        ResourceId: { Ref: 'Resource' },
        RestApiId: { Ref: 'Api' },
        RequestParameters: { 'method.request.path.key': true },
        Integration: {
          Type: 'HTTP_PROXY',
          IntegrationHttpMethod: 'POST',
          ResponseTransferMode: 'STREAM',
          TimeoutInMillis: timeoutMs,
          Uri: `https://${DOMAIN}${path}`,
          RequestParameters: {
            'integration.request.header.x-secret': "'secret'",
            'integration.request.header.X-Key': 'method.request.path.key',
            'integration.request.header.x-address': 'context.identity.sourceIp',
            ...parameters,
          },
        },
      },
    });
    const resources = {
      ...webResources('server', { TimeoutSeconds: 1 }),
      Api: { Type: 'AWS::ApiGateway::RestApi', Properties: { BinaryMediaTypes: ['*/*'] } },
      Stage: { Type: 'AWS::ApiGateway::Stage', Properties: { StageName: 'test' } },
      Resource: {
        Type: 'AWS::ApiGateway::Resource',
        Properties: {
          ParentId: { 'Fn::GetAtt': ['Api', 'RootResourceId'] },
          PathPart: '{key}',
          RestApiId: { Ref: 'Api' },
        },
      },
    };
    return async (path: string) => {
      const { template, resolver } = loadAssembly({ ...resources, Method: method(path) }, ASSETS);
      functions = createWebFunctions({
        template,
        resolver,
        accessKeyId: 'local',
        endpoints: {},
        onLog: (_, line) => lines.push(line),
      });
      const refuse = () => Promise.reject(new Error('no other function is called'));
      api = await startApi({
        template,
        resolver,
        functions: { invoke: refuse, invokeStreaming: refuse, close: async () => {} },
        webFunctions: functions,
        port: 0,
        host: '127.0.0.1',
        onAccessLog: () => {},
      });
      return `http://127.0.0.1:${api.port}`;
    };
  }

  test('mapped headers take the place of all that a client sends under their names', async () => {
    const url = await (await startBehind())('/headers');
    const response = await fetch(`${url}/the-key?more=1`, {
      method: 'POST',
      headers: [
        ['X-SECRET', 'forged'],
        ['x-key', 'forged'],
        ['x-key', 'again'],
        ['X-Address', '192.0.2.1'],
        ['x-other', 'kept'],
      ],
      body: '{}',
    });
    const raw = (await response.json()) as string[];
    const pairs = raw.flatMap((name, index) =>
      index % 2 === 0 ? [[name.toLowerCase(), raw[index + 1]]] : [],
    );
    const ofName = (name: string) => pairs.filter(([one]) => one === name).map(([, value]) => value);
    expect(['x-secret', 'x-key', 'x-address', 'x-other', 'host'].map(ofName)).toEqual([
      ['secret'],
      ['the-key'],
      ['127.0.0.1'],
      ['kept'],
      [DOMAIN],
    ]);
  });

  test('bytes of a body pass as they are', async () => {
    const url = await (await startBehind())('/echo');
    const body = Buffer.from([0, 255, 128, 10, 13]);
    const response = await fetch(`${url}/k`, { method: 'POST', body });
    expect(Buffer.from(await response.arrayBuffer())).toEqual(body);
  });

  test.each([
    ['/die', 502],
    ['/exhaust', 507],
    ['/hold', 504],
  ])('what Lambda answers itself for %s reaches the client with its own body', async (path, status) => {
    const url = await (await startBehind())(path);
    const response = await fetch(`${url}/k`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(status);
    expect(response.headers.get('lambda-web-error-type')).not.toBeNull();
    expect(await response.json()).not.toHaveProperty('error');
  });

  test('an integration that runs out of time is answered by the API', async () => {
    const url = await (await startBehind(300))('/hold');
    const response = await fetch(`${url}/k`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(504);
    expect(response.headers.get('lambda-web-error-type')).toBeNull();
    expect(response.headers.get('x-amzn-errortype')).toBe('InternalServerErrorException');
  });

  test.each([
    ['another host', { Uri: 'https://elsewhere.example/' }, 'Integration.Uri that is not of a web function'],
    ['a body that is mapped', { RequestTemplates: {} }, 'Integration.RequestTemplates'],
    [
      'a query that is mapped',
      { RequestParameters: { 'integration.request.querystring.a': "'b'" } },
      'parameter',
    ],
    [
      'a parameter of the path that the method does not declare',
      {
        RequestParameters: { 'integration.request.header.a': 'method.request.path.other' },
      },
      'without its declaration',
    ],
  ])('%s is not understood, and said so', async (_, change, reason) => {
    const resources = {
      ...webResources('server'),
      Api: { Type: 'AWS::ApiGateway::RestApi', Properties: {} },
      Stage: { Type: 'AWS::ApiGateway::Stage', Properties: { StageName: 'test' } },
      Method: {
        Type: 'AWS::ApiGateway::Method',
        Properties: {
          AuthorizationType: 'NONE',
          HttpMethod: 'GET',
          ResourceId: { 'Fn::GetAtt': ['Api', 'RootResourceId'] },
          RestApiId: { Ref: 'Api' },
          Integration: {
            Type: 'HTTP_PROXY',
            IntegrationHttpMethod: 'GET',
            ResponseTransferMode: 'STREAM',
            Uri: `https://${DOMAIN}/`,
            ...change,
          },
        },
      },
    };
    const { template, resolver } = loadAssembly(resources, ASSETS);
    const refuse = () => Promise.reject(new Error('no function is called'));
    await expect(
      startApi({
        template,
        resolver,
        port: 0,
        host: '127.0.0.1',
        onAccessLog: () => {},
        functions: { invoke: refuse, invokeStreaming: refuse, close: async () => {} },
      }),
    ).rejects.toThrow(reason);
    api = { port: 0, close: async () => {} };
  });
});
