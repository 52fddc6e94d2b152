import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import { ALL_SLOTS, settleSlot } from '../../../lambdas/settlement/settle-slot.ts';
import type { SettlementScope } from '../../../lambdas/settlement/settlement-hours.ts';
import type { SettlementRecord } from '../../../lambdas/settlement/settlement-record.ts';
import { isHour } from '../../../lambdas/shared/runtime/hour.ts';
import { errorField } from '../../../lambdas/shared/runtime/log.ts';
import { sleep } from '../../../lambdas/shared/runtime/sleep.ts';
import { type Arguments, type Command, optionalText } from '../context/command.ts';
import { renderSettlements, settlementJson } from '../context/settlement-text.ts';
import { renderTable } from '../context/text-table.ts';

/** Accounts worked at once, in each slot of the work list. */
const ACCOUNTS_AT_ONCE = 1;
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
  async run({ store, clock }, args, notices) {
    const scope = scopeOf(args);
    const books = { store, clock, pause: sleep, telemetry: notices };
    const settled: SettlementRecord[] = [];
    const failures: { account: string; error: string }[] = [];
    const slots = ALL_SLOTS.map((work) =>
      settleSlot(books, work, {
        scope,
        accountsAtOnce: ACCOUNTS_AT_ONCE,
        outOfTime: () => false,
        settled: (records) => settled.push(...records),
        failed: (account, error) => failures.push({ account, error: errorField(error) }),
      }),
    );
    await Promise.all(slots);
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
