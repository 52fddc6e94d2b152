import type { Bookkeeping } from '../../../lambdas/access/account-work.ts';
import { rebuildAccount } from '../../../lambdas/accounts/rebuild-account.ts';
import { auditAccounts } from '../../../lambdas/audit/audit.ts';
import { runSeal } from '../../../lambdas/seal/seal-head.ts';
import { runSettlement } from '../../../lambdas/settlement/handler.ts';
import { readFrozen, unpackPart } from '../../../lambdas/settlement/hour-leaves.ts';
import {
  type SettlementRecord,
  statementOf,
  toRecord,
} from '../../../lambdas/settlement/settlement-ledger.ts';
import {
  headHash,
  headKey,
  headLeavesKey,
  isSignedBy,
  NO_HEAD,
  parseHead,
  parseSignedHead,
} from '../../../lambdas/shared/bill/head.ts';
import { laneLeafText } from '../../../lambdas/shared/bill/lane-leaf.ts';
import { leafHash, treeRoot } from '../../../lambdas/shared/bill/merkle-tree.ts';
import { NO_RECORD, statementHash } from '../../../lambdas/shared/bill/record-statement.ts';
import { workList } from '../../support/kept-leaves.ts';
import { endBalanceViews } from '../scale/balance-views.ts';
import type { World } from '../world.ts';
import { checkBills } from './check-bills.ts';
import type { Customer } from './customers.ts';
import type { Processes } from './instance.ts';
import type { SimulatedProcess } from './simulated-process.ts';

const HOUR_MS = 3_600_000;
/** Longer than any message is on its way. */
const UNTIL_ALL_ARRIVED_MS = 16 * 24 * HOUR_MS;
const ALL_THE_TIME_MS = 300_000;
const ACCOUNTS_AT_ONCE = 8;
/**
 * How long a charge may be held back: by an event function until its next request, by an environment that stores by the clock a
 * second and a half, the slowest two rounds of writes, and a clock that is set back by less than what it holds back.
 */
const HELD_BACK_MS = { event: Number.POSITIVE_INFINITY, instances: 10_000 } as const;
const BILLING_UNIT_CU = 1_000n;

/** When all has ended: settles what is left, twice, and then finds fault with anything that does not add up. */
export async function closeBooks(
  world: World,
  customers: readonly Customer[],
  fleet: Processes,
): Promise<void> {
  await fleet.handOver();
  const { process, store } = world.openSound('settlement');
  await process.pause(UNTIL_ALL_ARRIVED_MS);
  const books = world.settlementBooks({ process, store });
  const queue = {
    send: async () => {
      throw new Error('work was handed on though there is time');
    },
  };
  for (let run = 0; run < 2; run += 1) {
    await runSettlement({ books, queue, remainingMs: () => ALL_THE_TIME_MS }, {}).catch((error: Error) =>
      world.witness.blame(`settlement fails in the end: ${error.message}`),
    );
    await runSeal(world.sealBooks({ process, store })).catch((error: Error) =>
      world.witness.blame(`sealing fails in the end: ${error.message}`),
    );
    await process.pause(HOUR_MS);
  }
  if (world.narrowLanes !== undefined) await endBalanceViews(world);
  await world.receipts.close(lastHours(world));
  await audit(world, books);
  await checkAccounts(world, customers, books);
  checkRecords(world);
  await checkStatements(world);
  await checkHeads(world);
  await checkBills(world, customers);
  checkRequests(world);
  checkLosses(world);
}

/** The last hour of each account in which it was charged. */
function lastHours({ witness }: World): ReadonlyMap<string, string> {
  const hours = [...witness.laneCu.keys()].map((name) => name.split(' ') as [account: string, hour: string]);
  return new Map(hours.sort(([, one], [, other]) => (one < other ? -1 : 1)));
}

async function audit({ witness }: World, books: Bookkeeping): Promise<void> {
  const run = { accountsAtOnce: ACCOUNTS_AT_ONCE, outOfTime: () => false };
  const { invariants } = await auditAccounts(books, undefined, run);
  for (const { invariant, violations } of invariants) {
    for (const { account, detail } of violations) witness.blame(`audit: ${invariant}: ${account}: ${detail}`);
  }
}

/** Nothing is left to settle, what was granted is what operators have granted, and a rebuild changes nothing. */
async function checkAccounts(
  { witness, store }: World,
  customers: readonly Customer[],
  books: Bookkeeping,
): Promise<void> {
  for (const { hour_lane, entry } of workList(store)) {
    witness.blame(`${entry ?? hour_lane} stays on the work list`);
  }
  for (const { account, grantedCu } of customers) {
    const item = store.peek('accounts', { account });
    if (item?.granted !== BigInt(grantedCu)) {
      witness.blame(`account ${account} was granted ${item?.granted} CU instead of ${grantedCu}`);
    }
    // An hour that stays open gives back what it was billed when its lanes expire.
    if (item?.closed !== item?.settled)
      witness.blame(`account ${account} has a settled hour that nothing closes`);
    await rebuildAccount(books, account);
    const rebuilt = store.peek('accounts', { account });
    for (const name of ['granted', 'settled', 'plan', 'plan_revision', 'keys', 'enabled_keys', 'shards']) {
      if (rebuilt?.[name] !== item?.[name]) witness.blame(`a rebuild changes ${name} of account ${account}`);
    }
  }
}

/** The records of each hour are what its lanes hold, in whole units over all of them. */
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
  for (const [key, cu] of witness.laneCu) {
    const sum = settled.get(key);
    if (sum?.cu !== cu) witness.blame(`${key}: settled ${sum?.cu} CU of ${cu}`);
    if (sum?.units !== cu / BILLING_UNIT_CU) witness.blame(`${key}: ${sum?.units} units of ${cu} CU`);
    settled.delete(key);
  }
  for (const key of settled.keys()) witness.blame(`${key} was settled and never charged`);
}

/** Records form one chain for each account, and state lanes that are kept, add up to them and never go back. */
async function checkStatements({ witness, store, objects, machine }: World): Promise<void> {
  for (const [account, some] of Map.groupBy(settlementRecords(store), (record) => record.account)) {
    let last = { number: 0, hash: NO_RECORD };
    const totals = new Map<string, number>();
    for (const record of some.sort((one, other) => one.number - other.number)) {
      const { number, previous, frozen } = record;
      const statement = statementOf(record);
      if (number !== last.number + 1 || previous !== last.hash)
        witness.blame(`${account}: record ${number} does not follow record ${last.number}`);
      last = { number, hash: statementHash(statement) };
      if (frozen === undefined) {
        machine.tally.add('records whose leaves could not be kept');
        continue;
      }
      const part = await readFrozen(objects.evidence, frozen);
      if (part === undefined) {
        witness.blame(`${account}: the leaves of record ${number} are gone`);
        continue;
      }
      const kept = unpackPart(part);
      for (const { shard, lane, total } of kept.leaves) {
        const name = `${record.hour} ${shard} ${lane}`;
        if (total < (totals.get(name) ?? 0)) witness.blame(`${account}: record ${number} lowers a lane`);
        totals.set(name, total);
      }
      const root = treeRoot(kept.leaves.map((leaf) => leafHash(laneLeafText(leaf)))).toString('hex');
      const sum = kept.leaves.reduce((total, leaf) => total + BigInt(leaf.total), 0n);
      if (kept.statement !== statement || root !== record.root || sum !== record.total_cu)
        witness.blame(`${account}: record ${number} does not state the lanes that are kept`);
    }
    const item = store.peek('accounts', { account });
    if (item?.record_number !== BigInt(last.number) || item.record_hash !== last.hash)
      witness.blame(`${account}: the account does not end with its last record`);
  }
}

/** Heads form one chain, each is signed and has its leaves, and every record is below one of them, once. */
async function checkHeads({ witness, store, objects: { heads }, machine }: World): Promise<void> {
  const below = new Map<string, number>();
  let last = NO_HEAD;
  for (let number = 1; ; number += 1) {
    const object = await heads.get(headKey(number));
    if (object === undefined) break;
    machine.tally.add('signed heads');
    const signed = parseSignedHead(object.toString());
    const head = parseHead(signed?.head ?? '');
    const leaves = (await heads.get(headLeavesKey(head?.root ?? '')))?.toString().trimEnd().split('\n') ?? [];
    const root = treeRoot(leaves.map((leaf) => Buffer.from(leaf, 'hex'))).toString('hex');
    if (signed === undefined || !isSignedBy(signed, signed.key))
      witness.blame(`head ${number} is not signed`);
    if (head?.number !== number || head.previous !== last)
      witness.blame(`head ${number} does not follow head ${number - 1}`);
    if (head?.root !== root || head.count !== leaves.length)
      witness.blame(`head ${number} is for other records than its leaves`);
    for (const leaf of leaves) below.set(leaf, (below.get(leaf) ?? 0) + 1);
    last = headHash(signed?.head ?? '');
  }
  for (const record of settlementRecords(store)) {
    const heads = below.get(statementHash(statementOf(record))) ?? 0;
    if (heads !== 1) witness.blame(`${record.account}: record ${record.number} is below ${heads} heads`);
  }
}

function settlementRecords(store: World['store']): SettlementRecord[] {
  return store
    .items('ledger')
    .filter(({ settled_cu }) => settled_cu !== undefined)
    .map(toRecord);
}

/** Every request ended, and what it was answered is charged, unless its process died meanwhile. */
function checkRequests({ witness, machine: { tally } }: World): void {
  for (const { number, answeredCu, nodeCu, chargedCu, process, ended } of witness.requests) {
    if (!ended && process.alive) witness.blame(`request ${number} never ended`);
    tally.add('CU answered', answeredCu);
    tally.add('CU asked in vain', nodeCu - answeredCu);
    if (chargedCu === answeredCu) continue;
    if (process.alive) witness.blame(`request ${number} of ${answeredCu} CU was not charged`);
    else tally.add('CU not charged: killed before its charge', answeredCu - chargedCu);
  }
}

/** Every compute unit that was to be charged is, or a fault explains why it is not: what a process holds back is bounded. */
function checkLosses({ witness, metering, hosting, machine: { tally } }: World): void {
  const heldBack = new Map<SimulatedProcess, bigint>();
  for (const own of witness.charges) {
    const { causes, unexplained } = own.loss(HELD_BACK_MS[hosting]);
    if (unexplained !== undefined) witness.blame(unexplained);
    for (const [cause, cu] of causes) tally.add(`CU not charged: ${cause}`, Number(cu));
    const held = (heldBack.get(own.process) ?? 0n) + (causes.get('killed while held back') ?? 0n);
    heldBack.set(own.process, held);
  }
  for (const held of heldBack.values()) {
    if (held > BigInt(metering.groupCommitCu))
      witness.blame(`a process held back ${held} CU, and ${metering.groupCommitCu} may be`);
  }
}
