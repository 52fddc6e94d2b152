/** Calls of the commands for a stage reach each service in the form that it takes, signed, and once. */
import { text } from 'node:stream/consumers';
import { type AskAws, asked, connectAws, textsIn } from '../../../bin/operator/context/ask-aws.ts';
import { listen, type TestServer } from '../../support/listen.ts';

interface Got {
  readonly line: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

let server: TestServer;
let got: Got[];
let answer: { status: number; body: string; headers?: Record<string, string> };
let ask: AskAws;

beforeEach(async () => {
  got = [];
  answer = { status: 200, body: '{}' };
  server = await listen(async (request, response) => {
    const { method, url, headers } = request;
    got.push({ line: `${method} ${url}`, headers, body: await text(request) });
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  ask = connectAws({
    endpoint: server.url,
    credentials: { accessKeyId: 'AKID', secretAccessKey: 'secret' },
  });
});

afterEach(() => server.close());

const REGION = { region: 'eu-west-1' } as const;

test.each([
  [
    { service: 'sts', action: 'GetCallerIdentity', ...REGION },
    'POST /',
    'Action=GetCallerIdentity&Version=2011-06-15',
    'eu-west-1/sts',
  ],
  [
    { service: 'iam', action: 'GetRole', parameters: { RoleName: 'r' }, ...REGION },
    'POST /',
    'Action=GetRole&Version=2010-05-08&RoleName=r',
    'us-east-1/iam',
  ],
  [
    { service: 'ssm', action: 'GetParameter', parameters: { Name: '/a' }, ...REGION },
    'POST /',
    '{"Name":"/a"}',
    'eu-west-1/ssm',
  ],
  [
    { service: 'lambda', action: '/2016-08-19/account-settings', ...REGION },
    'GET /2016-08-19/account-settings',
    '',
    'eu-west-1/lambda',
  ],
  [
    { service: 'cloudcontrolapi', action: 'DeleteResource', parameters: { TypeName: 't' }, ...REGION },
    'POST /',
    '{"TypeName":"t"}',
    'eu-west-1/cloudcontrolapi',
  ],
  [
    { service: 's3', action: '/bucket', request: { query: { versions: '', prefix: 'a b' } }, ...REGION },
    'GET /bucket?versions=&prefix=a%20b',
    '',
    'eu-west-1/s3',
  ],
  [
    { service: 'apigateway', action: '/account', request: { method: 'PATCH', body: '{}' }, ...REGION },
    'PATCH /account',
    '{}',
    'eu-west-1/apigateway',
  ],
  [
    { service: 'codedeploy', action: 'StopDeployment', parameters: { deploymentId: 'd-1' }, ...REGION },
    'POST /',
    '{"deploymentId":"d-1"}',
    'eu-west-1/codedeploy',
  ],
  [
    {
      service: 'lambda',
      action: '/2017-03-31/tags/arn%3Aaws',
      request: { method: 'PUT', query: { Marker: 'a/b' }, body: '{}' },
      ...REGION,
    },
    'PUT /2017-03-31/tags/arn%3Aaws?Marker=a%2Fb',
    '{}',
    'eu-west-1/lambda',
  ],
] as const)('%j', async (call, line, body, scope) => {
  await ask(call);
  expect(got).toHaveLength(1);
  expect(got[0]).toMatchObject({ line, body });
  expect(got[0]?.headers.authorization).toContain(`/${scope}/aws4_request`);
  if (call.service === 'ssm') expect(got[0]?.headers['x-amz-target']).toBe('AmazonSSM.GetParameter');
});

test.each([
  [404, '<Error><Code>NoSuchHostedZone</Code></Error>', ['NoSuchHostedZone'], undefined],
  [400, '{"__type":"com.amazonaws#ParameterNotFound"}', ['ParameterNotFound'], undefined],
  [404, '', ['404'], undefined],
  [200, '{"a":1}', [], '{"a":1}'],
  [204, '', [], ''],
])('a response of %d %s is what it is known as', async (status, body, missing, read) => {
  answer = { status, body };
  expect(await asked(ask, { service: 'route53', action: '/x', ...REGION }, missing)).toBe(read);
});

test.each([
  [403, '<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>', 'AccessDenied'],
  [400, '{"__type":"AccessDeniedException","message":"x"}', 'AccessDeniedException'],
  [500, '', 'status 500'],
])('a refusal with %d %s is an error with its name', async (status, body, code) => {
  answer = { status, body };
  await expect(asked(ask, { service: 'sts', action: 'X', ...REGION }, ['404'])).rejects.toMatchObject({
    code,
  });
  expect(got).toHaveLength(1);
});

test('an error that only a header names has that name; one that asks for patience passes', async () => {
  const headers = { 'x-amzn-errortype': 'TooManyRequestsException:http://internal/' };
  answer = { status: 429, body: '{"Message":"x"}', headers };
  const refusal = { code: 'TooManyRequestsException', isPassing: true };
  await expect(asked(ask, { service: 'lambda', action: '/x', ...REGION })).rejects.toMatchObject(refusal);
});

test('texts of elements are read by name, not of those whose name begins so', () =>
  expect(textsIn('<vpcIds>x</vpcIds><vpcId>vpc-1</vpcId><vpcId a="b"> vpc-2 </vpcId>', 'vpcId')).toEqual([
    'vpc-1',
    'vpc-2',
  ]));

test('a query is a part of what is signed', async () => {
  const signature = async (query: Readonly<Record<string, string>>) => {
    await ask({ service: 's3', action: '/bucket', request: { query }, ...REGION });
    return String(got.at(-1)?.headers.authorization).split('Signature=')[1];
  };
  jest.useFakeTimers({ now: 0, doNotFake: ['setTimeout', 'setImmediate', 'nextTick', 'clearTimeout'] });
  try {
    const signatures = [
      await signature({ a: '1' }),
      await signature({ a: '1' }),
      await signature({ a: '2' }),
    ];
    expect([signatures[0] === signatures[1], signatures[0] === signatures[2]]).toEqual([true, false]);
  } finally {
    jest.useRealTimers();
  }
});
