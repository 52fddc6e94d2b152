import type { Sleep } from '../../../lambdas/shared/runtime/sleep.ts';
import { AwsRefusal, asked, textIn } from '../context/ask-aws.ts';
import { membersOf, type Owned, type Place } from '../context/stack.ts';
import { reasonOf } from './line.ts';

/** What is nothing without the resource that it belongs to, and goes with it. */
export const PARTS: readonly string[] = [
  'AWS::ApiGateway::Account',
  'AWS::CloudFormation::Stack',
  'AWS::IAM::Policy',
  'AWS::Lambda::Version',
  'AWS::SecretsManager::SecretTargetAttachment',
];
/** Members by which AWS refuses to delete a resource. */
const PROTECTIONS: Readonly<Record<string, string>> = {
  'AWS::DynamoDB::Table': '/DeletionProtectionEnabled',
  'AWS::RDS::DBCluster': '/DeletionProtection',
};
const ROLE = 'AWS::IAM::Role';
/** Why the role of logs stays where other stages of the account need it: that is no failure. */
export const SHARED_ROLE = 'API Gateway writes the logs of other APIs of this account as this role';
const NOT_FOUND = ['ResourceNotFoundException', 'NotFound'];
/** Each round deletes what the one before left, because others needed it or AWS was asked too often. */
const MAX_ROUNDS = 12;
/** Rounds in which nothing goes, until the rest is left. */
const MAX_IDLE_ROUNDS = 2;
/** Time between two looks at a deletion, and how often it is looked at: half an hour, which a cluster can take. */
const LOOK_PAUSE_MS = 5_000;
const MAX_LOOKS = 360;
/** Resources whose end is waited for at a time. */
const AT_ONCE = 4;

type Waiting = Place & { readonly pause: Sleep };

/** A resource that is still there, and why. */
export interface Left extends Owned {
  readonly reason: string;
}

/** Those of the resources that stacks have left which are still there. */
export async function stillThere(place: Place, resources: readonly Owned[]): Promise<Owned[]> {
  const own = resources.filter(({ type }) => !PARTS.includes(type));
  const gone = await inTurns(own, async (one) =>
    isGone(place, one).catch((error: unknown) => {
      // What cannot be looked at is taken for there: its deletion says more.
      if (error instanceof AwsRefusal) return false;
      throw error;
    }),
  );
  return own.filter((_, index) => !gone[index]);
}

/**
 * Deletes what stacks have left, round by round, as long as something goes. Never what another stack has by now.
 * @param stacks ARNs of the stacks that left it
 */
export async function removeKept(
  place: Waiting,
  resources: readonly Owned[],
  stacks: readonly string[],
): Promise<Left[]> {
  let left: readonly Owned[] = resources;
  let reasons: (string | undefined)[] = [];
  let idle = 0;
  for (let round = 0; round < MAX_ROUNDS && left.length > 0; round += 1) {
    const before = left;
    reasons = await inTurns(before, (one) =>
      remove(place, one, stacks).catch((error: unknown) => reasonOf(error)),
    );
    left = before.filter((_, index) => reasons[index] !== undefined);
    reasons = reasons.filter((reason) => reason !== undefined);
    idle = left.length < before.length ? 0 : idle + 1;
    if (idle === MAX_IDLE_ROUNDS) break;
    if (left.length > 0) await place.pause(LOOK_PAUSE_MS);
  }
  return left.map((one, index) => ({ ...one, reason: reasons[index] ?? '' }));
}

/** Resolves to why it is still there; undefined: it is gone. */
async function remove(place: Waiting, one: Owned, stacks: readonly string[]): Promise<string | undefined> {
  const owner = await otherOwner(place, one, stacks);
  if (owner !== undefined) return `it belongs to ${owner}`;
  if (one.type === ROLE && !(await freeLogRole(place, one.id))) return SHARED_ROLE;
  if (await isGone(place, one)) return undefined;
  const protection = PROTECTIONS[one.type];
  if (protection !== undefined) {
    const PatchDocument = JSON.stringify([{ op: 'replace', path: protection, value: false }]);
    const reason = await changed(place, 'UpdateResource', one, { PatchDocument });
    if (reason !== undefined) return reason;
  }
  return changed(place, 'DeleteResource', one);
}

/** The stack that has a resource by now, which may have been imported; undefined: it is nobody's, or of one that left it. */
async function otherOwner(
  { ask, region }: Place,
  { id }: Owned,
  stacks: readonly string[],
): Promise<string | undefined> {
  const call = { service: 'cloudformation', action: 'DescribeStackResources', region } as const;
  const body = await asked(ask, { ...call, parameters: { PhysicalResourceId: id } }, ['ValidationError']);
  const owners = membersOf(body ?? '').filter(
    (member) => textIn(member, 'ResourceStatus')?.startsWith('DELETE_') !== true,
  );
  return owners.map((member) => textIn(member, 'StackId') ?? '').find((owner) => !stacks.includes(owner));
}

/** Takes the role of logs from API Gateway, if no API of the account is left; resolves to whether the role may go. */
async function freeLogRole({ ask, region }: Place, role: string): Promise<boolean> {
  const call = { service: 'apigateway', region } as const;
  const account = JSON.parse((await asked(ask, { ...call, action: '/account' })) ?? '{}');
  if (!String(account.cloudwatchRoleArn).endsWith(`/${role}`)) return true;
  const { item } = JSON.parse((await asked(ask, { ...call, action: '/restapis' })) ?? '{}');
  if (!Array.isArray(item) || item.length > 0) return false;
  const patch = { patchOperations: [{ op: 'replace', path: '/cloudwatchRoleArn', value: '' }] };
  const headers = { 'content-type': 'application/json' };
  const request = { method: 'PATCH', headers, body: JSON.stringify(patch) } as const;
  await asked(ask, { ...call, action: '/account', request });
  return true;
}

async function isGone({ ask, region }: Place, { type, id }: Owned): Promise<boolean> {
  const parameters = { TypeName: type, Identifier: id };
  const call = { service: 'cloudcontrolapi', action: 'GetResource', region, parameters } as const;
  return (await asked(ask, call, NOT_FOUND)) === undefined;
}

/** Changes or deletes a resource and waits for it; resolves to why it did not work, or undefined. */
async function changed(
  { ask, region, pause }: Waiting,
  action: 'UpdateResource' | 'DeleteResource',
  { type, id }: Owned,
  more: Readonly<Record<string, string>> = {},
): Promise<string | undefined> {
  const call = { service: 'cloudcontrolapi', region } as const;
  const parameters = { TypeName: type, Identifier: id, ...more };
  const begun = await asked(ask, { ...call, action, parameters }, NOT_FOUND);
  if (begun === undefined) return undefined;
  const { RequestToken } = JSON.parse(begun).ProgressEvent ?? {};
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const body = await asked(ask, {
      ...call,
      action: 'GetResourceRequestStatus',
      parameters: { RequestToken },
    });
    const { OperationStatus, ErrorCode, StatusMessage } = JSON.parse(body ?? '{}').ProgressEvent ?? {};
    if (OperationStatus === 'SUCCESS' || ErrorCode === 'NotFound') return undefined;
    if (OperationStatus === 'FAILED' || OperationStatus === 'CANCEL_COMPLETE')
      return String(StatusMessage ?? ErrorCode);
    await pause(LOOK_PAUSE_MS);
  }
  return 'it takes longer than half an hour';
}

/** Works on all, a few at a time, and keeps their order. */
async function inTurns<Given, Result>(
  all: readonly Given[],
  work: (one: Given) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < all.length; from += AT_ONCE)
    results.push(...(await Promise.all(all.slice(from, from + AT_ONCE).map(work))));
  return results;
}
