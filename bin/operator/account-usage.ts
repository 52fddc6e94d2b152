import { showAccount } from '../../lambdas/access/accounts.ts';
import { hourOf } from '../../lambdas/access/hour.ts';
import { InputError } from '../../lambdas/access/input-error.ts';
import { hourEndMs, isHour } from '../../lambdas/access/settlement-hours.ts';
import type { UsageLine } from '../../lambdas/access/usage-line.ts';
import { listUsage } from '../../lambdas/access/usage-read.ts';
import { type Arguments, type Command, type Context, optionalText, requiredText } from './command.ts';
import { formatComputeUnits } from './compute-units.ts';
import { renderTable } from './text-table.ts';

const HOUR_MS = 3_600_000;
/** Hours that are shown if none are named. */
const DEFAULT_HOURS = 24;
/** Most hours of one call: a year. */
const MAX_HOURS = 366 * 24;
const HEADINGS = ['hour', 'chain', 'method', 'calls', 'CU', 'cached', 'errors'];

export const accountUsage: Command = {
  name: 'usage',
  summary: `what an account used per hour, chain and method; the last ${DEFAULT_HOURS} hours if none are named`,
  positionals: [{ name: 'account' }],
  flags: {
    from: { type: 'string', summary: 'first hour in UTC, such as 2026-11-20T23' },
    to: { type: 'string', summary: 'last hour (default: this one)' },
  },
  async run(context, args) {
    const { from, to } = hoursOf(context, args);
    const { account } = await showAccount(context.store, requiredText(args, 'account'));
    const usage = await listUsage(context.store, account, from, to);
    return {
      json: { account, usage },
      text: usage.length === 0 ? `No usage from ${from} to ${to}.` : renderUsage(usage),
    };
  },
};

function hoursOf({ clock }: Context, args: Arguments): { readonly from: string; readonly to: string } {
  const to = optionalText(args, 'to') ?? hourOf(clock.now());
  requireHour(to);
  const from = optionalText(args, 'from') ?? hourOf(hourEndMs(to) - DEFAULT_HOURS * HOUR_MS);
  requireHour(from);
  if (from > to) throw new InputError('--from is after --to');
  if (hourEndMs(to) - hourEndMs(from) >= MAX_HOURS * HOUR_MS) {
    throw new InputError(`at most ${MAX_HOURS.toLocaleString('en-US')} hours at once`);
  }
  return { from, to };
}

function requireHour(text: string): void {
  if (!isHour(text)) throw new InputError('an hour is such as 2026-11-20T23, in UTC');
}

function renderUsage(usage: readonly UsageLine[]): string {
  const rows = usage.map((line) => [line.hour, line.chain, line.method, ...countersOf(line)]);
  const total = countersOf({
    calls: sum(usage, 'calls'),
    cu: sum(usage, 'cu'),
    cached: sum(usage, 'cached'),
    errors: sum(usage, 'errors'),
  });
  return renderTable(HEADINGS, [...rows, ['total', '', '', ...total]]);
}

type Counters = Pick<UsageLine, 'calls' | 'cu' | 'cached' | 'errors'>;

function countersOf({ calls, cu, cached, errors }: Counters): string[] {
  return [calls, cu, cached, errors].map(formatComputeUnits);
}

function sum(usage: readonly UsageLine[], counter: keyof Counters): number {
  return usage.reduce((total, line) => total + line[counter], 0);
}
