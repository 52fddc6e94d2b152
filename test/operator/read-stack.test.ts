import { text } from 'node:stream/consumers';
import { readStack } from '../../bin/operator/context/gateway-outputs.ts';
import { InputError } from '../../lambdas/access/contract/input-error.ts';
import { listen, type TestServer } from '../support/listen.ts';
import { outputsOver } from './gateway-file.ts';

const TABLES = {
  keys: 'gateway-test-keys',
  accounts: 'gateway-test-accounts',
  balances: 'gateway-test-balances',
  ledger: 'gateway-test-ledger',
  lanes: 'gateway-test-lanes',
  unsettled: 'gateway-test-unsettled',
};
const OUTPUTS = { BaseUrl: 'https://example.com/v1/', ...outputsOver(TABLES) };

let server: TestServer;
let reply: { status: number; body: string };
/** What is answered before `reply`, each once. */
let refusals: (typeof reply)[] = [];
let request: URLSearchParams;
const environment = process.env;

beforeAll(async () => {
  server = await listen(async (incoming, response) => {
    request = new URLSearchParams(await text(incoming));
    const { status, body } = refusals.shift() ?? reply;
    response.writeHead(status, { 'Content-Type': 'text/xml' }).end(body);
  });
  process.env = {
    ...environment,
    AWS_ENDPOINT_URL_CLOUDFORMATION: server.url,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  };
});

afterAll(async () => {
  process.env = environment;
  await server.close();
});

function describeWith(outputs: Readonly<Record<string, string>>): void {
  const members = Object.entries(outputs).map(
    ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  const stack = `<member><StackName>gateway-test</StackName><StackStatus>CREATE_COMPLETE</StackStatus><Outputs>${members.join('')}</Outputs></member>`;
  const result = `<DescribeStacksResult><Stacks>${stack}</Stacks></DescribeStacksResult>`;
  reply = { status: 200, body: `<DescribeStacksResponse>${result}</DescribeStacksResponse>` };
}

function refusal(status: number, code: string, message: string): typeof reply {
  const error = `<Type>Sender</Type><Code>${code}</Code><Message>${message}</Message>`;
  return { status, body: `<ErrorResponse><Error>${error}</Error></ErrorResponse>` };
}

test('the gateway of a stack is read from its outputs', async () => {
  describeWith(OUTPUTS);
  const { outputs, clientConfig } = await readStack('gateway-test', 'eu-west-1');
  expect(outputs).toEqual({
    tableNames: TABLES,
    plans: ['free', 'standard'],
    shards: { free: 1, standard: 4 },
    groupCommitCu: 0,
    defaultPlan: 'standard',
    buckets: { evidence: 'evidence', heads: 'heads' },
    headKeyArn: 'arn:head-key',
    issuerSecretArn: 'arn:issuer',
    cache: { tableName: 'cache', chains: ['example_mainnet', 'example_testnet'] },
    releases: { functions: [{ name: 'rpc', functionName: 'gateway-rpc' }], application: undefined },
  });
  expect(clientConfig.region).toBe('eu-west-1');
  const { credentials } = clientConfig;
  await expect(typeof credentials === 'function' && credentials()).resolves.toMatchObject({
    accessKeyId: 'test',
    secretAccessKey: 'test',
  });
  expect(request.get('Action')).toBe('DescribeStacks');
  expect(request.get('StackName')).toBe('gateway-test');
});

test('no region is wrong input', async () => {
  const { AWS_REGION, AWS_CONFIG_FILE } = process.env;
  delete process.env.AWS_REGION;
  process.env.AWS_CONFIG_FILE = '/nonexistent';
  await expect(readStack('gateway-test', undefined)).rejects.toThrow(
    new InputError('no region: give --region, or set AWS_REGION'),
  );
  Object.assign(process.env, AWS_REGION !== undefined && { AWS_REGION });
  if (AWS_CONFIG_FILE === undefined) delete process.env.AWS_CONFIG_FILE;
  else process.env.AWS_CONFIG_FILE = AWS_CONFIG_FILE;
});

test('another stack, and a stack that there is not, are wrong input', async () => {
  describeWith({ BaseUrl: 'https://example.com/' });
  const another = readStack('gateway-test', 'eu-west-1');
  await expect(another).rejects.toThrow(InputError);
  await expect(another).rejects.toThrow('stack gateway-test has no output KeysTableName');

  reply = refusal(400, 'ValidationError', 'Stack with id none does not exist');
  const none = readStack('none', 'eu-west-1');
  await expect(none).rejects.toThrow(new InputError('there is no stack none in eu-west-1'));
});

test('a refusal that passes is asked again, each other once', async () => {
  describeWith(OUTPUTS);
  refusals = [refusal(400, 'Throttling', 'Rate exceeded'), refusal(503, 'ServiceUnavailable', 'Not now')];
  await expect(readStack('gateway-test', 'eu-west-1')).resolves.toMatchObject({
    outputs: { defaultPlan: 'standard' },
  });
  expect(refusals).toEqual([]);

  const denied = refusal(403, 'AccessDenied', 'No');
  refusals = [denied, denied];
  await expect(readStack('gateway-test', 'eu-west-1')).rejects.toThrow('AccessDenied');
  expect(refusals).toEqual([denied]);
  refusals = [];
});

test('a malformed name is wrong input, in the words of AWS', async () => {
  const malformed = refusal(400, 'ValidationError', 'Value &apos;a b&apos; failed to satisfy constraint');
  refusals = [malformed, malformed];
  await expect(readStack('a b', 'eu-west-1')).rejects.toThrow(
    new InputError("Value 'a b' failed to satisfy constraint"),
  );
  expect(refusals).toEqual([malformed]);
  refusals = [];
});

test('each output keeps its own value, where one before it is empty and others have entities', async () => {
  describeWith({ ...OUTPUTS, HeadKeyArn: '&lt;a&gt; &amp;lt; &quot;b&quot; &apos;c&apos;' });
  reply.body = reply.body.replace('<OutputValue>https://example.com/v1/</OutputValue>', '<OutputValue/>');
  const { outputs } = await readStack('gateway-test', 'eu-west-1');
  expect(outputs).toMatchObject({ headKeyArn: `<a> &lt; "b" 'c'`, issuerSecretArn: 'arn:issuer' });
});
