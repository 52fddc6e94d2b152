import { randomBytes } from 'node:crypto';
import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import { dueAccounts } from '../../../lambdas/settlement/due-accounts.ts';
import { followHeads, type LackingRecord } from '../../../lambdas/settlement/follow-heads.ts';
import { openEvidence } from '../../../lambdas/settlement/open-evidence.ts';
import { settleAccounts } from '../../../lambdas/settlement/settle-accounts.ts';
import type { SettlementScope } from '../../../lambdas/settlement/settlement-hours.ts';
import type { SettlementRecord } from '../../../lambdas/settlement/settlement-record.ts';
import { isHour } from '../../../lambdas/shared/runtime/hour.ts';
import { errorField } from '../../../lambdas/shared/runtime/log.ts';
import { sleep } from '../../../lambdas/shared/runtime/sleep.ts';
import { type Arguments, type Command, optionalText } from '../context/command.ts';
import { renderSettlements, settlementJson } from '../context/settlement-text.ts';
import { renderTable } from '../context/text-table.ts';

const ACCOUNTS_AT_ONCE = 64;
const EXIT_FAILED = 1;

export const settle: Command = {
  name: 'settle',
  summary: 'settle closed hours now, as the hourly run does',
  positionals: [],
  flags: {
    hour: { type: 'string', summary: 'only this hour, such as 2026-11-20T23' },
    force: {
      type: 'boolean',
      summary: 'also an hour within its grace period; with --hour even the running hour',
    },
  },
  async run({ store, clock, openBucket }, args, notices) {
    const scope = scopeOf(args);
    const common = { store, clock, pause: sleep, telemetry: notices };
    const books = openEvidence(
      common,
      await openBucket?.('evidence'),
      randomBytes,
      await openBucket?.('heads'),
    );
    const lacking = books.sealed && (await followHeads({ ...books, sealed: books.sealed }));
    const settled: SettlementRecord[] = [];
    const failures: { account: string; error: string }[] = [];
    const run = {
      scope,
      accountsAtOnce: ACCOUNTS_AT_ONCE,
      outOfTime: () => false,
      settled: (records: readonly SettlementRecord[]) => settled.push(...records),
      ...(lacking && { lacking }),
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
