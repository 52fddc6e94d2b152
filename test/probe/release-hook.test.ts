/** The hook of a deployment reads which versions it releases, calls them past the API, and says how it ended. */
import { text } from 'node:stream/consumers';
import { connectReleases } from '../../lambdas/probe/release-hook.ts';
import { listen, type TestServer } from '../support/listen.ts';

/** The revision of a deployment, as CloudFormation writes it. */
const CONTENT = JSON.stringify({
  version: 0,
  Resources: [
    {
      FunctionsRpcLive: {
        Type: 'AWS::Lambda::Function',
        Properties: { Name: 'rpc', Alias: 'live', CurrentVersion: '7', TargetVersion: '8' },
      },
    },
  ],
});
const OK_HEAD = { statusCode: 200, headers: { 'X-CU-Billed': 20 } };
const SEEN = { status: 200, headers: { 'x-cu-billed': '20' }, body: 'é' };

interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

const before = { ...process.env };
let server: TestServer;
/** What both services answer next, and what they were asked. */
let reply: Reply;
let asked: unknown[];

beforeEach(async () => {
  asked = [];
  server = await listen(async (request, response) => {
    const { url, headers } = request;
    const isSigned = /^AWS4-HMAC-SHA256 .*(?:codedeploy|lambda)/.test(headers.authorization ?? '');
    asked.push([isSigned, url, headers['x-amz-target'], JSON.parse(await text(request))]);
    response.writeHead(reply.status ?? 200, reply.headers ?? {}).end(reply.body);
  });
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_CODEDEPLOY: server.url,
    AWS_ENDPOINT_URL_LAMBDA: server.url,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
  });
});

afterEach(async () => {
  process.env = { ...before };
  await server.close();
});

test.each(['string', 'appSpecContent'])('the versions stand in the %s of the revision', async (member) => {
  reply = { body: JSON.stringify({ deploymentInfo: { revision: { [member]: { content: CONTENT } } } }) };
  const deployment = await connectReleases().readDeployment('d-1');
  expect(deployment).toEqual({ functionName: 'rpc', oldVersion: '7', newVersion: '8' });
  expect(asked).toEqual([[true, '/', 'CodeDeploy_20141006.GetDeployment', { deploymentId: 'd-1' }]]);
});

test.each<[string, Reply, string]>([
  ['that names no versions', { body: '{"deploymentInfo":{}}' }, 'names no versions'],
  ['that is unknown', { status: 400, body: '{}' }, 'GetDeployment with status 400'],
])('a deployment %s is an error', async (_, given, words) => {
  reply = given;
  await expect(connectReleases().readDeployment('d-1')).rejects.toThrow(words);
});

test.each<[string, Buffer | string]>([
  ['streamed', Buffer.concat([Buffer.from(JSON.stringify(OK_HEAD)), Buffer.alloc(8), Buffer.from('é')])],
  ['whole', JSON.stringify({ ...OK_HEAD, body: 'é' })],
  [
    'in base64',
    JSON.stringify({ ...OK_HEAD, body: Buffer.from('é').toString('base64'), isBase64Encoded: true }),
  ],
])(
  'a version is called by its number, and its response read as API Gateway reads it: %s',
  async (_, body) => {
    reply = { body };
    expect(await connectReleases().invoke('rpc', '8', { resource: '/v1' })).toEqual(SEEN);
    expect(asked).toEqual([
      [true, '/2015-03-31/functions/rpc%3A8/invocations', undefined, { resource: '/v1' }],
    ]);
  },
);

test.each<[string, Reply]>([
  ['that throws', { body: '{"errorMessage":"x"}', headers: { 'x-amz-function-error': 'Unhandled' } }],
  ['that answers nothing that API Gateway takes', { body: '{"errorMessage":"x"}' }],
])('a version %s is a 502', async (_, given) => {
  reply = given;
  expect(await connectReleases().invoke('rpc', '8', {})).toMatchObject({ status: 502 });
});

test('a version that Lambda does not call is an error', async () => {
  reply = { status: 404, body: '{}' };
  await expect(connectReleases().invoke('rpc', '8', {})).rejects.toThrow('Lambda answered with status 404');
});

test('how a hook ended is said to CodeDeploy', async () => {
  reply = { body: '{}' };
  await connectReleases().conclude({ DeploymentId: 'd-1', LifecycleEventHookExecutionId: 'h-1' }, 'Failed');
  const ended = { deploymentId: 'd-1', lifecycleEventHookExecutionId: 'h-1', status: 'Failed' };
  expect(asked).toEqual([[true, '/', 'CodeDeploy_20141006.PutLifecycleEventHookExecutionStatus', ended]]);
});
