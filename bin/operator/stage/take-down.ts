import type { Sleep } from '../../../lambdas/shared/runtime/sleep.ts';
import { asked } from './ask-aws.ts';
import { emptyBucket } from './empty-bucket.ts';
import { type Left, removeKept, stillThere } from './kept-resources.ts';
import { deletedStacks, describeStack, inventoryOf, type Owned, type Place, stackAtRest } from './stack.ts';

const BUCKET = 'AWS::S3::Bucket';
/** Each time it is emptied again: what still runs may have written in between. */
const MAX_DELETIONS = 3;

/** A stage as it stands in AWS, or what stacks of its name have left. */
export interface Standing {
  /** ARNs of its stack, or of those that are gone. */
  readonly stacks: readonly string[];
  /** State of the stack; undefined: it is gone. */
  readonly status: string | undefined;
  readonly protects: boolean;
  /** Empty: no deployment was ever complete. */
  readonly outputs: Readonly<Record<string, string>>;
  readonly resources: readonly Owned[];
}

type Waiting = Place & { readonly pause: Sleep };

/** Looks at the stack of exactly this name or ARN, once nobody changes it; where there is none, at what such stacks have left. */
export async function lookAtStage(place: Waiting, stackName: string): Promise<Standing> {
  const stack = await stackAtRest(place, stackName);
  const isGone = stack === undefined || stack.status === 'DELETE_COMPLETE';
  if (!isGone) {
    const { id, ...state } = stack;
    return { stacks: [id], ...state, resources: await inventoryOf(place, id) };
  }
  const stacks = stack === undefined ? await deletedStacks(place, stackName) : [stack.id];
  const outputs = await Promise.all(stacks.map(async (id) => (await describeStack(place, id))?.outputs));
  const kept = await keptBy(place, stacks);
  return {
    stacks,
    status: undefined,
    protects: false,
    outputs: Object.assign({}, ...outputs),
    resources: await stillThere(place, kept),
  };
}

/** Ids of what proves the books: ledger, heads with their key, and evidence. */
export function booksOf({ outputs }: Standing): string[] {
  const { LedgerTableName, HeadsBucketName, EvidenceBucketName, HeadKeyArn } = outputs;
  return [LedgerTableName, HeadsBucketName, EvidenceBucketName, HeadKeyArn?.split('/').at(-1)].filter(
    (id) => id !== undefined,
  );
}

/** Takes a stage away but for what is to be kept; resolves to what is still there and should not be. */
export async function takeDown(
  place: Waiting,
  standing: Standing,
  isKept: (one: Owned) => boolean,
): Promise<Left[]> {
  const { stacks, status } = standing;
  const [stack] = stacks;
  if (status !== undefined && stack !== undefined) await deleteStack(place, stack, standing, isKept);
  const kept = await keptBy(place, stacks);
  const goes = (await stillThere(place, kept)).filter((one) => !isKept(one));
  for (const { type, id } of goes) if (type === BUCKET) await emptyBucket(place, id);
  return removeKept(place, goes, stacks);
}

async function deleteStack(
  place: Waiting,
  stack: string,
  { protects, resources }: Standing,
  isKept: (one: Owned) => boolean,
): Promise<void> {
  const { ask, region } = place;
  const call = { service: 'cloudformation', region } as const;
  if (protects) {
    const parameters = { StackName: stack, EnableTerminationProtection: 'false' };
    await asked(ask, { ...call, action: 'UpdateTerminationProtection', parameters });
  }
  for (let deletion = 1; deletion <= MAX_DELETIONS; deletion += 1) {
    for (const one of resources) if (one.type === BUCKET && !isKept(one)) await emptyBucket(place, one.id);
    await asked(ask, { ...call, action: 'DeleteStack', parameters: { StackName: stack } });
    const after = await stackAtRest(place, stack);
    if (after === undefined || after.status === 'DELETE_COMPLETE') return;
  }
  throw new Error(
    `${stack} cannot be deleted: aws cloudformation describe-stack-events --stack-name ${stack}`,
  );
}

/** What stacks that are gone have left: what was to stay, and what they could not delete. */
async function keptBy(place: Place, stacks: readonly string[]): Promise<Owned[]> {
  return (await Promise.all(stacks.map((id) => inventoryOf(place, id)))).flat();
}
