import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Item } from '../../lambdas/access/store/store.ts';
import { creditAccount } from '../../lambdas/accounts/credit-account.ts';
import { showAccount } from '../../lambdas/settlement/account-statement.ts';
import { capturedRun } from '../operator/captured-run.ts';
import { chargeAt, clockAt, openAccount, settleMarked } from '../settlement/settlement-fixture.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';

const RUNBOOK = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'runbook.md'), 'utf8');
const HOURS = ['2026-11-20T07', '2026-11-20T08'];
const ACCOUNTS = ['acme', 'zeta'];

/** The operator commands of the first code block below a heading of the runbook. */
function commandsBelow(heading: string): string[] {
  const [, section = ''] = RUNBOOK.split(`## ${heading}\n`);
  const [, block = ''] = section.split('```sh\n');
  const lines = (block.split('```')[0] ?? '').trim().split('\n');
  expect(lines.every((line) => line.startsWith('operator '))).toBe(true);
  return lines.map((line) => line.slice('operator '.length));
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

async function follow(heading: string): Promise<void> {
  for (const command of commandsBelow(heading)) {
    const argv = command.replace('ACCOUNT', 'acme').split(' ');
    const context = { store, clock, plans: ['standard'], shards: { standard: 1 }, defaultPlan: 'standard' };
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
      for (const { slot, entry } of store.items('unsettled')) {
        store.restore('unsettled', { slot: String(slot), entry: String(entry) }, undefined);
      }
    },
  ],
])('%s: the steps of the runbook put it right', async (_case, heading, damage) => {
  const shown = await Promise.all(ACCOUNTS.map(balanceOf));
  damage();
  await follow(heading);
  await expectRight(shown);
});
