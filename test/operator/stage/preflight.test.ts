/** Preflight asks an account what a deployment would find: each line is seen well, red with what mends it, and unknown. */
import type { AskAws } from '../../../bin/operator/context/ask-aws.ts';
import type { AskNode } from '../../../bin/operator/stage/node-lines.ts';
import { BARE_CONTEXT } from '../bare-context.ts';
import { capturedRun } from '../captured-run.ts';
import {
  ACCOUNT,
  type FakeOutside,
  fakeOutside,
  json,
  jsonError,
  NODE_URL,
  READY,
  xml,
  xmlError,
} from './fake-account.ts';

const COMMAND = ['preflight', '--config', 'own.json', '--ask-nodes', '--json'];

interface Seen {
  readonly name: string;
  readonly verdict: string;
  readonly text: string;
  readonly mend?: string;
}

async function look(world: FakeOutside, command = COMMAND) {
  const { exitCode, stdout, stderr } = await capturedRun(command, BARE_CONTEXT, fakeOutside(world));
  expect(stderr).toBe('');
  const { lines } = JSON.parse(stdout) as { lines: readonly Seen[] };
  return { exitCode, lines };
}

async function lineOf(name: string, world: FakeOutside): Promise<Seen> {
  const { lines } = await look(world);
  const found = lines.filter((line) => line.name === name);
  expect(found).toHaveLength(1);
  return found[0] as Seen;
}

const answering =
  (status: number, result: string): AskNode =>
  async () => ({
    status,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, result }),
  });
const secretOf = (SecretString: unknown): FakeOutside => ({
  responses: { ...READY, 'secretsmanager GetSecretValue': json({ Name: 'gateway/node', SecretString }) },
});
const aws = (responses: object): FakeOutside => ({ responses: { ...READY, ...responses } });
const DENIED_JSON = jsonError('AccessDeniedException');
const DENIED_XML = xmlError('AccessDenied', 403);
const certificate = (fields: object) => ({
  'acm DescribeCertificate': json({
    Certificate: { DomainName: 'rpc.gateway.test', Status: 'ISSUED', ...fields },
  }),
});
const stackIs = (status: string, output?: string) => ({
  'cloudformation DescribeStacks': xml(
    `<Stacks><member><StackStatus>${status}</StackStatus>${output === undefined ? '' : `<OutputKey>${output}</OutputKey><OutputValue>x</OutputValue>`}</member></Stacks>`,
  ),
});
const leftIs = (...arns: readonly string[]) => ({
  'tagging GetResources': json({ ResourceTagMappingList: arns.map((ResourceARN) => ({ ResourceARN })) }),
});

test.each([
  ['half made', stackIs('CREATE_FAILED')],
  ['half made, and continued without success', stackIs('UPDATE_FAILED')],
  ['named, and not begun', stackIs('REVIEW_IN_PROGRESS')],
  ['gone, but for a key whose end is set', leftIs('arn:aws:kms:us-east-1:1:key/1')],
])('a stack that is %s does not stand in the way', async (_what, responses) => {
  expect(await lineOf('earlier tries', aws(responses))).toMatchObject({ verdict: 'holds' });
});

test('an account that has everything is well but for what no question answers', async () => {
  const { exitCode, lines } = await look({});
  expect(exitCode).toBe(0);
  expect(lines.filter(({ verdict }) => verdict !== 'holds').map(({ name }) => name)).toEqual([
    'CloudFront',
    'organisation',
    'nodes from Lambda',
  ]);
  for (const { name, verdict } of lines.slice(-3)) expect([name, verdict]).toEqual([name, 'unknown']);
});

test('an account that does not answer has not one line that is well, beside the price', async () => {
  const ask: AskAws = async () => Promise.reject(new Error('no connection in time'));
  const outside = { ...fakeOutside({}), ask };
  const { stdout } = await capturedRun(COMMAND, BARE_CONTEXT, outside);
  const { lines } = JSON.parse(stdout) as { lines: readonly Seen[] };
  expect(lines.filter(({ verdict }) => verdict === 'holds').map(({ name }) => name)).toEqual(['price']);
  expect(lines.filter(({ verdict }) => verdict === 'fails')).toEqual([]);
});

const RED: readonly [string, string, FakeOutside, string][] = [
  ['credentials', 'ended', aws({ 'sts GetCallerIdentity': xmlError('ExpiredToken', 403) }), 'aws sso login'],
  [
    'bootstrap',
    'absent',
    aws({ 'ssm GetParameter': jsonError('ParameterNotFound') }),
    `npx cdk bootstrap aws://${ACCOUNT}/us-east-1`,
  ],
  ['bootstrap', 'old', aws({ 'ssm GetParameter': json({ Parameter: { Value: '5' } }) }), 'npx cdk bootstrap'],
  [
    'Lambda',
    'a quota of 10',
    aws({
      'lambda /2016-08-19/account-settings': json({
        AccountLimit: { ConcurrentExecutions: 10, UnreservedConcurrentExecutions: 10 },
      }),
    }),
    '--quota-code L-B99A9384 --desired-value 800; or "functions": { "reserveConcurrency": false }',
  ],
  [
    'VPCs',
    'no more',
    aws({ 'servicequotas GetServiceQuota': json({ Quota: { Value: 2 } }) }),
    '--desired-value 3',
  ],
  [
    'role of RDS',
    'absent',
    aws({ 'iam GetRole': xmlError('NoSuchEntity', 404) }),
    '--aws-service-name rds.amazonaws.com',
  ],
  [
    'role of API Gateway',
    'absent',
    aws({ 'iam GetRole': xmlError('NoSuchEntity', 404) }),
    'ops.apigateway.amazonaws.com',
  ],
  [
    'log role of API Gateway',
    'gone',
    aws({ 'iam GetRole': xmlError('NoSuchEntity', 404) }),
    'update-account',
  ],
  [
    'secret gateway/node',
    'absent',
    aws({ 'secretsmanager GetSecretValue': jsonError('ResourceNotFoundException') }),
    'create-secret',
  ],
  ['secret gateway/node', 'of two lines', secretOf(`${NODE_URL}\n${NODE_URL}`), 'put-secret-value'],
  ['secret gateway/node', 'with a line end', secretOf(`${NODE_URL}\n`), 'put-secret-value'],
  ['secret gateway/node', 'with a space', secretOf(` ${NODE_URL}`), 'put-secret-value'],
  ['secret gateway/node', 'without a URL', secretOf('key'), 'put-secret-value'],
  [
    'node 1 of mainnet',
    'of another chain',
    { node: answering(200, '0xa4b1') },
    'the URL of a node of chain 1',
  ],
  ['node 1 of mainnet', 'with a wrong key', { node: answering(401, '') }, 'the URL of a node of chain 1'],
  [
    'certificate',
    'absent',
    aws({ 'acm DescribeCertificate': jsonError('ResourceNotFoundException') }),
    'request-certificate',
  ],
  ['certificate', 'not issued', aws(certificate({ Status: 'PENDING_VALIDATION' })), 'certificate-validated'],
  [
    'certificate',
    'of another name',
    aws(certificate({ DomainName: 'www.gateway.test' })),
    'request-certificate',
  ],
  [
    'zone Z03141592653',
    'absent',
    aws({ 'route53 /2013-04-01/hostedzone/Z03141592653': xmlError('NoSuchHostedZone', 404) }),
    'list-hosted-zones',
  ],
  [
    'zone Z03141592653',
    'of another name',
    aws({
      'route53 /2013-04-01/hostedzone/Z03141592653': xml('<HostedZone><Name>other.test.</Name></HostedZone>'),
    }),
    'list-hosted-zones',
  ],
  [
    'database engine',
    'withdrawn',
    aws({
      'rds DescribeDBEngineVersions': xml(
        '<DescribeDBEngineVersionsResult><DBEngineVersions/></DescribeDBEngineVersionsResult>',
      ),
    }),
    'describe-db-engine-versions',
  ],
  [
    'vault copies',
    'absent',
    aws({ 'backup /backup-vaults/copies': jsonError('ResourceNotFoundException', 404) }),
    'create-backup-vault',
  ],
  [
    'vault copies',
    'without tables',
    aws({ 'backup /account-settings': json({ ResourceTypeManagementPreference: { DynamoDB: false } }) }),
    'update-region-settings',
  ],
  ['earlier tries', 'rolled back', aws(stackIs('ROLLBACK_COMPLETE')), 'down --config own.json'],
  ['earlier tries', 'under way', aws(stackIs('UPDATE_IN_PROGRESS')), 'describe-stack-events'],
  ['earlier tries', 'failed later', aws(stackIs('UPDATE_FAILED', 'BaseUrl')), 'npx cdk rollback'],
  [
    'earlier tries',
    'left behind',
    aws({
      'tagging GetResources': json({
        ResourceTagMappingList: [{ ResourceARN: 'arn:aws:dynamodb:::table/keys' }],
      }),
    }),
    'down --config own.json',
  ],
];

test.each(RED)('%s is red: %s', async (name, _why, world, mend) => {
  const line = await lineOf(name, world);
  expect(line).toMatchObject({ verdict: 'fails', mend: expect.stringContaining(mend) });
  expect(JSON.stringify(line)).not.toContain(NODE_URL);
  expect((await look(world)).exitCode).toBe(1);
});

test("a certificate of another region is red, also the site's", async () => {
  const certificateArn = `arn:aws:acm:eu-west-1:${ACCOUNT}:certificate/1`;
  const domain = { name: 'rpc.gateway.test', certificateArn };
  const stage = { region: undefined, domain, backup: undefined };
  const outside = { ...fakeOutside({ stage }), region: async () => 'us-east-1' };
  const { stdout } = await capturedRun(COMMAND, BARE_CONTEXT, outside);
  expect(JSON.parse(stdout).lines).toContainEqual(
    expect.objectContaining({
      name: 'certificate',
      verdict: 'fails',
      text: 'it is in eu-west-1, and must be in us-east-1',
    }),
  );
});

const UNKNOWN: readonly [string, FakeOutside][] = [
  ['credentials', aws({ 'sts GetCallerIdentity': xmlError('InternalFailure', 500) })],
  ['bootstrap', aws({ 'ssm GetParameter': DENIED_JSON })],
  ['bootstrap', aws({ 'ssm GetParameter': json({}) })],
  ['Lambda', aws({ 'lambda /2016-08-19/account-settings': jsonError('AccessDeniedException', 403) })],
  ['Lambda', aws({ 'lambda /2016-08-19/account-settings': json({}) })],
  ['Lambda', aws(stackIs('UPDATE_COMPLETE'))],
  ['VPCs', aws({ 'ec2 DescribeVpcs': DENIED_XML })],
  ['VPCs', aws({ 'servicequotas GetServiceQuota': jsonError('NoSuchResourceException') })],
  ['role of RDS', aws({ 'iam GetRole': DENIED_XML })],
  ['role of API Gateway', aws({ 'iam GetRole': DENIED_XML })],
  ['log role of API Gateway', aws({ 'apigateway /account': jsonError('AccessDeniedException', 403) })],
  ['log role of API Gateway', aws({ 'iam GetRole': DENIED_XML })],
  ['secret gateway/node', aws({ 'secretsmanager GetSecretValue': DENIED_JSON })],
  ['secret gateway/node', secretOf(undefined)],
  ['node 1 of mainnet', aws({ 'secretsmanager GetSecretValue': DENIED_JSON })],
  ['node 1 of mainnet', { node: answering(503, '0x1') }],
  ['node 1 of mainnet', { node: async () => Promise.reject(new Error(`no route to ${NODE_URL}`)) }],
  ['node 1 of mainnet', { node: async () => ({ status: 200, body: '<html>' }) }],
  ['certificate', aws({ 'acm DescribeCertificate': DENIED_JSON })],
  ['certificate', aws({ 'acm DescribeCertificate': json({}) })],
  ['zone Z03141592653', aws({ 'route53 /2013-04-01/hostedzone/Z03141592653': DENIED_XML })],
  ['database engine', aws({ 'rds DescribeDBEngineVersions': DENIED_XML })],
  ['database engine', aws({ 'rds DescribeDBEngineVersions': xml('<Empty/>') })],
  ['vault copies', aws({ 'backup /account-settings': jsonError('AccessDeniedException', 403) })],
  ['vault copies', aws({ 'backup /account-settings': json({}) })],
  [
    'vault copies',
    {
      stage: {
        backup: {
          copyTo: 'arn:aws:backup:us-west-2:777788889999:backup-vault:copies',
          keyArn: `arn:aws:kms:us-east-1:${ACCOUNT}:key/1`,
        },
      },
    },
  ],
  ['earlier tries', aws({ 'cloudformation DescribeStacks': DENIED_XML })],
  ['earlier tries', aws({ 'tagging GetResources': DENIED_JSON })],
  ['CloudFront', {}],
  ['organisation', {}],
  ['nodes from Lambda', {}],
];

test.each(UNKNOWN)('%s is unknown where AWS does not say, and never well', async (name, world) => {
  const line = await lineOf(name, world);
  expect(line.verdict).toBe('unknown');
  expect(JSON.stringify(line)).not.toContain(NODE_URL);
});

test('no line is left out of these: each is seen unknown, and red if anything answers it', async () => {
  const { lines } = await look({});
  const asked = lines.filter(({ name }) => name !== 'price');
  expect(new Set(UNKNOWN.map(([name]) => name))).toEqual(new Set(asked.map(({ name }) => name)));
  const answered = asked.filter(({ verdict }) => verdict === 'holds');
  expect(new Set(RED.map(([name]) => name))).toEqual(new Set(answered.map(({ name }) => name)));
});

test('nodes are asked only if the command says so', async () => {
  const node: AskNode = async () => Promise.reject(new Error('asked'));
  const { lines } = await look({ node }, ['preflight', '--config', 'own.json', '--json']);
  expect(lines).toContainEqual({
    name: 'node 1 of mainnet',
    verdict: 'unknown',
    text: 'it was not asked',
    mend: 'add --ask-nodes',
  });
});

test('a stage that reserves nothing, and makes no database, needs none of it', async () => {
  const stage = {
    functions: { reserveConcurrency: false },
    database: { enabled: false },
    domain: undefined,
    site: undefined,
    backup: undefined,
  };
  const { lines } = await look({
    stage,
    reserved: 0,
    responses: { ...READY, 'ec2 DescribeVpcs': DENIED_XML },
  });
  expect(lines.map(({ name, verdict }) => `${verdict} ${name}`)).toEqual([
    'holds credentials',
    'holds bootstrap',
    'holds Lambda',
    'holds VPCs',
    'holds log role of API Gateway',
    'holds node 1 of mainnet',
    'holds secret gateway/node',
    'holds earlier tries',
    'holds price',
    'unknown organisation',
    'unknown nodes from Lambda',
  ]);
});

test('people read a line each, the red ones last with what mends them', async () => {
  const outside = fakeOutside(aws({ 'ssm GetParameter': jsonError('ParameterNotFound') }));
  const { exitCode, stdout } = await capturedRun(COMMAND.slice(0, -1), BARE_CONTEXT, outside);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(
    /^ok {2}price +a month of this stage: about 15 USD without a request, 301 USD with 1,000,000 /m,
  );
  expect(stdout).toMatch(
    /\nNO {2}bootstrap .*\n +-> npx cdk bootstrap aws:\/\/444455556666\/us-east-1\n\n\d+ hold, 1 do not, 3 cannot be known/,
  );
});

test.each([
  [['preflight'], 'preflight needs --config'],
  [['preflight', '--config', 'own.json', '--local'], "unknown option '--local'"],
  [
    ['preflight', '--config', 'own.json', '--requests-per-day', 'many'],
    '--requests-per-day must be a number',
  ],
])('%j is refused', async (command, reason) => {
  const { exitCode, stdout, stderr } = await capturedRun(command, BARE_CONTEXT, fakeOutside({}));
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(reason);
});
