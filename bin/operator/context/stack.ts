import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import type { Sleep } from '../../../lambdas/shared/runtime/sleep.ts';
import { type AskAws, AwsRefusal, asked, textIn } from './ask-aws.ts';

const BAD_REQUEST = 400;
/** Code of the error for a parameter in a form that it cannot have. */
const MALFORMED = 'ValidationError';
/** Time between two looks at a stack that is being changed, and how often it is looked at: 90 minutes. */
const LOOK_PAUSE_MS = 10_000;
const MAX_LOOKS = 540;
/** Pages of a list that are read, at most: of resources 100 each. */
const MAX_PAGES = 100;
/** A change set was made and never run: there is a name, and nothing else. */
const UNBEGUN = 'REVIEW_IN_PROGRESS';
/** States in which a first deployment without a rollback ends. */
const HALF_MADE = ['CREATE_FAILED', 'UPDATE_FAILED'];
const NESTED_STACK = 'AWS::CloudFormation::Stack';

/** What XML writes for characters of its own. */
const XML_ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&apos;': "'",
};

/** Where stacks are. */
export interface Place {
  readonly ask: AskAws;
  readonly region: string;
}

/** A stack as AWS describes it. */
export interface StackState {
  /** ARN, which the stack keeps after its end. */
  readonly id: string;
  readonly status: string;
  /** Whether it may not be deleted until that is changed. */
  readonly protects: boolean;
  /** Values by name; empty: no deployment of it was ever complete. */
  readonly outputs: Readonly<Record<string, string>>;
}

/** A resource that a stack has, or has left. */
export interface Owned {
  readonly logicalId: string;
  readonly type: string;
  /** What AWS calls it. */
  readonly id: string;
  /** State of the resource in its stack. */
  readonly status: string;
}

/** Region that a stage is deployed to. Rejects with {@link InputError} if neither its file nor the profile names one. */
export async function regionOf(
  outside: { region(): Promise<string | undefined> },
  { config }: { readonly config: { readonly region?: string | undefined } },
): Promise<string> {
  const region = config.region ?? (await outside.region());
  if (region === undefined) throw new InputError('no region: set "region" in the stage file, or AWS_REGION');
  return region;
}

/** Account of the credentials. */
export async function accountOf({ ask, region }: Place): Promise<string | undefined> {
  return textIn((await asked(ask, { service: 'sts', action: 'GetCallerIdentity', region })) ?? '', 'Account');
}

/**
 * A stack by its name, or by its ARN one that is gone; undefined: no such stack. Rejects with {@link InputError} for what is
 * no name, and with {@link AwsRefusal} if AWS refuses.
 */
export async function describeStack({ ask, region }: Place, stack: string): Promise<StackState | undefined> {
  const call = { service: 'cloudformation', action: 'DescribeStacks', region } as const;
  const response = await ask({ ...call, parameters: { StackName: stack } });
  if (response.status === BAD_REQUEST && response.body.includes('does not exist')) return undefined;
  const status = textIn(response.body, 'StackStatus');
  if (status === undefined) {
    const refusal = new AwsRefusal(call, response);
    if (refusal.code !== MALFORMED) throw refusal;
    throw new InputError(unescaped(textIn(response.body, 'Message') ?? refusal.message));
  }
  const outputs = membersOf(response.body).flatMap((member) => {
    const name = textIn(member, 'OutputKey');
    return name === undefined ? [] : [[unescaped(name), unescaped(textIn(member, 'OutputValue') ?? '')]];
  });
  return {
    id: textIn(response.body, 'StackId') ?? stack,
    status,
    protects: textIn(response.body, 'EnableTerminationProtection') === 'true',
    outputs: Object.fromEntries(outputs),
  };
}

/** Whether the next deployment is still the first one: none was ever complete, and nothing has to be rolled back to. */
export function isFirstDeployment(stack: Pick<StackState, 'status' | 'outputs'> | undefined): boolean {
  if (stack === undefined || stack.status === UNBEGUN) return true;
  return HALF_MADE.includes(stack.status) && Object.keys(stack.outputs).length === 0;
}

/** The stack once nobody changes it; undefined: it is gone. Rejects with an Error if that takes longer than 90 minutes. */
export async function stackAtRest(
  place: Place & { readonly pause: Sleep },
  stack: string,
): Promise<StackState | undefined> {
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const state = await describeStack(place, stack);
    if (state === undefined || state.status === UNBEGUN || !state.status.endsWith('_IN_PROGRESS'))
      return state;
    await place.pause(LOOK_PAUSE_MS);
  }
  throw new Error(`${stack} is still being changed after 90 minutes`);
}

/** The stacks of exactly this name that were deleted in the last 90 days, by their ARNs. */
export async function deletedStacks(place: Place, name: string): Promise<string[]> {
  const ids: string[] = [];
  const parameters = { 'StackStatusFilter.member.1': 'DELETE_COMPLETE' };
  for await (const page of pagesOf(place, 'ListStacks', parameters))
    for (const member of membersOf(page))
      if (textIn(member, 'StackName') === name) ids.push(textIn(member, 'StackId') ?? '');
  return ids;
}

/** All that a stack has, with what its nested stacks have; by its ARN also of one that is gone. */
export async function inventoryOf(place: Place, stack: string): Promise<Owned[]> {
  const owned: Owned[] = [];
  for await (const page of pagesOf(place, 'ListStackResources', { StackName: stack })) {
    for (const member of membersOf(page)) {
      const [logicalId = '', type = '', id = '', status = ''] = [
        'LogicalResourceId',
        'ResourceType',
        'PhysicalResourceId',
        'ResourceStatus',
      ].map((name) => textIn(member, name));
      if (type === NESTED_STACK && id !== '') owned.push(...(await inventoryOf(place, id)));
      if (id !== '' && status !== 'DELETE_COMPLETE') owned.push({ logicalId, type, id, status });
    }
  }
  return owned;
}

async function* pagesOf({ ask, region }: Place, action: string, parameters: object): AsyncGenerator<string> {
  let next: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const call = { service: 'cloudformation', action, region } as const;
    const body = await asked(ask, {
      ...call,
      parameters: { ...parameters, ...(next !== undefined && { NextToken: next }) },
    });
    yield body ?? '';
    next = textIn(body ?? '', 'NextToken');
    if (next === undefined) return;
  }
  throw new Error(`${action} has more than ${MAX_PAGES} pages`);
}

function unescaped(text: string): string {
  return text.replaceAll(/&\w+;/g, (entity) => XML_ENTITIES[entity] ?? entity);
}

/** The entries of a list. */
export function membersOf(xml: string): string[] {
  return [...xml.matchAll(/<member>([\s\S]*?)<\/member>/g)].map(([, member = '']) => member);
}
