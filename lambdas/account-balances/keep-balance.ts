import type { Bookkeeping } from '../access/account-work.ts';
import { type AccountItem, damagedAccount, readAccountItem } from '../access/accounts/account-item.ts';
import { seenBalance, spendable } from '../access/accounts/account-view.ts';
import { readBalanceView, writeBalanceView } from '../access/accounts/balance-view.ts';
import { laneHours, UnreadableHour } from '../access/accounts/lane-hours.ts';
import { NARROW_LANES } from '../access/accounts/read-lanes.ts';
import {
  type OlderHours,
  type SeenHour,
  type SeenLanes,
  sumSeenLanes,
} from '../access/accounts/seen-lanes.ts';
import { HOUR_MS, hourAfter, hourEndMs, hourOf, hourStartMs } from '../shared/runtime/clock.ts';
import { errorField } from '../shared/runtime/log.ts';
import { planNamed, type StageSettings } from '../shared/runtime/settings.ts';

/** A view is refreshed so often where the balance may be near its end, and where it is not, in milliseconds. */
const NEAR_EVERY_MS = 1_000;
const FAR_EVERY_MS = 10_000;
/** It is near if what the keys can spend in this time is more: twice {@link FAR_EVERY_MS} on both sides. In milliseconds. */
const NEAR_AHEAD_MS = 45_000;
/** An hour that ended is read again after a tenth of the time since. */
const AGAIN_AFTER_SHARE = 0.1;
/** Time after its end up to which an hour is read strongly, in milliseconds. */
const STRONG_FOR_MS = 10_000;
/** Wide accounts with at most this share of the lanes of a narrow one are narrow again. */
const NARROW_AGAIN_SHARE = 0.5;
/** When an hour was read that never was. */
const NEVER = Number.NEGATIVE_INFINITY;

/** What keeping balances works with. */
interface Keeping extends Bookkeeping {
  readonly settings: Pick<StageSettings, 'plans' | 'defaultPlan'>;
  /** When the run began, in milliseconds since the epoch: a younger one takes its accounts over. */
  readonly run: number;
  /** @default NARROW_LANES */
  readonly narrowLanes?: number;
}

/** Why a keeper ended: the time was over, a younger run keeps the account, it has few lanes, or its item is gone. */
type KeeperEnd = 'over' | 'taken_over' | 'narrow' | 'gone';

interface ReadHour extends SeenHour {
  readonly lanes: number;
}

/**
 * Keeps the balance view of one account: the only writer of it. Its item is read, then the lanes of the running hour, and
 * both are written with the sums of the hours before. Beside that, hours that ended are read: those that never were one after
 * the other, then always the one that was read longest ago. Each sum is in the next view as soon as it is read, and a run
 * continues where one ended.
 */
export class BalanceKeeper {
  /** Longest time between two views, in milliseconds. */
  longestGapMs = 0;
  readonly #parts: Keeping;
  readonly #account: string;
  readonly #hours = new Map<string, ReadHour>();
  /** What an earlier run knew of hours that this one has not read one by one. */
  #older: OlderHours | undefined;
  /** When an hour was last tried that was never read. */
  readonly #failedAt = new Map<string, number>();
  #item: AccountItem | undefined;
  #itemSeenAt = 0;
  /** Whether the balance could be near its end when it was last read: then its running hour is read strongly. */
  #wasNear = true;
  #until: KeeperEnd | undefined;
  #writtenMs: number;

  constructor(parts: Keeping, account: string) {
    this.#parts = parts;
    this.#account = account;
    this.#writtenMs = parts.clock.now();
  }

  /** Keeps the view until the time is over, or there is no need to. `isOver`: asked before each piece of work. Never rejects. */
  async keep(isOver: () => boolean): Promise<KeeperEnd> {
    const goesOn = () => {
      if (isOver()) this.#until ??= 'over';
      return this.#until === undefined;
    };
    await this.#repeat(goesOn, () => this.#begin(), { once: true });
    await Promise.all([
      this.#repeat(goesOn, () => this.#refresh()),
      this.#repeat(goesOn, () => this.#readEnded()),
    ]);
    this.#noteGap();
    return this.#until ?? 'over';
  }

  #noteGap(): void {
    const now = this.#parts.clock.now();
    this.longestGapMs = Math.max(this.longestGapMs, now - this.#writtenMs);
    this.#writtenMs = now;
  }

  /** Works until it is over; what fails is tried again. `work` resolves to how long to wait then, in milliseconds. */
  async #repeat(goesOn: () => boolean, work: () => Promise<number>, { once = false } = {}): Promise<void> {
    const { pause, telemetry } = this.#parts;
    while (goesOn()) {
      try {
        const pauseMs = await work();
        if (once) return;
        await pause(pauseMs);
      } catch (error) {
        telemetry.log('warn', 'balance_not_read', { account: this.#account, error: errorField(error) });
        await pause(NEAR_EVERY_MS);
      }
    }
  }

  /** Continues from the view that there is. */
  async #begin(): Promise<number> {
    const view = await readBalanceView(this.#parts.store, this.#account);
    for (const [hour, seen] of view?.lanes.hours ?? []) this.#hours.set(hour, { ...seen, lanes: 0 });
    this.#older = view?.lanes.older;
    await this.#readItem();
    return 0;
  }

  async #refresh(): Promise<number> {
    const { clock } = this.#parts;
    const seenAt = clock.now();
    const item = await this.#readItem();
    if (item === undefined) return 0;
    const running = hourOf(seenAt);
    await this.#readHours(running, running, !this.#wasNear);
    await this.#write(item, seenAt);
    this.#wasNear = this.#isNear(item);
    const everyMs = this.#wasNear ? NEAR_EVERY_MS : FAR_EVERY_MS;
    return Math.max(0, seenAt + everyMs - clock.now());
  }

  async #write(item: AccountItem, seenAt: number): Promise<void> {
    const { store, run } = this.#parts;
    const isWide = !this.#isNarrowAgain(item);
    const view = { item, lanes: this.#lanes(item), seenAt, isWide };
    if (!(await writeBalanceView(store, view, run))) this.#until = 'taken_over';
    else if (!isWide) this.#until = 'narrow';
    this.#noteGap();
  }

  /** Reads the ended hour that is due and was read longest ago; one that was never read with those like it that follow. */
  async #readEnded(): Promise<number> {
    const now = this.#parts.clock.now();
    const ended = this.#openHours(now).filter((hour) => hourEndMs(hour) <= now);
    const seenAtOf = (hour: string) => this.#hours.get(hour)?.seenAt ?? this.#failedAt.get(hour) ?? NEVER;
    let next: string | undefined;
    let nextSeenAt = Number.POSITIVE_INFINITY;
    for (const hour of ended) {
      const seenAt = seenAtOf(hour);
      const isDue = seenAt + Math.max(NEAR_EVERY_MS, (now - hourEndMs(hour)) * AGAIN_AFTER_SHARE) <= now;
      if (!isDue || seenAt >= nextSeenAt) continue;
      next = hour;
      nextSeenAt = seenAt;
    }
    if (next === undefined) return NEAR_EVERY_MS;
    const isNew = nextSeenAt === NEVER;
    // An account can have been open for years: of most of its hours there is nothing to read.
    const others = ended.slice(ended.indexOf(next) + 1);
    const known = isNew ? others.findIndex((hour) => seenAtOf(hour) !== NEVER) : 0;
    const last = (known === -1 ? others : others.slice(0, known)).at(-1) ?? next;
    // An hour that cannot be read does not hold the others up.
    this.#failedAt.set(next, now);
    await this.#readHours(next, last, now >= hourEndMs(last) + STRONG_FOR_MS);
    // Readers wait for an hour that was never read.
    if (isNew && this.#item !== undefined) await this.#write(this.#item, this.#itemSeenAt);
    return 0;
  }

  async #readItem(): Promise<AccountItem | undefined> {
    const { store, clock, telemetry } = this.#parts;
    const seenAt = clock.now();
    const stored = await store.get('accounts', { account: this.#account });
    if (stored === undefined) {
      telemetry.log('error', 'balance_not_read', {
        account: this.#account,
        error: damagedAccount(this.#account, 'gone').message,
      });
      this.#until = 'gone';
      return undefined;
    }
    this.#item = readAccountItem(stored);
    this.#itemSeenAt = seenAt;
    for (const hour of this.#hours.keys()) if (hour < this.#item.openFrom) this.#hours.delete(hour);
    return this.#item;
  }

  /** Reads hours, both included: those of which no lanes come have none. */
  async #readHours(fromHour: string, toHour: string, eventual: boolean): Promise<void> {
    const item = this.#item;
    if (item === undefined) return;
    const { clock, store, pause } = this.#parts;
    const seenAt = clock.now();
    const range = { account: this.#account, shards: item.shards, fromHour, toHour, totals: true, eventual };
    // A reading that need not be consistent can be an older one; lanes only rise.
    const note = (hour: string, sum: bigint, lanes: number) => {
      const { cu } = this.#hours.get(hour) ?? { cu: 0n };
      this.#hours.set(hour, { cu: sum > cu ? sum : cu, seenAt, lanes });
    };
    let next = fromHour;
    const noteEmpty = (until: string) => {
      for (; next < until; next = hourAfter(next)) note(next, 0n, 0);
    };
    try {
      for await (const { hour, cu, lanes } of laneHours({ store, pause }, range)) {
        noteEmpty(hour);
        note(hour, cu, lanes.length);
        next = hourAfter(hour);
      }
    } catch (error) {
      if (error instanceof UnreadableHour) {
        // The hours before it are whole, and it does not hold up those after it.
        noteEmpty(error.hour);
        this.#failedAt.set(error.hour, seenAt);
      }
      throw error;
    }
    noteEmpty(hourAfter(toHour));
  }

  /** What is known of the lanes of the hours that are open by an item. */
  #lanes({ openFrom }: AccountItem): SeenLanes {
    const older = this.#older;
    if (older === undefined) return { hours: this.#hours };
    const isRead = this.#hoursBetween(older.fromHour, hourStartMs(older.toHour)).every((hour) =>
      this.#hours.has(hour),
    );
    if (older.fromHour !== openFrom || isRead) {
      this.#older = undefined;
      return { hours: this.#hours };
    }
    // Of the hours of a sum that are read again one by one, the sum counts until all of them are.
    return { hours: new Map([...this.#hours].filter(([hour]) => hour >= older.toHour)), older };
  }

  #isNear(item: AccountItem): boolean {
    const now = this.#parts.clock.now();
    const charged = sumSeenLanes(this.#lanes(item), item.openFrom, now);
    const plan = planNamed(this.#parts.settings, item.plan);
    return (
      seenBalance({ item, charged }) <=
      spendable({ item, plan }, charged.seenAt, now - charged.seenAt + NEAR_AHEAD_MS)
    );
  }

  #isNarrowAgain({ openFrom }: AccountItem): boolean {
    const { narrowLanes = NARROW_LANES, clock } = this.#parts;
    let lanes = 0;
    for (const hour of this.#hoursBetween(openFrom, clock.now())) {
      const read = this.#hours.get(hour);
      if (read === undefined || (read.lanes === 0 && read.cu > 0n)) return false;
      lanes += read.lanes;
    }
    return lanes <= narrowLanes * NARROW_AGAIN_SHARE;
  }

  #openHours(nowMs: number): string[] {
    return this.#item === undefined ? [] : this.#hoursBetween(this.#item.openFrom, nowMs);
  }

  #hoursBetween(fromHour: string, toMs: number): string[] {
    const hours: string[] = [];
    for (let startMs = hourStartMs(fromHour); startMs < toMs; startMs += HOUR_MS) hours.push(hourOf(startMs));
    return hours;
  }
}
