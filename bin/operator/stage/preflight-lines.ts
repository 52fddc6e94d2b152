import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import { accountChecks } from './account-lines.ts';
import { type AskAws, AwsRefusal, asked, textIn } from './ask-aws.ts';
import { fileChecks } from './file-lines.ts';
import { type Line, lookAt } from './line.ts';
import { nodeChecks } from './node-lines.ts';
import type { Outside } from './outside.ts';
import type { StageFacts } from './stage-facts.ts';

const BAD_REQUEST = 400;

/** All lines of a stage file. Rejects with {@link InputError} if neither it nor the profile names a region. */
export async function preflightLines(
  outside: Outside,
  facts: StageFacts,
  asksNodes: boolean,
): Promise<Line[]> {
  const { config, stackName } = facts;
  const region = await regionOf(outside, facts);
  const { ask } = outside;
  const [account, stackStatus] = await Promise.all([
    accountOf(ask, region).catch(() => undefined),
    stackStatusOf(ask, region, stackName).catch(() => 'unknown'),
  ]);
  const uses = { database: config.database.enabled, domain: config.domain !== undefined };
  const checks = [
    ...accountChecks(uses),
    ...nodeChecks(config, asksNodes ? outside.askNode : undefined),
    ...fileChecks(config),
  ];
  return lookAt(checks, { ask, facts, region, account, stackStatus });
}

/** Region that a stage is deployed to. Rejects with {@link InputError} if nothing names it. */
async function regionOf(outside: Pick<Outside, 'region'>, { config }: StageFacts): Promise<string> {
  const region = config.region ?? (await outside.region());
  if (region === undefined) throw new InputError('no region: set "region" in the stage file, or AWS_REGION');
  return region;
}

/** Account of the credentials. */
async function accountOf(ask: AskAws, region: string): Promise<string | undefined> {
  return textIn((await asked(ask, { service: 'sts', action: 'GetCallerIdentity', region })) ?? '', 'Account');
}

/** State of a stack; undefined: it does not exist. */
async function stackStatusOf(ask: AskAws, region: string, stack: string): Promise<string | undefined> {
  const call = { service: 'cloudformation', action: 'DescribeStacks', region } as const;
  const response = await ask({ ...call, parameters: { StackName: stack } });
  if (response.status === BAD_REQUEST && response.body.includes('does not exist')) return undefined;
  const status = textIn(response.body, 'StackStatus');
  if (status === undefined) throw new AwsRefusal(call, response);
  return status;
}
