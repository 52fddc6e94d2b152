import { randomBytes } from 'node:crypto';
import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import { showAccount } from '../../../lambdas/settlement/account-statement.ts';
import { dueAccounts } from '../../../lambdas/settlement/due-accounts.ts';
import { openEvidence } from '../../../lambdas/settlement/evidence.ts';
import { followHeads, type LackingRecord } from '../../../lambdas/settlement/heads.ts';
import { settleAccounts } from '../../../lambdas/settlement/settle-accounts.ts';
import {
  amountsOf,
  type SettlementRecord,
  settlementRecords,
} from '../../../lambdas/settlement/settlement-ledger.ts';
import type { SettlementScope } from '../../../lambdas/settlement/settlement-step.ts';
import { isHour } from '../../../lambdas/shared/runtime/clock.ts';
import { errorField } from '../../../lambdas/shared/runtime/log.ts';
import { sleep } from '../../../lambdas/shared/runtime/sleep.ts';
import {
  ACCOUNT,
  type Arguments,
  type Command,
  optionalText,
  requiredText,
  switchFlag,
  valueFlag,
} from '../context/command.ts';
import { listOutcome, retriedReads } from '../context/listing.ts';
import { formatCount, renderTable } from '../context/text-table.ts';

const ACCOUNTS_AT_ONCE = 64;
const EXIT_FAILED = 1;
/** Columns of settlement records. */
const SETTLEMENT_HEADINGS = [
  'account',
  'hour',
  'revision',
  'settled',
  'total',
  'units',
  'remainder',
  'settled at',
];

export const settle: Command = {
  name: 'settle',
  summary: 'settle closed hours now, as the hourly run does',
  positionals: [],
  flags: {
    hour: valueFlag('only this hour, such as 2026-11-20T23'),
    force: switchFlag('also an hour within its grace period; with --hour even the running hour'),
  },
  example: 'settle --hour 2026-11-20T23',
  async run({ store, clock, openBucket }, args, notices) {
    const scope = scopeOf(args);
    const common = { store, clock, pause: sleep, telemetry: notices };
    const sealed = { evidence: await openBucket('evidence'), heads: await openBucket('heads') };
    const books = openEvidence(common, sealed, randomBytes);
    const settled: SettlementRecord[] = [];
    const failures: { account: string; error: string }[] = [];
    const run = {
      scope,
      accountsAtOnce: ACCOUNTS_AT_ONCE,
      outOfTime: () => false,
      settled: (records: readonly SettlementRecord[]) => settled.push(...records),
      lacking: await followHeads(books),
      refused: ({ account, number, head }: LackingRecord) =>
        failures.push({
          account,
          error: `the ledger lacks record ${number}, which head ${head} names: operator ledger restore`,
        }),
      failed: (account: string, error: unknown) => failures.push({ account, error: errorField(error) }),
    };
    for await (const accounts of dueAccounts(books, scope)) await settleAccounts(books, accounts, run);
    const failed = failures.map(({ account, error }) => [account, error]);
    return {
      json: { settlements: settled.map(settlementJson), failures },
      text:
        (settled.length === 0 ? 'Nothing was due.' : renderSettlements(settled)) +
        (failed.length === 0 ? '' : `\n\n${renderTable(['account', 'not settled'], failed)}`),
      exitCode: failures.length === 0 ? 0 : EXIT_FAILED,
    };
  },
};

function scopeOf(args: Arguments): SettlementScope {
  const hour = optionalText(args, 'hour');
  if (hour !== undefined && !isHour(hour))
    throw new InputError('an hour must look like 2026-11-20T23, in UTC');
  return { force: args.force === true, ...(hour !== undefined && { hour }) };
}

export const settlements: Command = {
  name: 'settlements',
  summary: 'list all settlement records of an account, oldest hour first',
  positionals: [ACCOUNT],
  example: 'settlements acme',
  async run({ store }, args) {
    const { account } = await showAccount(store, requiredText(args, 'account'));
    const records = settlementRecords({ store: retriedReads(store) }, account);
    return listOutcome({
      name: 'settlements',
      headings: SETTLEMENT_HEADINGS,
      empty: 'Nothing is settled yet.',
      entries: await Array.fromAsync(records, settlementJson),
      row: settlementRow,
    });
  },
};

/** Settlement records for people. */
function renderSettlements(records: readonly SettlementRecord[]): string {
  return renderTable(SETTLEMENT_HEADINGS, records.map(settlementJson).map(settlementRow));
}

/** A settlement record as a row under {@link SETTLEMENT_HEADINGS}. */
function settlementRow(record: ReturnType<typeof settlementJson>): string[] {
  const { settled_cu, total_cu, billing_units, remainder_cu } = record;
  const amounts = [settled_cu, total_cu, billing_units, remainder_cu].map(formatCount);
  return [record.account, record.hour, String(record.revision), ...amounts, record.settled_at];
}

/** A settlement record as JSON: an account's compute units are safe integers. What it was used for is in `usage`. */
function settlementJson({ used: _used, ...record }: SettlementRecord) {
  return { ...record, ...amountsOf(record) };
}
