import { auditAccounts } from '../../lambdas/access/audit.ts';
import type { Bookkeeping } from '../../lambdas/access/bookkeeping.ts';
import { observeAccount } from '../../lambdas/access/observed-account.ts';
import type { Item } from '../../lambdas/access/store.ts';
import { runSettlement } from '../../lambdas/settlement/handler.ts';
import type { Customer } from './customers.ts';
import type { World } from './world.ts';

const DAY_MS = 24 * 3_600_000;
const ALL_THE_TIME_MS = 300_000;
const ACCOUNTS_AT_ONCE = 8;
const BILLING_UNIT_CU = 1_000n;

/** A day after all has ended: settles what is left, and then finds fault with anything that does not add up. */
export async function closeBooks(world: World, customers: readonly Customer[]): Promise<void> {
  const { process, store } = world.openSound('settlement');
  await process.pause(DAY_MS);
  const books = { store, clock: process.clock, pause: process.pause };
  const queue = {
    send: async () => {
      throw new Error('work was handed on though there is time');
    },
  };
  await runSettlement({ books, queue, remainingMs: () => ALL_THE_TIME_MS }, {});
  await audit(world, books);
  checkAccounts(world, customers);
  checkRecords(world);
  checkRequests(world);
  checkUsage(world);
}

async function audit({ witness }: World, books: Bookkeeping): Promise<void> {
  const run = { accountsAtOnce: ACCOUNTS_AT_ONCE, outOfTime: () => false };
  const { invariants } = await auditAccounts(books, {}, run);
  for (const { invariant, violations } of invariants) {
    for (const { account, detail } of violations) witness.blame(`audit: ${invariant}: ${account}: ${detail}`);
  }
}

/** Nothing is left to settle, and what was granted is what operators have granted. */
function checkAccounts({ witness, store }: World, customers: readonly Customer[]): void {
  for (const item of store.items('accounts')) {
    const { account, granted, pending, pendingHour } = observeAccount(item);
    if (pending.size > 0) witness.blame(`account ${account} has usage that is never settled`);
    if (pendingHour !== undefined) witness.blame(`account ${account} stays in the index`);
    const customer = customers.find((candidate) => candidate.account === account);
    if (granted !== BigInt(customer?.grantedCu ?? 0)) {
      witness.blame(`account ${account} was granted ${granted} CU instead of ${customer?.grantedCu}`);
    }
  }
}

/** The records of each hour are what was charged in it, in whole units over all of them. */
function checkRecords({ witness, store, machine }: World): void {
  const settled = new Map<string, { cu: bigint; units: bigint }>();
  for (const item of store.items('ledger')) {
    if (item.hour === undefined) continue;
    machine.tally.add('settlement records');
    const key = `${item.account} ${item.hour}`;
    const sum = settled.get(key) ?? { cu: 0n, units: 0n };
    settled.set(key, {
      cu: sum.cu + BigInt(item.settled_cu ?? 0),
      units: sum.units + BigInt(item.billing_units ?? 0),
    });
  }
  for (const [key, cu] of witness.chargedCu) {
    const sum = settled.get(key);
    if (sum?.cu !== cu) witness.blame(`${key}: settled ${sum?.cu} CU of ${cu}`);
    if (sum?.units !== cu / BILLING_UNIT_CU) witness.blame(`${key}: ${sum?.units} units of ${cu} CU`);
    settled.delete(key);
  }
  for (const key of settled.keys()) witness.blame(`${key} was settled and never charged`);
}

/** Every compute unit that the node answered is charged, or it is known why it is not. */
function checkRequests({ witness, machine: { tally } }: World): void {
  for (const { number, answeredCu = 0, charges, outcome, dropped, process, ended } of witness.requests) {
    if (!ended && process.alive) witness.blame(`request ${number} never ended`);
    tally.add('CU answered', answeredCu);
    if (answeredCu === 0 || charges > 0) continue;
    if (dropped) tally.add('CU not charged: too late', answeredCu);
    else if (outcome === 'lost') tally.add('CU not charged: reported lost', answeredCu);
    else if (!process.alive && outcome === undefined) tally.add('CU not charged: process died', answeredCu);
    else witness.blame(`request ${number} of ${answeredCu} CU was not charged (${outcome})`);
  }
}

/** The usage lines of a request are what it was charged. */
function checkUsage({ witness, store }: World): void {
  const lines = new Map<string, bigint>();
  for (const item of store.items('usage')) {
    if (item.charged_to !== undefined) checkProgress(witness, item, store.items('accounts'));
    else add(lines, String(item.line).split('#')[1] ?? '', BigInt(item.cu ?? 0));
  }
  for (const request of witness.requests) {
    const charged = request.charges > 0 ? BigInt(request.answeredCu ?? 0) : 0n;
    const counted = lines.get(request.chain) ?? 0n;
    if (counted !== charged) {
      witness.blame(`usage of request ${request.number} is ${counted} CU instead of ${charged}`);
    }
    lines.delete(request.chain);
  }
  for (const [chain, cu] of lines) witness.blame(`usage of ${cu} CU is for '${chain}'`);
}

function checkProgress(witness: World['witness'], progress: Item, accounts: readonly Item[]): void {
  const account = accounts.find((candidate) => candidate.account === progress.account);
  if (progress.charged_from !== 0n || progress.charged_to !== account?.charged) {
    witness.blame(
      `usage of ${progress.account} is counted from ${progress.charged_from} to ${progress.charged_to}`,
    );
  }
}

function add(sums: Map<string, bigint>, key: string, cu: bigint): void {
  sums.set(key, (sums.get(key) ?? 0n) + cu);
}
