import type { AskAws } from '../../../bin/operator/context/ask-aws.ts';
import type { AskNode } from '../../../bin/operator/stage/node-lines.ts';
import type { Outside } from '../../../bin/operator/stage/outside.ts';
import type { StageFacts } from '../../../bin/operator/stage/stage-facts.ts';
import { parseStageConfig } from '../../../lib/config/config.ts';
import type { StageConfigInput } from '../../../lib/config/stage-config.ts';

type AwsResponse = Awaited<ReturnType<AskAws>>;
type AwsCall = Parameters<AskAws>[0];

export const ACCOUNT = '444455556666';
export const NODE_URL = 'https://node.gateway.test/v2/key';

/** Responses by `service action`, in the shapes that the references of AWS document. A function answers by the call. */
export type Responses = Readonly<Record<string, AwsResponse | ((call: AwsCall) => AwsResponse)>>;

export const json = (value: unknown, status = 200): AwsResponse => ({ status, body: JSON.stringify(value) });
export const xml = (body: string, status = 200): AwsResponse => ({
  status,
  body: `<?xml version="1.0"?>${body}`,
});
/** An error of a service with JSON, and of one with XML. */
export const jsonError = (code: string, status = 400): AwsResponse =>
  json({ __type: code, message: 'no' }, status);
export const xmlError = (code: string, status = 400, message = 'no'): AwsResponse =>
  xml(
    `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
    status,
  );

/** An account in which a stage with everything can be deployed. */
export const READY: Responses = {
  'sts GetCallerIdentity': xml(
    `<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:iam::${ACCOUNT}:user/me</Arn><Account>${ACCOUNT}</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`,
  ),
  'ssm GetParameter': json({ Parameter: { Name: '/cdk-bootstrap/hnb659fds/version', Value: '28' } }),
  'lambda /2016-08-19/account-settings': json({
    AccountLimit: { ConcurrentExecutions: 1_000, UnreservedConcurrentExecutions: 900 },
  }),
  'ec2 DescribeVpcs': xml(
    '<DescribeVpcsResponse><vpcSet><item><vpcId>vpc-1</vpcId></item><item><vpcId>vpc-2</vpcId></item></vpcSet></DescribeVpcsResponse>',
  ),
  'servicequotas GetServiceQuota': json({ Quota: { QuotaCode: 'L-F678F1CE', Value: 5 } }),
  'iam GetRole': xml(
    '<GetRoleResponse><GetRoleResult><Role><Arn>arn:aws:iam::1:role/x</Arn></Role></GetRoleResult></GetRoleResponse>',
  ),
  'apigateway /account': json({ cloudwatchRoleArn: `arn:aws:iam::${ACCOUNT}:role/gateway-old` }),
  'secretsmanager GetSecretValue': json({ Name: 'gateway/node', SecretString: NODE_URL }),
  'acm DescribeCertificate': json({
    Certificate: {
      DomainName: '*.gateway.test',
      SubjectAlternativeNames: ['*.gateway.test'],
      Status: 'ISSUED',
    },
  }),
  'route53 /2013-04-01/hostedzone/Z03141592653': xml(
    '<GetHostedZoneResponse><HostedZone><Id>/hostedzone/Z03141592653</Id><Name>gateway.test.</Name></HostedZone></GetHostedZoneResponse>',
  ),
  'rds DescribeDBEngineVersions': xml(
    '<DescribeDBEngineVersionsResponse><DescribeDBEngineVersionsResult><DBEngineVersions><DBEngineVersion><EngineVersion>17.9</EngineVersion></DBEngineVersion></DBEngineVersions></DescribeDBEngineVersionsResult></DescribeDBEngineVersionsResponse>',
  ),
  'backup /account-settings': json({
    ResourceTypeOptInPreference: { DynamoDB: true },
    ResourceTypeManagementPreference: { DynamoDB: true },
  }),
  'backup /backup-vaults/copies': json({ BackupVaultName: 'copies' }),
  'cloudformation DescribeStacks': xmlError(
    'ValidationError',
    400,
    'Stack with id gateway-own does not exist',
  ),
  'tagging GetResources': json({ PaginationToken: '', ResourceTagMappingList: [] }),
};

/** A stage file that uses all that preflight looks at. */
export const EVERYTHING: StageConfigInput = {
  stage: 'own',
  region: 'us-east-1',
  chains: [
    { chain: 'mainnet', name: 'Mainnet', chainId: 1, default: true, upstreams: ['secret:gateway/node'] },
  ],
  plans: { standard: { bucketCapacity: 1_000, refillPerSecond: 100 } },
  defaultPlan: 'standard',
  domain: {
    name: 'rpc.gateway.test',
    certificateArn: `arn:aws:acm:us-east-1:${ACCOUNT}:certificate/1c7e0a52`,
    hostedZone: { id: 'Z03141592653', name: 'gateway.test' },
  },
  backup: { copyTo: `arn:aws:backup:us-west-2:${ACCOUNT}:backup-vault:copies` },
  site: { enabled: true },
};

/** AWS with these responses; what no response is for is an error of the test. */
export function fakeAws(responses: Responses, calls: AwsCall[] = []): AskAws {
  return async (call) => {
    calls.push(call);
    const response = responses[`${call.service} ${call.action}`];
    if (response === undefined)
      throw new Error(`this test has no response for ${call.service} ${call.action}`);
    return typeof response === 'function' ? response(call) : response;
  };
}

export const goodNode: AskNode = async (_url, _headers, body) => ({
  status: 200,
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, result: body.includes('eth_chainId') ? '0x1' : '0x10' }),
});

export interface FakeOutside {
  readonly responses?: Responses;
  readonly stage?: object;
  readonly node?: AskNode;
  readonly reserved?: number;
}

/** The world of a command on a stage file. */
export function fakeOutside({
  responses = READY,
  stage = {},
  node = goodNode,
  reserved = 700,
}: FakeOutside): Outside {
  const config = parseStageConfig({ ...EVERYTHING, ...stage }, 'own.json');
  const facts: StageFacts = {
    file: 'own.json',
    config,
    stackName: `gateway-${config.stage}`,
    reserved,
    vpcs: config.database.enabled ? 1 : 0,
    resources: {},
    month: { idleUsd: 14.2, requestsPerDay: 1e6, usd: 300.4 },
  };
  return {
    ask: fakeAws(responses),
    askNode: node,
    readFacts: async () => facts,
    region: async () => undefined,
    pause: async () => undefined,
    tell: () => undefined,
    show: () => false,
    inquire: async () => undefined,
    run: () => Promise.reject(new Error('this test runs no program')),
    openGateway: () => Promise.reject(new Error('this test has no gateway')),
    openBooks: () => Promise.reject(new Error('this test has no books')),
    conform: () => Promise.reject(new Error('this test has no gateway')),
  };
}
