/** That the commands of the runbook and the guide, run as they stand there, put back what was lost. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keyOf } from '../../bin/operator/restore/table-rules.ts';
import type { Item } from '../../lambdas/access/store/store.ts';
import type { Table } from '../../lambdas/access/store/tables.ts';
import { creditAccount } from '../../lambdas/accounts/credit-account.ts';
import { createKey } from '../../lambdas/accounts/keys.ts';
import { showAccount } from '../../lambdas/settlement/account-statement.ts';
import { BARE_CONTEXT } from '../operator/bare-context.ts';
import { capturedRun } from '../operator/captured-run.ts';
import { memoryTables, STAGE_TABLES } from '../operator/restore/memory-tables.ts';
import { chargeAt, clockAt, openAccount, settleMarked } from '../settlement/settlement-fixture.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { workList } from '../support/kept-leaves.ts';

const [RUNBOOK = '', GUIDE = ''] = ['runbook.md', 'deploy.md'].map((page) =>
  readFileSync(join(import.meta.dirname, '..', '..', 'docs', page), 'utf8'),
);
const HOURS = ['2026-11-20T07', '2026-11-20T08'];
const ACCOUNTS = ['acme', 'zeta'];

/** The operator commands of the code blocks below a heading of a page, block by block. */
function commandsBelow(page: string, heading: string): string[][] {
  const [, rest = ''] = page.split(`\n## ${heading}\n`);
  const [section = ''] = rest.split('\n## ');
  return [...section.matchAll(/```sh\n([^`]*)```/g)].map(([, block = '']) =>
    block
      .split('\n')
      .filter((line) => line.startsWith('operator '))
      .map((line) => line.replace(/ +#.*$/, '').slice('operator '.length)),
  );
}

const clock = clockAt('2026-11-20T09:15:00Z');
let store: MemoryStore;
let openings: readonly Item[];

/** Two accounts with a settled hour, one that waits for settlement, a running one, and a second credit. */
beforeEach(async () => {
  store = new MemoryStore();
  for (const account of ACCOUNTS) await openAccount(store, account);
  openings = store.items('accounts');
  for (const account of ACCOUNTS) {
    await chargeAt(store, account, `${HOURS[0]}:10:00Z`, 1_500);
    await settleMarked(store, clock, account, HOURS);
    await creditAccount(store, clock, account, { cu: 700, reference: 'invoice-1' });
    await chargeAt(store, account, `${HOURS[1]}:10:00Z`, 2_000);
    await chargeAt(store, account, '2026-11-20T09:10:00Z', 30);
  }
});

/** Runs commands one after the other. `backup`: what the restored tables hold. */
async function follow(commands: readonly string[] | undefined, backup = new MemoryStore()): Promise<void> {
  expect(commands?.length).toBeGreaterThan(2);
  const openTables = async () => ({ reader: memoryTables(store, backup), names: STAGE_TABLES });
  for (const command of commands ?? []) {
    const argv = command.replace('ACCOUNT', 'acme').split(' ');
    const context = { ...BARE_CONTEXT, store, clock, openTables };
    const { exitCode, stderr } = await capturedRun([...argv, '--local'], context);
    expect({ command, exitCode, stderr }).toEqual({ command, exitCode: 0, stderr: '' });
  }
}

async function expectRight(shown: unknown): Promise<void> {
  expect(await Promise.all(ACCOUNTS.map(balanceOf))).toEqual(shown);
  for (const account of ACCOUNTS) {
    const records = store.items('ledger').filter((item) => item.account === account && item.settled_cu);
    expect(records.map(({ hour, settled_cu }) => [hour, settled_cu])).toEqual([
      [HOURS[0], 1_500n],
      [HOURS[1], 2_000n],
    ]);
  }
}

async function balanceOf(account: string) {
  const { granted_cu, charged_cu, balance_cu } = await showAccount(store, account);
  return { granted_cu, charged_cu, balance_cu };
}

const restoreAccount = (account: string, item: Item | undefined) =>
  store.restore('accounts', { account }, item);

test.each<[string, string, () => void]>([
  ['an account item is gone', 'BooksDoNotBalance', () => restoreAccount('acme', undefined)],
  [
    'an account item is older than its ledger',
    'BooksDoNotBalance',
    () => restoreAccount('acme', openings[0]),
  ],
  [
    'the accounts are gone',
    'A metering table that was restored',
    () => {
      for (const account of ACCOUNTS) restoreAccount(account, undefined);
    },
  ],
  [
    'the accounts are those of an earlier time',
    'A metering table that was restored',
    () => {
      for (const item of openings) restoreAccount(String(item.account), item);
    },
  ],
  [
    'the work list is gone',
    'A metering table that was restored',
    () => {
      for (const { slot, entry } of workList(store)) {
        store.restore('unsettled', { slot: String(slot), entry: String(entry) }, undefined);
      }
    },
  ],
])('%s: the steps of the runbook put it right', async (_case, heading, damage) => {
  const shown = await Promise.all(ACCOUNTS.map(balanceOf));
  damage();
  await follow(commandsBelow(RUNBOOK, heading)[0]);
  await expectRight(shown);
});

/** Takes every item of some tables away that a predicate names. */
function lose(tables: readonly Table[], isLost: (item: Item) => boolean): void {
  for (const table of tables)
    for (const item of store.items(table))
      if (isLost(item)) store.restore(table, keyOf(table, item), undefined);
}

test('half of the ledger, all keys and all lanes are gone: the steps of the runbook put them back', async () => {
  for (const account of ACCOUNTS) await createKey(store, clock, { account });
  const shown = await Promise.all(ACCOUNTS.map(balanceOf));
  const backup = store.copy();
  lose(['ledger'], ({ account }) => account !== 'acme');
  lose(['keys', 'lanes'], () => true);
  const [rebuild = [], restore = []] = commandsBelow(RUNBOOK, 'A metering table that was restored');
  await follow([...restore, ...rebuild], backup);
  await expectRight(shown);
  const all = (one: MemoryStore, table: Table) => new Set(one.items(table).map((item) => item));
  for (const table of ['keys', 'lanes'] as const) expect(all(store, table)).toEqual(all(backup, table));
});

test('records are gone while the gateway goes on: the steps of the guide put them back, and nothing newer is lost', async () => {
  const backup = store.copy();
  await creditAccount(store, clock, 'zeta', { cu: 5_000, reference: 'invoice-2' });
  await chargeAt(store, 'acme', '2026-11-20T09:12:00Z', 40);
  const shown = await Promise.all(ACCOUNTS.map(balanceOf));
  lose(['ledger'], ({ record }) => record === 'credit#invoice-1' || String(record).startsWith('settlement#'));
  await follow(commandsBelow(GUIDE, 'Restore')[0], backup);
  await expectRight(shown);
});

test('the region is lost: the steps of the guide fill the empty tables of another one', async () => {
  for (const account of ACCOUNTS) await createKey(store, clock, { account });
  const shown = await Promise.all(ACCOUNTS.map(balanceOf));
  const backup = store.copy();
  lose(['ledger', 'keys', 'lanes', 'accounts', 'unsettled'], () => true);
  const blocks = commandsBelow(GUIDE, 'When a region is lost');
  await follow(
    blocks.find((commands) => commands.length > 0),
    backup,
  );
  await expectRight(shown);
  expect(store.items('keys')).toEqual(backup.items('keys'));
});

test('a differing record stays, is named, and ends the command with exit code 1', async () => {
  const backup = store.copy();
  const key = { account: 'acme', record: 'credit#invoice-1' };
  store.restore('ledger', key, { ...store.peek('ledger', key), ...key, cu: 7_000n });
  const openTables = async () => ({ reader: memoryTables(store, backup), names: STAGE_TABLES });
  const { exitCode, stdout } = await capturedRun(
    ['restore', 'ledger', '--from', 'ledger-restored', '--local'],
    { ...BARE_CONTEXT, store, clock, openTables },
  );
  expect(exitCode).toBe(1);
  expect(stdout).toContain('acme credit#invoice-1  cu');
  expect(store.peek('ledger', key)).toMatchObject({ cu: 7_000n });
});
