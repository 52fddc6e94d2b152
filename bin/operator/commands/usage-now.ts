import { accountShard, hourLane } from '../../../lambdas/access/charge/lane.ts';
import { parseEntry, slotName } from '../../../lambdas/access/charge/unsettled.ts';
import { sumUsage } from '../../../lambdas/access/charge/usage-text.ts';
import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import type { MethodUsage } from '../../../lambdas/access/contract/metering.ts';
import { queryItems } from '../../../lambdas/access/store/query-items.ts';
import type { Item, Store } from '../../../lambdas/access/store/store.ts';
import { AFTER_ALL, UNSETTLED_SLOTS } from '../../../lambdas/access/store/tables.ts';
import { laneUsage } from '../../../lambdas/settlement/hour-leaves.ts';
import { hourOf } from '../../../lambdas/shared/runtime/hour.ts';
import { inParallel } from '../../../lambdas/shared/runtime/in-parallel.ts';
import { sleep } from '../../../lambdas/shared/runtime/sleep.ts';
import { type Arguments, type Context, type Outcome, optionalText } from '../context/command.ts';
import { retriedReads } from '../context/listing.ts';
import { formatCount, renderTable } from '../context/text-table.ts';

const DEFAULT_SECONDS = 15;
/** Longest time between the two looks: with the looks themselves, the response comes within a minute. */
const MAX_SECONDS = 30;
const DEFAULT_TOP = 20;
const MAX_TOP = 1_000;
/** Account shards of one slot of the work list that are looked at: 32,000 in all. */
const MAX_SHARDS_PER_SLOT = 500;
/** Lanes of one account shard that are added up: processes that charged it since the hour began. */
const MAX_LANES_PER_SHARD = 5_000;
const READS_AT_ONCE = 32;
const COUNT = /^\d{1,5}$/;

/** Charges of an account since an hour began, at one moment. */
interface Spent {
  cu: number;
  readonly usage: MethodUsage[];
}

/** Charges of all accounts since an hour began. */
interface Look {
  readonly atMs: number;
  readonly accounts: ReadonlyMap<string, Spent>;
  /** Whether nothing was left out for a bound. */
  readonly isComplete: boolean;
}

/** An account that was charged something since the hour began. */
interface Spender {
  readonly account: string;
  /** Compute units a second between the two looks, and the share of that in those of all accounts. */
  readonly cu_per_second: number;
  readonly share: number;
  /** Compute units since the hour began. */
  readonly cu: number;
  /** The most expensive use of them, as `chain method`. */
  readonly mostly: string;
}

/**
 * What accounts spend now: the lanes of the running hour are read twice, some seconds apart (`--seconds`). Lanes only rise, so what they
 * rose by is what was charged in between. The accounts that spend fastest come first (`--top`). A charge that its process
 * still holds back is in neither look.
 */
export async function usageNow(context: Context, args: Arguments): Promise<Outcome> {
  const seconds = countOf(args, 'seconds', DEFAULT_SECONDS, MAX_SECONDS);
  const top = countOf(args, 'top', DEFAULT_TOP, MAX_TOP);
  const { clock, pause = sleep } = context;
  const store = retriedReads(context.store);
  const from = hourOf(clock.now());
  const look = () => lookAt(store, from, clock.now());
  const first = await look();
  await pause(seconds * 1_000);
  const second = await look();
  const elapsed = (second.atMs - first.atMs) / 1_000;
  const spenders = spendersOf(first, second, elapsed);
  const complete = first.isComplete && second.isComplete;
  const accounts = spenders.slice(0, top);
  const json = { from, seconds: elapsed, complete, spending: spenders.length, accounts };
  return { json, text: textOf(json, accounts) };
}

function textOf(
  { from, complete, spending }: { from: string; complete: boolean; spending: number },
  accounts: readonly Spender[],
): string {
  const rows = accounts.map(({ account, cu_per_second, share, cu, mostly }) => [
    account,
    formatCount(cu_per_second),
    `${(share * 100).toFixed(1)} %`,
    formatCount(cu),
    mostly,
  ]);
  const table =
    spending === 0
      ? `Nothing has been charged since ${from}:00Z.`
      : renderTable(['account', 'CU/s now', 'share', `CU since ${from}:00Z`, 'mostly'], rows);
  const left = spending - accounts.length;
  return [
    table,
    ...(left > 0 ? [`${formatCount(left)} more accounts spend: --top shows more.`] : []),
    ...(complete ? [] : ['Cut: there are more accounts or processes than are looked at.']),
  ].join('\n');
}

function countOf(args: Arguments, name: string, otherwise: number, most: number): number {
  const text = optionalText(args, name);
  if (text === undefined) return otherwise;
  const count = COUNT.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= most) return count;
  throw new InputError(`--${name} must be a whole number from 1 to ${formatCount(most)}`);
}

async function lookAt(store: Store, from: string, atMs: number): Promise<Look> {
  const accounts = new Map<string, Spent>();
  let isComplete = true;
  const slots = Array.from({ length: UNSETTLED_SLOTS }, (_, slot) => slotName(slot));
  const shards = new Map<string, { readonly account: string; readonly shard: number }>();
  await inParallel(slots, READS_AT_ONCE, async (slot) => {
    const entries = { partition: { attribute: 'slot', value: slot }, sort: sortFrom('entry', from) };
    const read = await take(store, { table: 'unsettled', ...entries }, MAX_SHARDS_PER_SLOT);
    isComplete &&= read.isComplete;
    for (const { entry } of read.items) {
      const { account, shard } = parseEntry(String(entry));
      shards.set(accountShard(account, shard), { account, shard });
    }
  });
  await inParallel([...shards], READS_AT_ONCE, async ([partition, { account }]) => {
    const lanes = {
      partition: { attribute: 'account_shard', value: partition },
      sort: sortFrom('hour_lane', from),
    };
    const read = await take(store, { table: 'lanes', ...lanes }, MAX_LANES_PER_SHARD);
    isComplete &&= read.isComplete;
    const spent = accounts.get(account) ?? { cu: 0, usage: [] };
    const usage = sumUsage(laneUsage(read.items));
    spent.usage.push(...usage);
    spent.cu += usage.reduce((sum, { cu }) => sum + cu, 0);
    accounts.set(account, spent);
  });
  return { atMs, accounts, isComplete };
}

function sortFrom(attribute: string, hour: string) {
  return { attribute, from: hour, to: hourLane(AFTER_ALL, AFTER_ALL) };
}

/** The first items of a query. */
async function take(
  store: Store,
  query: Omit<Parameters<typeof queryItems>[1], 'limit'>,
  most: number,
): Promise<{ readonly items: readonly Item[]; readonly isComplete: boolean }> {
  const items: Item[] = [];
  for await (const item of queryItems({ store }, { ...query, limit: Math.min(most, MAX_SHARDS_PER_SLOT) })) {
    if (items.length === most) return { items, isComplete: false };
    items.push(item);
  }
  return { items, isComplete: true };
}

function spendersOf(first: Look, second: Look, seconds: number): Spender[] {
  const risen = [...second.accounts].flatMap(([account, spent]) => {
    const before = first.accounts.get(account);
    // A first look that was cut does not say that an account had nothing.
    if (before === undefined && !first.isComplete) return [];
    return [{ account, spent, rate: Math.max(0, spent.cu - (before?.cu ?? 0)) / seconds }];
  });
  const all = risen.reduce((sum, { rate }) => sum + rate, 0);
  return risen
    .map(({ account, spent, rate }) => ({
      account,
      cu_per_second: Number(rate.toFixed(1)),
      share: all === 0 ? 0 : Number((rate / all).toFixed(4)),
      cu: spent.cu,
      mostly: mostOf(spent.usage),
    }))
    .sort(
      (one, other) =>
        other.cu_per_second - one.cu_per_second ||
        other.cu - one.cu ||
        (one.account < other.account ? -1 : 1),
    );
}

function mostOf(usage: readonly MethodUsage[]): string {
  const [most] = sumUsage(usage).sort((one, other) => other.cu - one.cu);
  return most === undefined ? '' : `${most.chain} ${most.method}`;
}
