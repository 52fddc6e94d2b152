import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import type { MethodUsage } from '../../../lambdas/access/contract/metering.ts';
import type { Store } from '../../../lambdas/access/store/store.ts';
import { FURTHER_ROWS } from '../../../lambdas/data/plan/price.ts';
import { showAccount, usageHours } from '../../../lambdas/settlement/account-statement.ts';
import { HOUR_MS, hourEndMs, hourOf, isHour } from '../../../lambdas/shared/runtime/clock.ts';
import {
  ACCOUNT,
  type Arguments,
  type Command,
  type Context,
  type Outcome,
  optionalText,
  requiredText,
  switchFlag,
  valueFlag,
} from '../context/command.ts';
import { accountIds, listOutcome, retriedReads } from '../context/listing.ts';
import { formatCount } from '../context/text-table.ts';

/** What an account used in one hour, of one chain and method. */
interface UsageLine extends MethodUsage {
  /** UTC hour, such as `2026-11-20T23`. */
  readonly hour: string;
}

/** Hours that are shown if none are named. */
const DEFAULT_HOURS = 24;
/** Most hours of one call: a year. */
const MAX_HOURS = 366 * 24;
const HEADINGS = ['hour', 'chain', 'method', 'calls', 'CU', 'cached', 'errors'];
const MONTH = /^(\d{4})-(0[1-9]|1[0-2])$/;
/** Most accounts whose sums are kept in memory. */
const MAX_ACCOUNTS = 100_000;
const PERCENT_DIGITS = 4;

export const accountUsage: Command = {
  name: 'usage',
  summary: `usage of an account by hour, chain and method (the last ${DEFAULT_HOURS} hours), or of all accounts in a month`,
  positionals: [{ ...ACCOUNT, optional: true }],
  flags: {
    from: valueFlag('first hour in UTC, such as 2026-11-20T23'),
    to: valueFlag('last hour (default: this one)'),
    all: switchFlag('all accounts in a month, with their shares of all compute units'),
    month: valueFlag('month of --all in UTC, such as 2026-11 (default: the current one)'),
  },
  example: 'usage acme --from 2026-11-20T00 --to 2026-11-20T23',
  async run(context, args) {
    requireOneOf(args);
    if (args.all === true) return usageShares(context, args);
    const { from, to } = hoursAsked(context, args);
    const { account } = await showAccount(context.store, requiredText(args, 'account'));
    return listOutcome({
      head: { account },
      name: 'usage',
      headings: HEADINGS,
      empty: `No usage from ${from} to ${to}.`,
      entries: usageLines(retriedReads(context.store), account, from, to),
      row: (line) => [line.hour, line.chain, line.method, ...countersOf(line)],
      total: (lines) => ['total', '', '', ...countersOf(lines.reduce(add, NONE))],
    });
  },
};

/** The kinds of report, and the flags of each: hours are of one account, months of all. */
const QUESTIONS = {
  ACCOUNT: ['from', 'to'],
  '--all': ['month'],
} as const;

function requireOneOf(args: Arguments): void {
  const subjects = {
    ACCOUNT: optionalText(args, 'account') !== undefined,
    '--all': args.all === true,
  };
  if (Object.values(subjects).filter(Boolean).length !== 1)
    throw new InputError('usage needs either ACCOUNT or --all');
  for (const [question, flags] of Object.entries(QUESTIONS)) {
    const wrong = flags.find((name) => args[name] !== undefined);
    if (wrong !== undefined && !subjects[question as keyof typeof subjects])
      throw new InputError(`--${wrong} needs ${question}`);
  }
}

function hoursAsked({ clock }: Context, args: Arguments): { readonly from: string; readonly to: string } {
  const to = optionalText(args, 'to') ?? hourOf(clock.now());
  requireHour(to);
  const from = optionalText(args, 'from') ?? hourOf(hourEndMs(to) - DEFAULT_HOURS * HOUR_MS);
  requireHour(from);
  if (from > to) throw new InputError('--from is after --to');
  if (hourEndMs(to) - hourEndMs(from) >= MAX_HOURS * HOUR_MS) {
    throw new InputError(`at most ${formatCount(MAX_HOURS)} hours at once`);
  }
  return { from, to };
}

function requireHour(text: string): void {
  if (!isHour(text)) throw new InputError('an hour must look like 2026-11-20T23, in UTC');
}

type Counters = Pick<UsageLine, 'calls' | 'cu' | 'cached' | 'errors'>;

const NONE: Counters = { calls: 0, cu: 0, cached: 0, errors: 0 };

function add(total: Counters, { calls, cu, cached, errors }: Counters): Counters {
  return {
    calls: total.calls + calls,
    cu: total.cu + cu,
    cached: total.cached + cached,
    errors: total.errors + errors,
  };
}

function countersOf({ calls, cu, cached, errors }: Counters): string[] {
  return [calls, cu, cached, errors].map(formatCount);
}

/** Usage of an account in a month. */
interface MonthUsage {
  readonly account: string;
  readonly calls: number;
  /** Compute units, those of the Data API among them. */
  readonly cu: number;
  readonly data_cu: number;
}

/**
 * What each account used in a month (`--month`, UTC), and its share of all compute units. Accounts without usage are left
 * out; the one with the largest share comes first.
 */
async function usageShares(context: Context, args: Arguments): Promise<Outcome> {
  const month = optionalText(args, 'month') ?? hourOf(context.clock.now()).slice(0, 'yyyy-mm'.length);
  const [from, to] = hoursOfMonth(month);
  const used = (await readUsages(context, from, to)).filter(({ calls, cu }) => calls > 0 || cu > 0);
  const total = used.reduce((sum, { cu }) => sum + cu, 0);
  return listOutcome({
    head: { month, total_cu: total },
    name: 'accounts',
    headings: ['account', 'calls', 'CU', 'of the Data API', 'share'],
    empty: `No usage in ${month}.`,
    entries: used
      .map((one) => ({ ...one, share: total === 0 ? 0 : one.cu / total }))
      .sort((one, other) => other.cu - one.cu || (one.account < other.account ? -1 : 1)),
    row: ({ account, calls, cu, data_cu, share }) => [
      account,
      ...[calls, cu, data_cu].map(formatCount),
      `${Number((share * 100).toFixed(PERCENT_DIGITS))} %`,
    ],
  });
}

/** The first and the last hour of a month. */
function hoursOfMonth(month: string): readonly [string, string] {
  const [, year, number] = MONTH.exec(month) ?? [];
  if (year === undefined) throw new InputError('a month must look like 2026-11, in UTC');
  // Months count from 0, so this is the first hour of the next one.
  return [`${month}-01T00`, hourOf(Date.UTC(Number(year), Number(number)) - HOUR_MS)];
}

async function readUsages({ store }: Context, from: string, to: string): Promise<readonly MonthUsage[]> {
  const reads = retriedReads(store);
  const usages: MonthUsage[] = [];
  for await (const account of accountIds(reads)) {
    if (usages.length === MAX_ACCOUNTS) {
      throw new InputError(`more than ${formatCount(MAX_ACCOUNTS)} accounts: ask for each separately`);
    }
    let usage: MonthUsage = { account, calls: 0, cu: 0, data_cu: 0 };
    for await (const { method, calls, cu } of usageLines(reads, account, from, to)) {
      const dataCu = isOfDataApi(method) ? cu : 0;
      usage = { account, calls: usage.calls + calls, cu: usage.cu + cu, data_cu: usage.data_cu + dataCu };
    }
    usages.push(usage);
  }
  return usages;
}

/** Operations by name, and what rows beyond the included ones cost. */
function isOfDataApi(method: string): boolean {
  return method === FURTHER_ROWS || method.startsWith('data/');
}

/**
 * What an account used in some hours, both included; in the order of hour, chain and method. Throws {@link InputError} if
 * there is no such account. Rejects with `StoreUnavailableError`.
 */
async function* usageLines(
  store: Store,
  account: string,
  fromHour: string,
  toHour: string,
): AsyncGenerator<UsageLine> {
  for await (const { hour, usage } of usageHours(store, account, { fromHour, toHour }))
    for (const line of usage) yield { hour, ...line };
}
