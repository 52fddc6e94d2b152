import { upstreamReference } from '../../../lambdas/shared/runtime/settings.ts';
import type { StageConfig } from '../../../lib/config/stage-config.ts';
import { describeMonth } from '../../cost/stage-month.ts';
import { asked, textIn, textsIn } from '../context/ask-aws.ts';
import { type Check, type Finding, fails, itHolds, unknown } from './line.ts';
import { type StageFacts, secretsOf } from './stage-facts.ts';

const CERTIFICATE_COMMAND = 'aws acm request-certificate --validation-method DNS --domain-name';
const SITE_REGION = 'us-east-1';
/** States of a stack that can be deployed to. */
const DEPLOYABLE = /^(CREATE|UPDATE|IMPORT|UPDATE_ROLLBACK|IMPORT_ROLLBACK)_COMPLETE$/;
/** Takes a stack away, and what earlier tries left. */
const DOWN_COMMAND = 'npm run --silent operator -- down --config';
/** The line with what the stage costs. */
export const PRICE_LINE = 'price';
/** Resources that are named in a line. */
const SHOWN = 5;

/** A secret with one URL, or the value of a header, and nothing around it. */
function secret(name: string, isUrl: boolean): Check {
  return {
    name: `secret ${name}`,
    async look({ ask, region }) {
      const call = { service: 'secretsmanager', action: 'GetSecretValue', region } as const;
      const body = await asked(ask, { ...call, parameters: { SecretId: name } }, [
        'ResourceNotFoundException',
      ]);
      if (body === undefined)
        return fails(
          'there is no such secret',
          `aws secretsmanager create-secret --region ${region} --name ${name} --secret-string '${isUrl ? 'URL' : 'VALUE'}'`,
        );
      const text = JSON.parse(body).SecretString;
      if (typeof text !== 'string') return unknown('it holds no text that can be read');
      const wrong = wrongShape(text, isUrl);
      if (wrong === undefined) return itHolds(isUrl ? 'holds a URL' : 'holds a value');
      return fails(
        wrong,
        `aws secretsmanager put-secret-value --region ${region} --secret-id ${name} --secret-string '${isUrl ? 'URL' : 'VALUE'}'`,
      );
    },
  };
}

/** What is wrong with the text of a secret, which is not shown. */
function wrongShape(text: string, isUrl: boolean): string | undefined {
  if (/[\r\n][^\r\n]/.test(text)) return 'it has more than one line';
  if (/[\r\n]$/.test(text)) return 'it ends with a line end';
  if (text.trim() !== text) return 'it has spaces around the value';
  if (!isUrl) return text === '' ? 'it is empty' : undefined;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return 'it is no URL that begins with https://';
  return url.username === '' && url.password === '' ? undefined : 'its URL has a user name or password';
}

/** A certificate of ACM in the region that its user needs. */
function certificate(
  name: string,
  { name: host, certificateArn }: Domain,
  regionOf: (stage: string) => string,
): Check {
  return {
    name,
    async look({ ask, region: stageRegion }) {
      const region = regionOf(stageRegion);
      const mend = `${CERTIFICATE_COMMAND} ${host} --region ${region}`;
      const own = certificateArn.split(':')[3];
      if (own !== region) return fails(`it is in ${own}, and must be in ${region}`, mend);
      const call = { service: 'acm', action: 'DescribeCertificate', region } as const;
      const body = await asked(ask, { ...call, parameters: { CertificateArn: certificateArn } }, [
        'ResourceNotFoundException',
      ]);
      if (body === undefined) return fails('there is no such certificate', mend);
      const {
        Status: status,
        SubjectAlternativeNames: names,
        DomainName: first,
      } = JSON.parse(body).Certificate ?? {};
      if (typeof status !== 'string') return unknown('AWS does not tell its state');
      if (status !== 'ISSUED')
        return fails(
          `it is ${status}`,
          `aws acm wait certificate-validated --region ${region} --certificate-arn ${certificateArn}`,
        );
      const covered = [first, ...(Array.isArray(names) ? names : [])].map(String);
      const parent = host.slice(host.indexOf('.'));
      return covered.some((one) => one === host || one === `*${parent}`)
        ? itHolds(`issued for ${host}`)
        : fails(`it is for ${covered[0]}, not for ${host}`, mend);
    },
  };
}

type Domain = NonNullable<StageConfig['domain']>;

function zone({ id, name }: NonNullable<Domain['hostedZone']>): Check {
  return {
    name: `zone ${id}`,
    async look({ ask, region }) {
      const mend = "aws route53 list-hosted-zones --query 'HostedZones[].[Id,Name]' --output text";
      const call = { service: 'route53', action: `/2013-04-01/hostedzone/${id}`, region } as const;
      const body = await asked(ask, call, ['NoSuchHostedZone']);
      if (body === undefined) return fails('there is no such zone', mend);
      const named = textIn(body, 'Name');
      if (named === undefined) return unknown('AWS does not name it');
      return named === `${name}.` ? itHolds(named) : fails(`it is ${named}, not ${name}.`, mend);
    },
  };
}

const engine: Check = {
  name: 'database engine',
  async look({ ask, region, facts }) {
    const { engineVersion } = facts.config.database;
    const parameters = { Engine: 'aurora-postgresql', EngineVersion: engineVersion };
    const call = { service: 'rds', action: 'DescribeDBEngineVersions', region, parameters } as const;
    const body = (await asked(ask, call)) ?? '';
    if (!body.includes('DBEngineVersions')) return unknown('AWS lists no engines');
    return textsIn(body, 'EngineVersion').includes(engineVersion)
      ? itHolds(`Aurora PostgreSQL ${engineVersion} is on offer`)
      : fails(
          `Aurora PostgreSQL ${engineVersion} is not on offer in ${region}`,
          `aws rds describe-db-engine-versions --engine aurora-postgresql --region ${region} --query 'DBEngineVersions[].EngineVersion'; then "database": { "engineVersion": … }`,
        );
  },
};

/** The vault to which the tables are copied, and whether AWS Backup copies tables at all. */
function vault({ copyTo }: NonNullable<StageConfig['backup']>): Check {
  const [, , , region = '', account, , name = ''] = copyTo.split(':');
  return {
    name: `vault ${name}`,
    async look({ ask, region: stageRegion, account: own }) {
      for (const one of new Set([stageRegion, region])) {
        const settings = JSON.parse(
          (await asked(ask, { service: 'backup', action: '/account-settings', region: one })) ?? '{}',
        );
        const managed = settings.ResourceTypeManagementPreference?.DynamoDB;
        if (managed === undefined) return unknown(`AWS Backup does not tell its settings in ${one}`);
        if (managed !== true || settings.ResourceTypeOptInPreference?.DynamoDB === false)
          return fails(
            `AWS Backup copies no tables in ${one}`,
            `aws backup update-region-settings --region ${one} --resource-type-opt-in-preference DynamoDB=true --resource-type-management-preference DynamoDB=true`,
          );
      }
      if (account !== own) return unknown(`it is in account ${account}`);
      const call = { service: 'backup', action: `/backup-vaults/${name}`, region } as const;
      const body = await asked(ask, call, ['ResourceNotFoundException', '404']);
      return body === undefined
        ? fails(
            `there is no such vault in ${region}`,
            `aws backup create-backup-vault --region ${region} --backup-vault-name ${name}`,
          )
        : itHolds(`in ${region}`);
    },
  };
}

/** The stack as it is, and what earlier tries left beside it. */
const leftovers: Check = {
  name: 'earlier tries',
  async look({ ask, region, facts, stackStatus, isFirst }) {
    const { stackName, config, file } = facts;
    if (stackStatus === 'unknown') return unknown(`AWS does not tell whether there is a stack ${stackName}`);
    if (stackStatus !== undefined && isFirst)
      return itHolds(`${stackName} is half made: operator up continues it`);
    if (stackStatus !== undefined && DEPLOYABLE.test(stackStatus))
      return itHolds(`${stackName} is ${stackStatus}`);
    if (stackStatus !== undefined) return stuck({ stackName, file }, stackStatus, region);
    const call = { service: 'tagging', action: 'GetResources', region } as const;
    const parameters = {
      TagFilters: [{ Key: 'gateway-stage', Values: [config.stage] }],
      ResourcesPerPage: 100,
    };
    const list = JSON.parse((await asked(ask, { ...call, parameters })) ?? '{}').ResourceTagMappingList;
    if (!Array.isArray(list)) return unknown('AWS lists no resources');
    // A key that is being deleted stays in the list for days, and stands in nobody's way.
    const arns = list.map((one) => String(one.ResourceARN)).filter((arn) => arn.split(':')[2] !== 'kms');
    if (arns.length === 0) return itHolds('none has left anything');
    const more = arns.length > SHOWN ? ` and ${arns.length - SHOWN} more` : '';
    return fails(
      `there is no stack, and resources of the stage are left: ${arns.slice(0, SHOWN).join(', ')}${more}`,
      `${DOWN_COMMAND} ${file}, or operator adopt, or another name of the stage`,
    );
  },
};

function stuck(
  { stackName: stack, file }: Pick<StageFacts, 'stackName' | 'file'>,
  status: string,
  region: string,
): Finding {
  const mend = status === 'UPDATE_FAILED' ? `npx cdk rollback -c config=${file}` : `${DOWN_COMMAND} ${file}`;
  return status.endsWith('_IN_PROGRESS')
    ? fails(
        `${stack} is ${status}`,
        `aws cloudformation describe-stack-events --region ${region} --stack-name ${stack}: wait for its end`,
      )
    : fails(`${stack} is ${status}`, mend);
}

const price: Check = {
  name: PRICE_LINE,
  look: async ({ facts }) => itHolds(describeMonth(facts.month)),
};

/** What no question from here answers. */
function unknowable({ site, chains }: StageConfig): Check[] {
  const never = (name: string, text: string): Check => ({ name, look: async () => unknown(text) });
  return [
    ...(site?.enabled === true
      ? [
          never(
            'CloudFront',
            'an account must be verified by AWS Support before its first distribution; no call tells',
          ),
        ]
      : []),
    never('organisation', 'policies of an organisation that refuse what the account allows'),
    ...(chains.length > 0
      ? [never('nodes from Lambda', 'whether nodes take calls from the addresses of Lambda')]
      : []),
  ];
}

/** What a stage file asks for by name. */
export function fileChecks(config: StageConfig): Check[] {
  const { domain, site, backup, database } = config;
  const urls = new Set(urlSecrets(config));
  return [
    ...secretsOf(config).map((name) => secret(name, urls.has(name))),
    ...(domain === undefined ? [] : [certificate('certificate', domain, (stage) => stage)]),
    ...(domain?.hostedZone === undefined ? [] : [zone(domain.hostedZone)]),
    ...(site?.domain === undefined
      ? []
      : [certificate("site's certificate", site.domain, () => SITE_REGION)]),
    ...(site?.domain?.hostedZone === undefined ? [] : [zone(site.domain.hostedZone)]),
    ...(database.enabled ? [engine] : []),
    ...(backup === undefined ? [] : [vault(backup)]),
    leftovers,
    price,
    ...unknowable(config),
  ];
}

/** Names of the secrets that hold URLs. */
function urlSecrets({ chains }: StageConfig): string[] {
  return chains.flatMap(({ upstreams }) =>
    upstreams.flatMap((entry) => {
      const reference = upstreamReference(entry);
      return reference.startsWith('secret:') ? [reference.slice('secret:'.length)] : [];
    }),
  );
}
