import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import { queryItems } from '../../../lambdas/access/store/query-items.ts';
import { usageLines } from '../../../lambdas/accounts/usage-lines.ts';
import { FURTHER_ROWS } from '../../../lambdas/data/plan/price.ts';
import { ACCOUNT_REGISTRY } from '../../../lambdas/settlement/settlement-ledger.ts';
import { HOUR_MS, hourOf } from '../../../lambdas/shared/runtime/hour.ts';
import { type Arguments, type Context, type Outcome, optionalText } from './command.ts';
import { formatComputeUnits } from './compute-units.ts';
import { retriedReads } from './retried-reads.ts';
import { renderTable } from './text-table.ts';

const MONTH = /^(\d{4})-(0[1-9]|1[0-2])$/;
const BILL = /^\d{1,9}(\.\d{1,2})?$/;
const ACCOUNTS_PER_READ = 100;
/** Most accounts whose sums are kept in memory. */
const MAX_ACCOUNTS = 100_000;
const PERCENT_DIGITS = 4;
const USD_DIGITS = 2;

/** Usage of an account in a month. */
interface MonthUsage {
  readonly account: string;
  readonly calls: number;
  /** Compute units, those of the Data API among them. */
  readonly cu: number;
  readonly data_cu: number;
}

/**
 * What each account used in a month (`--month`, UTC), its share of all compute units, and that share of what AWS billed
 * (`--bill`, in USD). Accounts without usage are left out; the one with the largest share comes first.
 */
export async function usageShares(context: Context, args: Arguments): Promise<Outcome> {
  const month = optionalText(args, 'month') ?? hourOf(context.clock.now()).slice(0, 'yyyy-mm'.length);
  const [from, to] = hoursOfMonth(month);
  const bill = billOf(args);
  const used = (await readUsages(context, from, to)).filter(({ calls, cu }) => calls > 0 || cu > 0);
  const total = used.reduce((sum, { cu }) => sum + cu, 0);
  const accounts = used
    .map((one) => {
      const share = total === 0 ? 0 : one.cu / total;
      return { ...one, share, ...(bill !== undefined && { cost_usd: round(share * bill, USD_DIGITS) }) };
    })
    .sort((one, other) => other.cu - one.cu || (one.account < other.account ? -1 : 1));
  const json = { month, total_cu: total, ...(bill !== undefined && { bill_usd: bill }), accounts };
  if (accounts.length === 0) return { json, text: `No usage in ${month}.` };
  const headings = [
    'account',
    'calls',
    'CU',
    'of the Data API',
    'share',
    ...(bill === undefined ? [] : ['USD']),
  ];
  const rows = accounts.map(({ account, calls, cu, data_cu, share, cost_usd }) => [
    account,
    ...[calls, cu, data_cu].map(formatComputeUnits),
    `${round(share * 100, PERCENT_DIGITS)} %`,
    ...(cost_usd === undefined ? [] : [cost_usd.toFixed(USD_DIGITS)]),
  ]);
  return { json, text: renderTable(headings, rows) };
}

/** The first and the last hour of a month. */
function hoursOfMonth(month: string): readonly [string, string] {
  const [, year, number] = MONTH.exec(month) ?? [];
  if (year === undefined) throw new InputError('a month must look like 2026-11, in UTC');
  // Months count from 0, so this is the first hour of the next one.
  return [`${month}-01T00`, hourOf(Date.UTC(Number(year), Number(number)) - HOUR_MS)];
}

function billOf(args: Arguments): number | undefined {
  const bill = optionalText(args, 'bill');
  if (bill === undefined) return undefined;
  if (!BILL.test(bill)) throw new InputError('a bill must be an amount in USD, such as 1520.35');
  return Number(bill);
}

async function readUsages({ store }: Context, from: string, to: string): Promise<readonly MonthUsage[]> {
  const reads = retriedReads(store);
  const registry = queryItems(
    { store: reads },
    {
      table: 'ledger',
      partition: { attribute: 'account', value: ACCOUNT_REGISTRY },
      limit: ACCOUNTS_PER_READ,
    },
  );
  const usages: MonthUsage[] = [];
  for await (const { record } of registry) {
    const account = String(record);
    if (usages.length === MAX_ACCOUNTS) {
      throw new InputError(
        `more than ${MAX_ACCOUNTS.toLocaleString('en-US')} accounts: ask for each separately`,
      );
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

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
