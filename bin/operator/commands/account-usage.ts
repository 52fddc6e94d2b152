import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import { type UsageLine, usageLines } from '../../../lambdas/accounts/usage-lines.ts';
import { showAccount } from '../../../lambdas/settlement/account-statement.ts';
import { HOUR_MS, hourEndMs, hourOf, isHour } from '../../../lambdas/shared/runtime/hour.ts';
import {
  type Arguments,
  type Command,
  type Context,
  optionalText,
  requiredText,
} from '../context/command.ts';
import { formatComputeUnits } from '../context/compute-units.ts';
import { inPages, type ListedPage } from '../context/listing.ts';
import { retriedReads } from '../context/retried-reads.ts';
import { usageNow } from '../context/usage-now.ts';
import { usageShares } from '../context/usage-shares.ts';

/** Hours that are shown if none are named. */
const DEFAULT_HOURS = 24;
/** Most hours of one call: a year. */
const MAX_HOURS = 366 * 24;
/** Lines that are printed at once. */
const LINES_PER_PAGE = 500;
const HEADINGS = ['hour', 'chain', 'method', 'calls', 'CU', 'cached', 'errors'];

export const accountUsage: Command = {
  name: 'usage',
  summary: `usage of an account by hour, chain and method (the last ${DEFAULT_HOURS} hours), of all accounts in a month, or who spends now`,
  positionals: [{ name: 'account', optional: true }],
  flags: {
    from: { type: 'string', summary: 'first hour in UTC, such as 2026-11-20T23' },
    to: { type: 'string', summary: 'last hour (default: this one)' },
    all: { type: 'boolean', summary: 'all accounts in a month, with their shares of all compute units' },
    month: { type: 'string', summary: 'month of --all in UTC, such as 2026-11 (default: the current one)' },
    now: { type: 'boolean', summary: 'the accounts that spend fastest now, within a minute' },
    seconds: { type: 'string', summary: 'time over which --now measures, at most 30 (default: 15)' },
    top: { type: 'string', summary: 'accounts that --now shows (default: 20)' },
    bill: { type: 'string', summary: 'bill of AWS in USD for that month, to split among the accounts' },
  },
  async run(context, args) {
    requireOneOf(args);
    if (args.now === true) return usageNow(context, args);
    if (args.all === true) return usageShares(context, args);
    const { from, to } = hoursOf(context, args);
    const { account } = await showAccount(context.store, requiredText(args, 'account'));
    return {
      head: { account },
      name: 'usage',
      headings: HEADINGS,
      empty: `No usage from ${from} to ${to}.`,
      pages: usagePages(usageLines(retriedReads(context.store), account, from, to)),
    };
  },
};

/** The kinds of report, and the flags of each: hours are of one account, months of all. */
const QUESTIONS = {
  ACCOUNT: ['from', 'to'],
  '--all': ['month', 'bill'],
  '--now': ['seconds', 'top'],
} as const;

function requireOneOf(args: Arguments): void {
  const subjects = {
    ACCOUNT: optionalText(args, 'account') !== undefined,
    '--all': args.all === true,
    '--now': args.now === true,
  };
  if (Object.values(subjects).filter(Boolean).length !== 1)
    throw new InputError('usage needs either ACCOUNT, --all or --now');
  for (const [question, flags] of Object.entries(QUESTIONS)) {
    const wrong = flags.find((name) => args[name] !== undefined);
    if (wrong !== undefined && !subjects[question as keyof typeof subjects])
      throw new InputError(`--${wrong} needs ${question}`);
  }
}

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
  if (!isHour(text)) throw new InputError('an hour must look like 2026-11-20T23, in UTC');
}

/** The last page has the total of all pages as well, in the table. */
async function* usagePages(lines: AsyncIterable<UsageLine>): AsyncGenerator<ListedPage> {
  let total: Counters = { calls: 0, cu: 0, cached: 0, errors: 0 };
  let waiting: ListedPage | undefined;
  for await (const page of inPages(lines, LINES_PER_PAGE)) {
    if (waiting !== undefined) yield waiting;
    waiting = { items: page, rows: page.map(row) };
    total = page.reduce(add, total);
  }
  if (waiting === undefined) return;
  yield { ...waiting, rows: [...waiting.rows, ['total', '', '', ...countersOf(total)]] };
}

type Counters = Pick<UsageLine, 'calls' | 'cu' | 'cached' | 'errors'>;

function add(total: Counters, { calls, cu, cached, errors }: Counters): Counters {
  return {
    calls: total.calls + calls,
    cu: total.cu + cu,
    cached: total.cached + cached,
    errors: total.errors + errors,
  };
}

function row(line: UsageLine): string[] {
  return [line.hour, line.chain, line.method, ...countersOf(line)];
}

function countersOf({ calls, cu, cached, errors }: Counters): string[] {
  return [calls, cu, cached, errors].map(formatComputeUnits);
}
