import { accountOf, describeStack, isFirstDeployment, regionOf } from '../context/stack.ts';
import { accountChecks } from './account-lines.ts';
import { fileChecks } from './file-lines.ts';
import { type Line, lookAt } from './line.ts';
import { nodeChecks } from './node-lines.ts';
import type { Outside } from './outside.ts';
import type { StageFacts } from './stage-facts.ts';

/** All lines of a stage file. Rejects with `InputError` if neither it nor the profile names a region. */
export async function preflightLines(
  outside: Outside,
  facts: StageFacts,
  asksNodes: boolean,
): Promise<Line[]> {
  const { config, stackName } = facts;
  const region = await regionOf(outside, facts);
  const { ask } = outside;
  const place = { ask, region };
  const [account, stack] = await Promise.all([
    accountOf(place).catch(() => undefined),
    describeStack(place, stackName).catch(() => ({ id: '', status: 'unknown', outputs: {} })),
  ]);
  const uses = { database: config.database.enabled, domain: config.domain !== undefined };
  const checks = [
    ...accountChecks(uses),
    ...nodeChecks(config, asksNodes ? outside.askNode : undefined),
    ...fileChecks(config),
  ];
  const isFirst = isFirstDeployment(stack);
  return lookAt(checks, { ask, facts, region, account, stackStatus: stack?.status, isFirst });
}
