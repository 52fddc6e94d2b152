import { hash } from 'node:crypto';
import { TABLES, type Table } from '../../../lambdas/access/store/tables.ts';
import type { Sleep } from '../../../lambdas/shared/runtime/sleep.ts';
import { asked, textIn } from '../context/ask-aws.ts';
import type { GatewayOutputs } from '../context/gateway-outputs.ts';
import {
  deletedStacks,
  describeStack,
  inventoryOf,
  type Owned,
  type Place,
  stackAtRest,
} from '../context/stack.ts';
import { type Left, removeKept, stillThere } from './kept-resources.ts';

const BUCKET = 'AWS::S3::Bucket';
const TABLE = 'AWS::DynamoDB::Table';
const LEDGER = 'TablesLedger';
const POLICY = 'AWS::S3::BucketPolicy';
/** What proves the books, by how its logical id begins, with the policies by which others may read it. */
const BOOKS: readonly (readonly [begin: string, type: string])[] = [
  [LEDGER, TABLE],
  ['HeadsPublished', BUCKET],
  ['HeadsPublished', POLICY],
  ['HeadsKey', 'AWS::KMS::Key'],
  ['EvidenceLeaves', BUCKET],
  ['EvidenceLeaves', POLICY],
];
/** Each time it is emptied again: what still runs may have written in between. */
const MAX_DELETIONS = 3;
/** Versions that S3 deletes at once. */
const VERSIONS_AT_ONCE = 1_000;
/** Times that a bucket is asked what it still has: a hundred million versions. */
const MAX_BATCHES = 100_000;

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

/** Looks at the stack of exactly this name or ARN, once nobody changes it; without one, at what such stacks have left. */
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
export function booksOf({ resources }: Pick<Standing, 'resources'>): string[] {
  return resources.flatMap(({ logicalId, type, id }) =>
    BOOKS.some(([begin, of]) => logicalId.startsWith(begin) && type === of) ? id : [],
  );
}

/** Ids of the ledgers in an inventory: several, where several stacks have left theirs. */
export function ledgersOf({ resources }: Pick<Standing, 'resources'>): string[] {
  return resources.flatMap(({ logicalId, id }) => (logicalId.startsWith(LEDGER) ? id : []));
}

/** Names of the tables of a stage, from its inventory; undefined: one of them is gone, or several stacks have left some. */
export function tablesOf({
  resources,
}: Pick<Standing, 'resources'>): GatewayOutputs['tableNames'] | undefined {
  const found = (Object.keys(TABLES) as Table[]).map((table) => {
    const begin = `Tables${table[0]?.toUpperCase()}${table.slice(1)}`;
    const own = resources.filter(({ logicalId, type }) => type === TABLE && logicalId.startsWith(begin));
    return [table, own.map(({ id }) => id)] as const;
  });
  if (found.some(([, ids]) => ids.length !== 1)) return undefined;
  return Object.fromEntries(found.map(([table, [id]]) => [table, id])) as GatewayOutputs['tableNames'];
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

/** Deletes all versions of all objects of a bucket, as far as they can be deleted yet. */
async function emptyBucket({ ask, region }: Place, bucket: string): Promise<void> {
  const call = { service: 's3', action: `/${bucket}`, region } as const;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const query = { versions: '', 'max-keys': String(VERSIONS_AT_ONCE) };
    const listed = await asked(ask, { ...call, request: { query } }, ['NoSuchBucket', '404']);
    const versions = versionsIn(listed ?? '');
    if (versions.length === 0) return;
    const body = `<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Quiet>true</Quiet>${versions.join('')}</Delete>`;
    const headers = {
      'content-type': 'application/xml',
      'x-amz-checksum-sha256': hash('sha256', body, 'base64'),
    };
    const request = { method: 'POST', query: { delete: '' }, headers, body } as const;
    // What is locked is refused one by one, within a response that is well.
    if (((await asked(ask, { ...call, request })) ?? '').includes('<Error>')) return;
  }
}

/** The versions of a list as a request to delete them names them: the texts stay escaped. */
function versionsIn(xml: string): string[] {
  return [...xml.matchAll(/<(Version|DeleteMarker)>([\s\S]*?)<\/\1>/g)].map(([, , one = '']) => {
    const [key, version] = [textIn(one, 'Key'), textIn(one, 'VersionId')];
    return `<Object><Key>${key}</Key><VersionId>${version}</VersionId></Object>`;
  });
}
