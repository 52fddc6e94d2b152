import { type Bill, lanesName, type SettlementRow } from '../../../clients/gateway-bill/src/bill.ts';
import { checkBill } from '../../../clients/gateway-bill/src/check-bill.ts';
import { readPublished, readWithdrawals } from '../../../clients/gateway-bill/src/read-heads.ts';
import type { LaneLeaf } from '../../../lambdas/shared/bill/lane-leaf.ts';
import { parseReceiptText } from '../../../lambdas/shared/bill/receipt.ts';
import { accountClient } from '../../clients/account-client.ts';
import type { World } from '../world.ts';
import type { Customer } from './customers.ts';

const ROWS_PER_PAGE = 100;
const FAVOUR = /: (\d+) CU in your favour\.$/;

/**
 * Every customer checks its bill with its own program, by what responses and receipts have told it. No check fails; what
 * was billed below a header is what a killed process has lost; and no receipt is above what was settled.
 */
export async function checkBills(world: World, customers: readonly Customer[]): Promise<void> {
  const read = async (key: string) => (await world.objects.heads.get(key))?.toString();
  for (const { account } of customers) {
    const settled = await settledOf(world, account);
    const receipts = world.receipts.kept.get(account) ?? [];
    const keys = [world.signer.key];
    const report = checkBill({
      account,
      ...settled,
      ...(await readPublished(read, settled.settlements)),
      keys,
      headers: world.witness.toldLanes.get(account) ?? [],
      receipts,
      withdrawals: await readWithdrawals(read, receipts, keys),
      seen: {},
    });
    world.machine.tally.add('bills that customers checked');
    const failed = report.checks.find(({ failure }) => failure !== undefined);
    if (failed !== undefined)
      world.witness.blame(`the bill of ${account} fails: ${failed.failure} (${failed.code})`);
    checkFavours(world, account, report.notes);
    checkReceipts(world, account, settled);
  }
}

/** Settlements and their lanes as the API answers them. */
async function settledOf({ store, objects }: World, account: string) {
  const client = accountClient({ store, leaves: objects.evidence }, account, ROWS_PER_PAGE);
  const settlements: SettlementRow[] = [];
  const lanes = new Map<string, LaneLeaf[]>();
  for await (const row of client.rows('listAccountSettlements', { order: 'asc' })) settlements.push(row);
  for (const { hour, revision } of settlements) {
    const leaves: LaneLeaf[] = [];
    for await (const { total_cu: total, ...lane } of client.rows('listSettlementLanes', { hour, revision }))
      leaves.push({ ...lane, total });
    if (leaves.length > 0) lanes.set(lanesName({ hour, revision }), leaves);
  }
  return { settlements, lanes };
}

/** What the program finds in a customer's favour is not more than processes have lost. */
function checkFavours({ witness, metering }: World, account: string, notes: readonly string[]): void {
  const favour = notes.reduce((sum, note) => sum + BigInt(FAVOUR.exec(note)?.[1] ?? 0), 0n);
  let lost = 0n;
  for (const own of witness.charges)
    if (own.account === account)
      for (const cu of own.loss(metering.groupCommitCu).causes.values()) lost += cu;
  if (favour > lost)
    witness.blame(`the bill of ${account} is ${favour} CU below what was told, and ${lost} CU were lost`);
}

/** Each receipt is at or below what was settled of its lanes in the end. */
function checkReceipts(
  { witness, receipts }: World,
  account: string,
  { settlements, lanes }: Pick<Bill, 'settlements' | 'lanes'>,
): void {
  // Of the revisions of an hour, the last one has all lanes.
  const last = new Map(settlements.map((row) => [row.hour, row]));
  for (const { hour, signed } of receipts.kept.get(account) ?? []) {
    const row = last.get(hour);
    if (row === undefined) witness.blame(`a receipt of ${account} is of hour ${hour}, which was not settled`);
    const leaves = row && lanes.get(lanesName(row));
    // They could not be kept.
    if (leaves === undefined) continue;
    const billed = new Map(leaves.map(({ shard, lane, total }) => [`${shard} ${lane}`, total]));
    for (const { shard, lane, total } of parseReceiptText(signed?.receipt ?? '')?.lanes ?? []) {
      const cu = billed.get(`${shard} ${lane}`) ?? 0;
      if (total > cu)
        witness.blame(`a receipt of ${account} ${hour} has ${total} CU of a lane that is billed ${cu}`);
    }
  }
}
