import { readJson } from '../../jsonrpc/json-values.ts';
import type { FinalityTag } from '../../jsonrpc/logs-range.ts';
import { FINALITY_BLOCKS } from '../../runtime/finality.ts';
import { errorField, log } from '../../runtime/log.ts';
import type { ChainUpstreams } from '../chain-upstreams.ts';
import { MAX_SKEW_MS, mostHave } from '../head/head-reports.ts';
import { isText, SharedItem, type SharedText, type SharedTextItem } from '../sharing/shared-item.ts';
import type { Upstream } from '../upstream.ts';
import { endsBy } from './ask-head.ts';
import { askBlocks } from './block-hashes.ts';

/** Age from which the upstreams are asked again while calls name a tag, in milliseconds. */
export const TAG_MAX_AGE_MS = 5_000;
/** Age from which no instance uses numbers before it has renewed them, in milliseconds. */
const STALE_MS = 15_000;
/**
 * Time for which numbers are stored before they are used, in milliseconds: by then no process uses what it read before that.
 * Each process reckons it from when it saw them, so that clocks may differ.
 */
const TAG_DELAY_MS = 2_000;
/** Least time between two readings of a process while numbers are about to be used, in milliseconds. */
const READ_NOW_INTERVAL_MS = 500;
/** Age from which what is stored is read again, in milliseconds. */
const READ_INTERVAL_MS = 1_000;
/** Least time between two questions, and longest time for one, in milliseconds. */
const ASK_INTERVAL_MS = 1_000;
const ASK_TIMEOUT_MS = 1_000;
const TAGS: readonly FinalityTag[] = ['safe', 'finalized'];
const MAX_TEXT = 1_024;
const NUMBER = /^\d{1,20}$/;

/** Numbers of a chain's safe and finalized blocks; absent where its upstreams have no such block. */
type TagNumbers = { readonly [Tag in FinalityTag]?: bigint };

/** Numbers of a chain between two of its beginnings. */
interface EraNumbers {
  readonly numbers: TagNumbers;
  /** How often the chain has begun anew: only then numbers become lower. */
  readonly era: number;
}

/** What is stored: the numbers in use, and those that come after them. */
interface TagRecord extends EraNumbers {
  readonly next?: EraNumbers | undefined;
}

/** Blocks that most upstreams have. */
interface ToldBlocks {
  readonly numbers: TagNumbers;
  /** The newest block of all. */
  readonly top: bigint;
}

/**
 * The safe and the finalized block of a chain, which all instances have alike. One instance asks all upstreams, and stores
 * the numbers that more than half of them have beside those in use. From when an instance sees them it reads what is stored
 * for each answer; two seconds later the first that wants them makes them those in use. So no answer goes back, whatever
 * clocks say. Numbers never become lower, unless no upstream has such a block any more. While the store is away each instance
 * keeps its own.
 */
export class ChainTags {
  readonly #node: ChainUpstreams;
  readonly #store: SharedTextItem | undefined;
  /** What is stored, as far as this instance knows; `unread`: the store did not say. */
  #item: SharedText | undefined | 'unread';
  #record: TagRecord | undefined;
  /** When this instance first saw it, in milliseconds since the epoch. */
  #seenAt = Number.NEGATIVE_INFINITY;
  #toldAt = Number.NEGATIVE_INFINITY;
  #used: EraNumbers | undefined;
  /** Readings of what was stored a moment ago, and of what is stored now, which put it to use if that is due. */
  readonly #stored: SharedItem<void> | undefined;
  readonly #storedNow: SharedItem<void>;
  #askedAt = Number.NEGATIVE_INFINITY;
  /** While upstreams are asked. */
  asking: Promise<void> | undefined;

  constructor(node: ChainUpstreams, store: SharedTextItem | undefined) {
    this.#node = node;
    this.#store = store;
    const { clock, wait } = node;
    const items = { first: undefined, clock, wait };
    this.#storedNow = new SharedItem({
      ...items,
      get: () => this.#putToUse(),
      intervalMs: READ_NOW_INTERVAL_MS,
    });
    if (store === undefined) return;
    const get = async () => this.#take(await store.read());
    this.#stored = new SharedItem({ ...items, get, intervalMs: READ_INTERVAL_MS });
  }

  /** The numbers that calls use now; waits where those that are known are too old. `deadline`: in milliseconds since the epoch. */
  async read(deadline: number): Promise<TagNumbers> {
    await this.#stored?.lately();
    if (this.#record?.next !== undefined) await this.#storedNow.since(this.#node.clock.now()).read;
    this.#renewIfOlder(TAG_MAX_AGE_MS);
    if (this.#ageMs >= STALE_MS) await endsBy(deadline, this.#node, this.asking);
    return this.#numbers();
  }

  /** What is known of the numbers, renewed in passing from that age on, in milliseconds: for those that lose little by older ones. */
  async readLately(maxAgeMs: number): Promise<TagNumbers> {
    await this.#stored?.lately();
    this.#renewIfOlder(maxAgeMs);
    return this.#numbers();
  }

  get #ageMs(): number {
    return this.#node.clock.now() - this.#toldAt;
  }

  /** Not all instances ask at once. */
  #renewIfOlder(maxAgeMs: number): void {
    if (this.#ageMs >= maxAgeMs * (1 + this.#node.random() / 2)) this.#renew(maxAgeMs);
  }

  #numbers(): TagNumbers {
    if (this.#record !== undefined) this.#used = this.#highest(this.#record);
    return this.#used?.numbers ?? {};
  }

  /** Numbers, none below those that this instance has used. */
  #highest({ numbers, era }: EraNumbers): EraNumbers {
    return { era, numbers: era === this.#used?.era ? higherOf(numbers, this.#used.numbers) : numbers };
  }

  /** Reads what is stored as it is now; what has been next for long enough is in use from then on. */
  async #putToUse(): Promise<void> {
    const read = await this.#store?.read({ isNow: true });
    this.#take(read);
    const { next } = this.#record ?? {};
    if (isText(read) && next !== undefined && this.#node.clock.now() - this.#seenAt >= TAG_DELAY_MS)
      await this.#keep(next, this.#toldAt);
  }

  #take(read: SharedText | undefined | 'unread'): void {
    const known = this.#item;
    // A read can be older than the one before it.
    const isOlder = isText(read) && isText(known) && read.sequence < known.sequence;
    if (isOlder && read.toldAt <= known.toldAt) return;
    this.#item = read;
    if (!isText(read)) return;
    const now = this.#node.clock.now();
    if (!isText(known) || known.sequence !== read.sequence) this.#seenAt = now;
    this.#record = readRecord(read.text) ?? this.#record;
    this.#toldAt = Math.min(read.toldAt, now);
  }

  #renew(maxAgeMs: number): void {
    const now = this.#node.clock.now();
    if (this.asking !== undefined || now - this.#askedAt < ASK_INTERVAL_MS) return;
    this.#askedAt = now;
    this.asking = this.#ask(maxAgeMs)
      .catch((error: unknown) => log('error', 'tag_question_failed', { error: errorField(error) }))
      .then(() => {
        this.asking = undefined;
        this.#askedAt = this.#node.clock.now();
      });
  }

  async #ask(maxAgeMs: number): Promise<void> {
    // Another instance can have asked since what is known was read.
    if (this.#store !== undefined) await this.#putToUse();
    // What nobody has put to use for so long is used by no instance: it is asked for anew.
    const isDecided =
      isText(this.#item) && this.#record?.next !== undefined && this.#ageMs < STALE_MS + MAX_SKEW_MS;
    if (this.#ageMs < maxAgeMs || isDecided) return;
    const told = await this.#askUpstreams();
    const record = told === undefined ? this.#record : this.#next(told);
    if (record !== undefined) await this.#keep(record, this.#node.clock.now());
  }

  /** Stores a record in the place of the one that is known; what stands then is known. */
  async #keep(record: TagRecord, toldAt: number): Promise<void> {
    const item = this.#item;
    const next = { toldAt, text: writeRecord(record) };
    const stored =
      this.#store === undefined || item === 'unread' ? 'unread' : await this.#store.write(next, item);
    if (isText(stored)) this.#take(stored);
    else if (stored === undefined) this.#take(await this.#store?.read({ isNow: true }));
    else {
      this.#item = this.#store === undefined ? undefined : 'unread';
      this.#record = record.next ?? record;
      this.#toldAt = toldAt;
    }
  }

  /** The record with what upstreams have reported: at once in use where no instance uses what was before it. */
  #next({ numbers, top }: ToldBlocks): TagRecord {
    const record = this.#record ?? this.#used;
    if (record === undefined) return { numbers, era: 0 };
    const before = this.#highest(record);
    const isAnew = TAGS.some((tag) => (before.numbers[tag] ?? 0n) > top);
    const next = isAnew
      ? { numbers, era: record.era + 1 }
      : { numbers: higherOf(numbers, before.numbers), era: record.era };
    if (!isAnew && TAGS.every((tag) => next.numbers[tag] === record.numbers[tag])) return record;
    return this.#ageMs >= STALE_MS + MAX_SKEW_MS ? next : { ...record, next };
  }

  /** What more than half of the upstreams have that can speak for the chain; undefined if too few say. */
  async #askUpstreams(): Promise<ToldBlocks | undefined> {
    const { upstreams, clock } = this.#node;
    const until = clock.now() + ASK_TIMEOUT_MS;
    const wanted = upstreams.filter(({ health }) => !health.isHeld);
    const inUse = wanted.filter(({ health }) => health.outSince === undefined);
    const asked = (inUse.length > 0 ? inUse : wanted).filter((one) => this.#counts(one));
    const said = await Promise.all(
      asked.map(async (upstream) =>
        upstream.health.limitedUntil === undefined
          ? (await askBlocks(this.#node, upstream, ['latest', ...TAGS], until)).map((block) => block?.block)
          : [],
      ),
    );
    // What it shows can have shown that it is not to be believed.
    const heard = said.filter((_, place) => this.#counts(asked[place] as Upstream));
    const spoken = heard.filter(([latest]) => latest !== undefined);
    const silent = heard.length - spoken.length;
    const most = (place: number) =>
      mostHave(
        spoken.flatMap((blocks) => blocks[place] ?? []),
        silent,
      );
    const [latest, safe, finalized] = [most(0), most(1), most(2)];
    if (latest === undefined) return undefined;
    const capped = lower(safe, latest);
    const final = lower(finalized, capped ?? latest);
    return {
      numbers: {
        ...(capped !== undefined && { safe: capped }),
        ...(final !== undefined && { finalized: final }),
      },
      top: spoken.reduce((top, [one = 0n]) => (one > top ? one : top), 0n),
    };
  }

  /** Whether what an upstream has counts: it neither syncs, nor is far behind, nor tells a head that is not believed. */
  #counts({ index }: Upstream): boolean {
    const { view } = this.#node;
    const report = view.latestReport(index);
    if (report === undefined) return view.reportedAt(index) === undefined;
    return !report.syncing && (view.head ?? 0n) - report.number <= BigInt(FINALITY_BLOCKS);
  }
}

function lower(number: bigint | undefined, bound: bigint): bigint | undefined {
  return number === undefined || number < bound ? number : bound;
}

/** The higher ones of both, of which the safe block is not below the finalized one. */
function higherOf(one: TagNumbers, other: TagNumbers): TagNumbers {
  const finalized = higher(one.finalized, other.finalized);
  const told = higher(one.safe, other.safe);
  const safe = told === undefined ? undefined : higher(told, finalized);
  return { ...(safe !== undefined && { safe }), ...(finalized !== undefined && { finalized }) };
}

function higher(one: bigint | undefined, other: bigint | undefined): bigint | undefined {
  return one === undefined || (other !== undefined && other > one) ? other : one;
}

function writeRecord({ next, ...used }: TagRecord): string {
  return JSON.stringify({ ...textOf(used), ...(next !== undefined && { next: textOf(next) }) });
}

function textOf({ numbers, era }: EraNumbers) {
  return { safe: numbers.safe?.toString(), finalized: numbers.finalized?.toString(), era };
}

/** A record from text; undefined if invalid. */
function readRecord(text: string): TagRecord | undefined {
  const record = text.length > MAX_TEXT ? undefined : readJson(text);
  const used = readNumbers(record);
  return used && { ...used, next: readNumbers((record as { readonly next?: unknown }).next) };
}

function readNumbers(value: unknown): EraNumbers | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { era, ...numbers } = value as Readonly<Record<string, unknown>>;
  if (!Number.isSafeInteger(era)) return undefined;
  const known = TAGS.flatMap((tag) => {
    const number = numbers[tag];
    return typeof number === 'string' && NUMBER.test(number) ? [[tag, BigInt(number)] as const] : [];
  });
  return { numbers: Object.fromEntries(known), era: era as number };
}
