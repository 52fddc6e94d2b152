import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import {
  type Arguments,
  type OpenedTables,
  type Outcome,
  optionalText,
  requiredText,
  switchFlag,
  valueFlag,
} from '../context/command.ts';
import { accountOf, type Owned, regionOf } from '../context/stack.ts';
import { formatCount } from '../context/text-table.ts';
import { type Left, SHARED_ROLE } from '../stage/kept-resources.ts';
import { exportLedger, hasRecords, type OpenBooks, readOpenBooks } from '../stage/open-books.ts';
import type { Outside, StageCommand } from '../stage/outside.ts';
import type { StageFacts } from '../stage/stage-facts.ts';
import { booksOf, ledgersOf, lookAtStage, type Standing, tablesOf, takeDown } from '../stage/take-down.ts';
import { CONFIG_FLAG } from './preflight.ts';
import { answerOf } from './up.ts';

const EXIT_FAILED = 1;
/** Types whose resources have data, or a price of their own: each is named. */
const NAMED =
  /^AWS::(Backup::BackupVault|DynamoDB::Table|KMS::Key|Logs::LogGroup|RDS::DBCluster|S3::Bucket|SQS::Queue|SecretsManager::Secret)$/;
/** State of a stack whose deletion has failed. */
const BEGUN = 'DELETE_FAILED';
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
    const hasServed = await servedAnyone(outside, place.region, standing);
    const books = retains && hasServed && args['books-too'] !== true ? booksOf(standing) : [];
    const isKept = ({ id }: Owned) => books.includes(id);
    const kept = resources.filter(isKept);
    if (status === undefined && resources.length === kept.length) return downOutcome(stackName, [], kept);
    if (hasServed) await closeBooks(outside, args, { region: place.region, standing, retains });
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

/** Whether there can be books: a stack that was complete has outputs; one that was not, was adopted or is gone says it by its ledgers. */
async function servedAnyone({ openBooks }: Outside, region: string, standing: Standing): Promise<boolean> {
  if (Object.keys(standing.outputs).length > 0) return true;
  for (const ledger of ledgersOf(standing)) {
    const names = { keys: '', accounts: '', lanes: '', unsettled: '', balances: '', ledger };
    if (await hasRecords(await openBooks(names, region))) return true;
  }
  return false;
}

interface Closing {
  readonly region: string;
  readonly standing: Standing;
  readonly retains: boolean;
}

/** Rejects with {@link InputError} while somebody is owed something, and writes the ledger to its file. */
async function closeBooks(outside: Outside, args: Arguments, closing: Closing): Promise<void> {
  const { region, standing, retains } = closing;
  const { status } = standing;
  const booksToo = args['books-too'] === true;
  const tables = tablesOf(standing);
  if (status === undefined && retains && ledgersOf(standing).length > 1)
    throw new InputError(
      'nothing is deleted: several stacks have left books; operator adopt takes up one of them',
    );
  // A deletion that has taken tables began once their books were closed. Those of a stage that retains stay.
  if (tables === undefined && (status === undefined || (status === BEGUN && !retains))) return;
  const context = tables === undefined ? undefined : await outside.openBooks(tables, region);
  const read = context === undefined ? Promise.reject(new Error('a table is gone')) : readOpenBooks(context);
  const books = await read.catch((error: Error) => {
    if (booksToo && !retains) return NO_BOOKS;
    throw new Error(`the books cannot be read (${error.message}), and nothing is deleted`);
  });
  for (const [account, cu] of books.unsettled) outside.tell(`${account} has ${formatCount(cu)} CU unsettled`);
  const file = optionalText(args, 'export');
  const isGone = status === undefined;
  const reason = retains ? openReason(books, file, isGone) : trialReason(books, booksToo);
  if (reason !== undefined) throw new InputError(reason);
  if (file !== undefined && context !== undefined) await writeLedger(outside, context, file);
}

function trialReason({ others }: OpenBooks, booksToo: boolean): string | undefined {
  if (others.length === 0 || booksToo) return undefined;
  return `nothing is deleted: ${others.join(', ')} had credit or charges here; --books-too deletes their books`;
}

function openReason({ others, unsettled }: OpenBooks, file: string | undefined, isGone: boolean) {
  const open = others.filter((account) => unsettled.has(account));
  if (open.length > 0)
    return `nothing is deleted: ${open.join(', ')} have charges that are not settled; ${isGone ? 'operator adopt and up bring back what settles them' : 'disable their keys, then operator settle --hour HOUR --force'}`;
  if (others.length > 0 && file === undefined)
    return 'nothing is deleted: the ledger is not exported; add --export FILE';
  return undefined;
}

async function writeLedger({ tell }: Outside, context: OpenedTables, file: string): Promise<void> {
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
