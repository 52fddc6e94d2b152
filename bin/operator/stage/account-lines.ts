import { asked, textIn, textsIn } from '../context/ask-aws.ts';
import { type Check, fails, itHolds, unknown } from './line.ts';

/** Version of the bootstrap stack that a deployment needs at least. */
const LEAST_BOOTSTRAP = 6;
const BOOTSTRAP_PARAMETER = '/cdk-bootstrap/hnb659fds/version';
/** Concurrent executions that Lambda keeps for functions without a reservation. */
const KEPT_UNRESERVED = 100;
const VPC_QUOTA = { ServiceCode: 'vpc', QuotaCode: 'L-F678F1CE' } as const;
const QUOTA_COMMAND = 'aws service-quotas request-service-quota-increase';

/** Whose credentials these are. */
const identity: Check = {
  name: 'credentials',
  async look({ ask, region, account }) {
    if (account !== undefined) return itHolds(`account ${account}, region ${region}`);
    const body = await asked(ask, { service: 'sts', action: 'GetCallerIdentity', region }, [
      'ExpiredToken',
      'InvalidClientTokenId',
      'SignatureDoesNotMatch',
    ]);
    if (body === undefined)
      return fails('AWS does not take the credentials of this machine', 'aws sso login, or aws configure');
    return unknown('AWS does not name the account');
  },
};

const bootstrap: Check = {
  name: 'bootstrap',
  async look({ ask, region, account = 'ACCOUNT' }) {
    const mend = `npx cdk bootstrap aws://${account}/${region}`;
    const call = { service: 'ssm', action: 'GetParameter', region } as const;
    const body = await asked(ask, { ...call, parameters: { Name: BOOTSTRAP_PARAMETER } }, [
      'ParameterNotFound',
    ]);
    if (body === undefined) return fails(`${region} of the account has no bootstrap stack`, mend);
    const version = Number(JSON.parse(body).Parameter?.Value);
    if (!Number.isInteger(version)) return unknown('the bootstrap stack names no version');
    return version < LEAST_BOOTSTRAP
      ? fails(`the bootstrap stack has version ${version}, and ${LEAST_BOOTSTRAP} is needed`, mend)
      : itHolds(`version ${version}`);
  },
};

const concurrency: Check = {
  name: 'Lambda',
  async look({ ask, region, facts, stackStatus }) {
    const call = { service: 'lambda', action: '/2016-08-19/account-settings', region } as const;
    const { AccountLimit: limit } = JSON.parse((await asked(ask, call)) ?? '{}');
    const [all, free] = [limit?.ConcurrentExecutions, limit?.UnreservedConcurrentExecutions].map(Number);
    if (all === undefined || free === undefined || !Number.isFinite(all + free))
      return unknown('AWS names no limit of concurrent executions');
    const { reserved } = facts;
    if (reserved === 0) return itHolds(`reserves nothing; all functions share ${all} concurrent executions`);
    if (stackStatus !== undefined)
      return unknown(`the stage reserves ${reserved}; how much of that its stack has already cannot be seen`);
    const needed = reserved + KEPT_UNRESERVED;
    if (free >= needed) return itHolds(`reserves ${reserved} of ${free} that are free`);
    return fails(
      `reserves ${reserved}, ${KEPT_UNRESERVED} stay unreserved, and the account has ${free} of ${all} free`,
      `${QUOTA_COMMAND} --service-code lambda --quota-code L-B99A9384 --desired-value ${all - free + needed}; or "functions": { "reserveConcurrency": false }`,
    );
  },
};

const vpcs: Check = {
  name: 'VPCs',
  async look({ ask, region, facts, stackStatus }) {
    const needed = stackStatus === undefined ? facts.vpcs : 0;
    if (stackStatus === 'unknown' && facts.vpcs > 0)
      return unknown('whether the stack has its own cannot be seen');
    if (needed === 0) return itHolds('makes none more');
    const body = (await asked(ask, { service: 'ec2', action: 'DescribeVpcs', region })) ?? '';
    const has = textsIn(body, 'vpcId').length;
    const call = { service: 'servicequotas', action: 'GetServiceQuota', region } as const;
    const quota = JSON.parse((await asked(ask, { ...call, parameters: VPC_QUOTA })) ?? '{}').Quota?.Value;
    if (typeof quota !== 'number') return unknown('AWS names no quota of VPCs');
    if (has + needed <= quota) return itHolds(`has ${has} of ${quota}, and makes ${needed}`);
    return fails(
      `has ${has} of ${quota}, and needs ${needed} more`,
      `${QUOTA_COMMAND} --service-code vpc --quota-code ${VPC_QUOTA.QuotaCode} --desired-value ${has + needed}`,
    );
  },
};

/** A role that AWS makes for a service of its own, where a first use of it does not. */
function serviceRole(name: string, role: string, service: string): Check {
  return {
    name,
    async look({ ask, region }) {
      const call = { service: 'iam', action: 'GetRole', region, parameters: { RoleName: role } } as const;
      const body = await asked(ask, call, ['NoSuchEntity']);
      return body === undefined
        ? fails(`there is no ${role}`, `aws iam create-service-linked-role --aws-service-name ${service}`)
        : itHolds(role);
    },
  };
}

/** One role in an account and region, which each stage sets. */
const logRole: Check = {
  name: 'log role of API Gateway',
  async look({ ask, region }) {
    const body = await asked(ask, { service: 'apigateway', action: '/account', region });
    const arn = JSON.parse(body ?? '{}').cloudwatchRoleArn;
    if (typeof arn !== 'string' || arn === '') return itHolds('none yet: the stack makes it');
    const RoleName = arn.split('/').at(-1) ?? '';
    const role = await asked(ask, { service: 'iam', action: 'GetRole', region, parameters: { RoleName } }, [
      'NoSuchEntity',
    ]);
    if (role !== undefined && textIn(role, 'Arn') !== undefined)
      return itHolds(`${RoleName}; the stack puts its own there`);
    if (role !== undefined) return unknown('AWS does not name the role');
    return fails(
      `API Gateway writes its logs as ${RoleName}, which is gone`,
      'aws apigateway update-account --patch-operations op=replace,path=/cloudwatchRoleArn,value=',
    );
  },
};

/** What the account itself must have. */
export function accountChecks(uses: { readonly database: boolean; readonly domain: boolean }): Check[] {
  return [
    identity,
    bootstrap,
    concurrency,
    vpcs,
    ...(uses.database ? [serviceRole('role of RDS', 'AWSServiceRoleForRDS', 'rds.amazonaws.com')] : []),
    ...(uses.domain
      ? [serviceRole('role of API Gateway', 'AWSServiceRoleForAPIGateway', 'ops.apigateway.amazonaws.com')]
      : []),
    logRole,
  ];
}
