import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import {
  type Arguments,
  type Context,
  type Outcome,
  optionalText,
  requiredText,
  switchFlag,
  valueFlag,
} from '../context/command.ts';
import { formatCount } from '../context/text-table.ts';
import { type Left, SHARED_ROLE } from '../stage/kept-resources.ts';
import { exportLedger, type OpenBooks, readOpenBooks } from '../stage/open-books.ts';
import type { Outside, StageCommand } from '../stage/outside.ts';
import { accountOf, type Owned, regionOf } from '../stage/stack.ts';
import type { StageFacts } from '../stage/stage-facts.ts';
import { booksOf, lookAtStage, type Standing, takeDown } from '../stage/take-down.ts';
import { CONFIG_FLAG } from './preflight.ts';
import { answerOf } from './up.ts';

const EXIT_FAILED = 1;
/** Types whose resources have data, or a price of their own: each is named. */
const NAMED =
  /^AWS::(Backup::BackupVault|DynamoDB::Table|KMS::Key|Logs::LogGroup|RDS::DBCluster|S3::Bucket|SQS::Queue|SecretsManager::Secret)$/;
const NO_BOOKS: OpenBooks = { others: [], unsettled: new Map() };

/** Takes a stage away, from its stack's own inventory. */
export const down: StageCommand = {
  name: 'down',
  summary: 'delete a stage: a trial leaves nothing; one that retains keeps its books',
  positionals: [],
  flags: {
    config: CONFIG_FLAG,
    export: valueFlag('new file that the ledger is written to first, a record a line'),
    'books-too': switchFlag('also ledger, heads and evidence, and what others have credit on'),
    answer: valueFlag('what is typed to confirm: yes, or ACCOUNT/REGION/STAGE'),
  },
  example: 'down --config config/starter.json',
  async runOnFile(outside, args) {
    const facts = await outside.readFacts(requiredText(args, 'config'));
    const { ask, pause, tell } = outside;
    const place = { ask, pause, region: await regionOf(outside, facts) };
    const { stackName } = facts;
    const standing = await lookAtStage(place, stackName);
    const { status, resources } = standing;
    const retains = standing.protects || facts.config.removal === 'retain';
    const books = retains && args['books-too'] !== true ? booksOf(standing) : [];
    const isKept = ({ id }: Owned) => books.includes(id);
    const kept = resources.filter(isKept);
    if (status === undefined && resources.length === kept.length) return downOutcome(stackName, [], kept);
    await closeBooks(outside, args, { stackName, region: place.region, standing, retains });
    for (const line of goingText(standing, stackName, isKept)) tell(line);
    await confirm(outside, args, facts, { retains, place });
    return downOutcome(stackName, await takeDown(place, standing, isKept), kept);
  },
};

function downOutcome(stackName: string, left: readonly Left[], kept: readonly Owned[]): Outcome {
  const text = [
    `${stackName} is gone${left.length + kept.length === 0 ? ', and nothing is left of it' : ''}`,
    ...left.map(({ type, id, reason }) => `  left  ${type} ${id}: ${reason}`),
    ...kept.map(({ type, id }) => `  kept  ${type} ${id}`),
  ].join('\n');
  const failed = left.some(({ reason }) => reason !== SHARED_ROLE);
  return { json: { left, kept }, text, ...(failed && { exitCode: EXIT_FAILED }) };
}

interface Closing {
  readonly stackName: string;
  readonly region: string;
  readonly standing: Standing;
  readonly retains: boolean;
}

/** Rejects with {@link InputError} while somebody is owed something, and writes the ledger to its file. */
async function closeBooks(outside: Outside, args: Arguments, closing: Closing): Promise<void> {
  const { stackName, region, standing, retains } = closing;
  // A stack that was never complete has served nobody.
  const { status, outputs } = standing;
  if (status === undefined || Object.keys(outputs).length === 0) return;
  const booksToo = args['books-too'] === true;
  const context = await outside.openGateway(stackName, region);
  const books = await readOpenBooks(context).catch((error: Error) => {
    if (booksToo && !retains) return NO_BOOKS;
    throw new Error(`the books cannot be read (${error.message}), and nothing is deleted`);
  });
  for (const [account, cu] of books.unsettled) outside.tell(`${account} has ${formatCount(cu)} CU unsettled`);
  const file = optionalText(args, 'export');
  const reason = retains ? openReason(books, file) : trialReason(books, booksToo);
  if (reason !== undefined) throw new InputError(reason);
  if (file !== undefined) await writeLedger(outside, context, file);
}

function trialReason({ others }: OpenBooks, booksToo: boolean): string | undefined {
  if (others.length === 0 || booksToo) return undefined;
  return `nothing is deleted: ${others.join(', ')} had credit or charges here; --books-too deletes their books`;
}

function openReason({ others, unsettled }: OpenBooks, file: string | undefined): string | undefined {
  const open = others.filter((account) => unsettled.has(account));
  if (open.length > 0)
    return `nothing is deleted: ${open.join(', ')} have charges that are not settled; disable their keys, then operator settle --hour HOUR --force`;
  if (others.length > 0 && file === undefined)
    return 'nothing is deleted: the ledger is not exported; add --export FILE';
  return undefined;
}

async function writeLedger({ tell }: Outside, context: Context, file: string): Promise<void> {
  const count = await exportLedger(context, file);
  tell(`${formatCount(count)} records of the ledger are in ${file}`);
}

/** What goes: what has data by name, the rest by number; and what stays. */
function goingText({ resources, status }: Standing, stackName: string, isKept: (one: Owned) => boolean) {
  const goes = resources.filter((one) => !isKept(one));
  const rest = Map.groupBy(
    goes.filter(({ type }) => !NAMED.test(type)),
    ({ type }) => type,
  );
  const state = status ?? 'gone, and has left what follows';
  return [
    `${stackName} (${state}): ${goes.length} resources go`,
    ...goes.filter(({ type }) => NAMED.test(type)).map(({ type, id }) => `  ${type} ${id}`),
    ...[...rest].map(([type, all]) => `  ${all.length} x ${type}`),
    ...resources.filter(isKept).map(({ type, id }) => `  stays: ${type} ${id}`),
  ];
}

/** Rejects with {@link InputError} unless the person, or the command line, says what is to be typed. */
async function confirm(
  outside: Outside,
  args: Arguments,
  { config }: StageFacts,
  { retains, place }: { readonly retains: boolean; readonly place: Parameters<typeof accountOf>[0] },
): Promise<void> {
  const account = await accountOf(place);
  const wanted = retains ? `${account}/${place.region}/${config.stage}` : 'yes';
  const answer = await answerOf(outside, args)(`this cannot be undone. Type ${wanted} to delete it:`);
  if (answer !== wanted) throw new InputError(`nothing is deleted: the answer was not ${wanted}`);
}
