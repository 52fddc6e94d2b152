import { open } from 'node:fs/promises';
import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import type { Item, Key } from '../../../lambdas/access/store/store.ts';
import { showAccount } from '../../../lambdas/settlement/account-statement.ts';
import type { OpenedTables } from '../context/command.ts';
import { accountIds, retriedReads } from '../context/listing.ts';
import { FIRST_ACCOUNT } from './first-call.ts';

const OWNER_ONLY = 0o600;
const ITEMS_PER_PAGE = 500;

/** What the books of a stage still owe, or are owed. */
export interface OpenBooks {
  /** Accounts, beside the one that `operator up` made, that were ever granted or charged anything. */
  readonly others: readonly string[];
  /** Compute units that are charged and not settled, by account. */
  readonly unsettled: ReadonlyMap<string, number>;
}

/** Reads all accounts. Rejects if one cannot be read: then nobody knows what is open. */
export async function readOpenBooks({ store }: OpenedTables): Promise<OpenBooks> {
  const patient = retriedReads(store);
  const others: string[] = [];
  const unsettled = new Map<string, number>();
  for await (const account of accountIds(patient)) {
    const { granted_cu, charged_cu, pending_cu } = await showAccount(patient, account);
    const pending = Object.values(pending_cu).reduce((sum, cu) => sum + cu, 0);
    if (pending !== 0) unsettled.set(account, pending);
    if (account !== FIRST_ACCOUNT && (granted_cu > 0 || charged_cu > 0)) others.push(account);
  }
  return { others, unsettled };
}

/** Whether a ledger is there and has any record: a deployment that failed may name a table that was never made. */
export async function hasRecords({ openTables }: OpenedTables): Promise<boolean> {
  const { reader, names } = await openTables();
  if ((await reader.describe(names.ledger)) === undefined) return false;
  const page = { segment: 0, segments: 1, after: undefined, limit: 1 };
  return (await reader.scan({ table: names.ledger, ...page })).items.length > 0;
}

/**
 * Writes the whole ledger into a new file that only its owner may read, an item a line; resolves to their number. Rejects with
 * {@link InputError} if there is such a file.
 */
export async function exportLedger({ openTables }: OpenedTables, file: string): Promise<number> {
  const { reader, names } = await openTables();
  const written = await open(file, 'wx', OWNER_ONLY).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw new InputError(`${file} exists already: name another file`);
    throw error;
  });
  try {
    let count = 0;
    let after: Key | undefined;
    do {
      const page = { table: names.ledger, segment: 0, segments: 1, after, limit: ITEMS_PER_PAGE };
      const { items, next } = await reader.scan(page);
      await written.write(items.map((item) => `${lineOf(item)}\n`).join(''));
      count += items.length;
      after = next as Key | undefined;
    } while (after !== undefined);
    await written.sync();
    return count;
  } finally {
    await written.close();
  }
}

/** JSON with all digits of its numbers. */
function lineOf(item: Item): string {
  const members = Object.entries(item).map(
    ([name, value]) => `${JSON.stringify(name)}:${typeof value === 'bigint' ? value : JSON.stringify(value)}`,
  );
  return `{${members.join(',')}}`;
}
