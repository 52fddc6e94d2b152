import { HOUR_MS, hourOf, hourStartMs } from '../../shared/runtime/clock.ts';
import { amountOf, textOf } from '../store/item-values.ts';
import { absentOr, type Item, type ReadOptions, type Store } from '../store/store.ts';
import { type AccountItem, readAccountItem, toStoredAccount } from './account-item.ts';
import type { OlderHours, SeenHour, SeenLanes } from './seen-lanes.ts';

/** Hours that a view has one by one; older ones are one sum. */
const HOURS_BY_HOUR = 24;
/** Of an hour that was not read. */
const UNREAD = '-';

/**
 * The balance of a wide account at one moment: its item, read strongly, and the lanes of the hours that are open by it.
 * Less than a kibibyte.
 */
export interface BalanceView {
  readonly item: AccountItem;
  readonly lanes: SeenLanes;
  /** When the read of the item began, in milliseconds since the epoch. */
  readonly seenAt: number;
  /** Whether readers need it: those of an account with few lanes read these. */
  readonly isWide: boolean;
}

/** Reads the balance view of an account; undefined if absent. Rejects with `StoreUnavailableError`. */
export async function readBalanceView(
  store: Store,
  account: string,
  options: ReadOptions = {},
): Promise<BalanceView | undefined> {
  const stored = await store.get('balances', { account }, options);
  return stored && parseView(stored);
}

/**
 * Writes a balance view as a whole. `run`: when the run that writes it began, in milliseconds since the epoch. Resolves to
 * false if a younger run writes this account's views by now: then nothing is written.
 *
 *   run 1   item -- lanes -- write -- item -- lanes -------------- frozen ------------ write: refused
 *   run 2                                          item -- lanes -- write -- ...
 *
 * Invariant: a view is of one moment. Its sums contain each hour from its own `open_from` on, so a settlement that closes
 * an hour between the two reads, or between two views, is counted in `closed` or in the sums, and never in neither.
 */
export async function writeBalanceView(store: Store, view: BalanceView, run: number): Promise<boolean> {
  const { account, ...item } = toStoredAccount(view.item);
  const result = await store.update({
    table: 'balances',
    key: { account: String(account) },
    when: [absentOr('run', '<=', BigInt(run))],
    set: {
      ...item,
      ...storedLanes(view),
      seen_at: BigInt(view.seenAt),
      wide: view.isWide ? 1n : 0n,
      run: BigInt(run),
    },
  });
  return result.applied;
}

/** Takes the view of an account away, so that none says what it had before a credit. */
export async function dropBalanceView(store: Store, account: string): Promise<void> {
  await store.delete({ table: 'balances', key: { account }, when: [] });
}

/** The youngest hours as `<compute units>.<milliseconds that they were read before the view>`, the oldest first. */
function storedLanes({ item, lanes, seenAt }: BalanceView): Item {
  const endMs = [...lanes.hours.keys()].reduce(
    (end, hour) => Math.max(end, hourStartMs(hour) + HOUR_MS),
    hourStartMs(item.openFrom),
  );
  const firstMs = Math.max(hourStartMs(item.openFrom), endMs - HOURS_BY_HOUR * HOUR_MS);
  const texts: string[] = [];
  for (let startMs = firstMs; startMs < endMs; startMs += HOUR_MS) {
    const hour = lanes.hours.get(hourOf(startMs));
    texts.push(hour === undefined ? UNREAD : `${hour.cu}.${seenAt - hour.seenAt}`);
  }
  const older = olderThan(lanes, item.openFrom, hourOf(firstMs));
  return {
    first_hour: hourOf(firstMs),
    hours: texts.join(' '),
    older_cu: older.cu,
    older_unseen_ms: BigInt(older.unseenMs),
  };
}

/** One sum of the hours from one on to another, the latter not included. */
function olderThan({ hours, older }: SeenLanes, fromHour: string, toHour: string): OlderHours {
  const isOneSum = older?.fromHour === fromHour && older.toHour <= toHour;
  let cu = isOneSum ? older.cu : 0n;
  let unseenMs = isOneSum ? older.unseenMs : 0;
  const toMs = hourStartMs(toHour);
  let startMs = hourStartMs(isOneSum ? older.toHour : fromHour);
  for (; startMs < toMs; startMs += HOUR_MS) {
    const seen = hours.get(hourOf(startMs));
    cu += seen?.cu ?? 0n;
    unseenMs += Math.max(0, startMs + HOUR_MS - Math.max(startMs, seen?.seenAt ?? startMs));
  }
  return { fromHour, toHour, cu, unseenMs };
}

function parseView(stored: Item): BalanceView {
  const item = readAccountItem(stored);
  const seenAt = Number(amountOf(stored, 'seen_at'));
  const toHour = textOf(stored, 'first_hour');
  const hours = new Map<string, SeenHour>();
  const texts = textOf(stored, 'hours').split(' ');
  for (const [place, text] of texts.entries()) {
    const [cu, ago] = text.split('.');
    if (text === '' || text === UNREAD || cu === undefined) continue;
    const hour = hourOf(hourStartMs(toHour) + place * HOUR_MS);
    hours.set(hour, { cu: BigInt(cu), seenAt: seenAt - Number(ago) });
  }
  const older = {
    fromHour: item.openFrom,
    toHour,
    cu: amountOf(stored, 'older_cu'),
    unseenMs: Number(amountOf(stored, 'older_unseen_ms')),
  };
  const lanes = { hours, ...(toHour > item.openFrom && { older }) };
  return { item, lanes, seenAt, isWide: amountOf(stored, 'wide') === 1n };
}
