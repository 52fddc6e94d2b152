import type { Call, UpstreamResponse } from '../../jsonrpc/calls.ts';
import { quantityJson } from '../../jsonrpc/json-values.ts';
import { requiredBlock } from '../../jsonrpc/required-block.ts';
import { LruMap } from '../../runtime/expiring-memory.ts';
import type { Telemetry } from '../../runtime/telemetry.ts';
import { isOfPool } from '../agreement/pinned-call.ts';
import type { ChainUpstreams } from '../chain-upstreams.ts';
import { asksForHead, mayShow, newestBlockParams, reportedHead, shownBlock } from '../head/answered-head.ts';
import { MAX_LAG_BLOCKS } from '../head/head-claim.ts';
import type { GivenHead, GivenHeadStore, Taker } from '../sharing/given-head.ts';
import { type AskStore, forgiveStore, type ItemReading, SharedItem } from '../sharing/shared-item.ts';
import type { Upstream } from '../upstream.ts';
import type { Learnt } from './learn-responses.ts';
import { hashOfTransaction, sends, takersOf } from './own-transactions.ts';
import type { GivenBlock, Sender } from './terms.ts';

/** Keys of one chain whose head is remembered. */
const MAX_KEYS = 1_000;
/** Within so many blocks of the head, what a response shows raises the head of its key. */
const YOUNG_BLOCKS = MAX_LAG_BLOCKS;
/**
 * Least time between two readings for one key of what another instance showed it, in milliseconds: 200 instances read one item
 * 1,000 times a second.
 */
const READ_INTERVAL_MS = 200;
/** The same for a key that was shown no block within the hour, before its newest state is asked for. */
const UNSHOWN_READ_INTERVAL_MS = 10_000;
/** A key of which this instance read no longer ago than this has many calls, in milliseconds. */
const BUSY_MS = 2_000;
/** For how long a transaction is looked for at the upstream that took it, in milliseconds. */
const TAKEN_MS = 60_000;
/** For how long a key's transactions go to one upstream, in milliseconds: it must not lose them all for ever. */
const SAME_TAKER_MS = 30_000;
const NO_TAKERS: ReadonlyMap<string, Taker> = new Map();
const NOTHING_LEARNT: Learnt = { takers: new Map() };
/** Time after which a block counts as past while the chain's block time is not known, in milliseconds. */
const UNKNOWN_BLOCK_MS = 1_000;

/** Answers calls by a chain's upstreams, in their order. */
export type AskUpstreams = (
  calls: readonly Call[],
  sender: Pick<Sender, 'known' | 'given' | 'learn' | 'takenBy'>,
) => Promise<readonly UpstreamResponse[]>;

/** Calls with their responses, in one order. */
interface AnsweredCalls {
  readonly calls: readonly Call[];
  readonly responses: readonly UpstreamResponse[];
  readonly ask: AskUpstreams;
}

/** What a key got. */
interface LateHead {
  readonly given: GivenHead;
  /** When this instance last read it, in milliseconds since the epoch. */
  readonly readAt: number;
  /** When this instance first knew of it, in milliseconds since the epoch. */
  readonly seenAt: number;
}

interface GivenHeadsOptions {
  readonly chain: string;
  readonly node: Pick<ChainUpstreams, 'view' | 'upstreams' | 'clock' | 'wait'>;
  readonly store: GivenHeadStore;
  readonly telemetry: Telemetry;
}

/**
 * Keeps the head that a key gets from going back, whatever instance answers. What the key got is read beside
 * its calls and taken for what it was: the word of an upstream, by the same rule as its other reports. So a head is returned
 * again until that upstream takes it back; then the chain has gone back, and a new sequence begins.
 */
export class GivenHeads {
  readonly #options: GivenHeadsOptions;
  /** What keys got, as far as this instance has learnt. */
  readonly #lately = new LruMap<LateHead>(MAX_KEYS);
  /** The last readings of what other instances showed, or the next ones. */
  readonly #readings = new LruMap<SharedItem<undefined>>(MAX_KEYS);
  readonly #ask: AskStore;

  constructor(options: GivenHeadsOptions) {
    this.#options = options;
    const { chain, node, telemetry } = options;
    this.#ask = forgiveStore({ chain, clock: node.clock, telemetry, event: 'given_heads_unavailable' });
  }

  /**
   * Gets the calls of a key answered. A store that is away costs the promise, and no response.
   * @param minBlock block that the request wants: if it is above all that is known, what the key got is read before
   */
  async answer(
    keyId: string,
    calls: readonly Call[],
    ask: AskUpstreams,
    minBlock?: bigint,
  ): Promise<readonly UpstreamResponse[]> {
    const { view, clock } = this.#options.node;
    const now = clock.now();
    // This request does not wait for a reading.
    if (minBlock !== undefined && (view.head ?? -1n) < minBlock)
      await this.#learnOfAbsent(keyId, now)([], now + 1);
    return calls.some(isOfPool) ? this.#answerPool(keyId, calls, ask) : this.#answer(keyId, calls, ask);
  }

  #answer(keyId: string, calls: readonly Call[], ask: AskUpstreams): Promise<readonly UpstreamResponse[]> {
    const askedAt = this.#options.node.clock.now();
    const learn = this.#learnOfAbsent(keyId, askedAt);
    // A block that the key got is asked of an upstream that has it.
    const askOthers = () => ask(calls, { given: this.#givenTo(keyId), learn });
    const asked = calls.some(asksForHead)
      ? this.#answerHead(keyId, calls, (again, terms) => ask(again, { ...terms, learn }))
      : (this.#readBefore(keyId, calls, askedAt)?.then(askOthers) ?? askOthers());
    return calls.some(mayShow)
      ? asked.then((responses) => this.#raiseToShown(keyId, { calls, responses, askedAt }))
      : asked;
  }

  /** Transactions of a key go to one upstream for a while, and what is in no block yet is asked of that. */
  async #answerPool(
    keyId: string,
    calls: readonly Call[],
    ask: AskUpstreams,
  ): Promise<readonly UpstreamResponse[]> {
    const { store, chain, node } = this.#options;
    const takers = await this.#ask(`sent ${keyId}`, () => store.readTakers(chain, [keyId]));
    const before = takers === 'unread' ? undefined : takers.get(keyId);
    const ageMs = node.clock.now() - (before?.at ?? Number.NEGATIVE_INFINITY);
    const isTaker = ageMs < (calls.some(sends) ? SAME_TAKER_MS : SAME_TAKER_MS + TAKEN_MS);
    const takenBy = isTaker ? before?.by : undefined;
    const responses = await this.#answer(keyId, calls, (asked, terms) => ask(asked, { ...terms, takenBy }));
    const taken = takersOf(calls, responses, this.#options.node);
    const last = [...taken.values()].at(-1);
    if (last !== undefined && last.by !== takenBy) taken.set(keyId, last);
    if (taken.size > 0) await this.#ask(`sent ${keyId}`, () => store.keepTakers(chain, taken));
    return responses;
  }

  /**
   * Reads what the key got before it is believed that there is no such thing: anew for what was asked after the last reading,
   * and not more often than bounds one item: what comes sooner waits.
   */
  #learnOfAbsent(keyId: string, askedAt: number): NonNullable<Sender['learn']> {
    const { store, chain, node } = this.#options;
    return async (absent, deadline) => {
      const reading = this.#readingSince(keyId, askedAt);
      if (reading.at >= deadline) return NOTHING_LEARNT;
      const hashes = absent.flatMap((call) => hashOfTransaction(call) ?? []);
      const [taken] = await Promise.all([
        hashes.length === 0
          ? NO_TAKERS
          : this.#ask(hashes.join(), () => store.readTakers(chain, [...new Set(hashes)])),
        reading.read,
      ]);
      const given = this.#givenTo(keyId)?.number;
      if (taken === 'unread') return { ...NOTHING_LEARNT, given };
      const now = node.clock.now();
      const takers = absent.flatMap((call) => {
        const taker = taken.get(hashOfTransaction(call) ?? '');
        return taker === undefined || now - taker.at >= TAKEN_MS ? [] : [[call, taker.by] as const];
      });
      return { given, takers: new Map(takers) };
    };
  }

  /** A reading of what a key got that has begun since a time, or will as soon as one may. */
  #readingSince(keyId: string, time: number): ItemReading<undefined> {
    const { clock, wait } = this.#options.node;
    let readings = this.#readings.get(keyId);
    if (readings === undefined) {
      const get = () => this.#read(keyId).then(() => undefined);
      readings = new SharedItem({ first: undefined, get, intervalMs: READ_INTERVAL_MS, clock, wait });
      this.#readings.set(keyId, readings);
    }
    return readings.since(time);
  }

  /** Raises the head of a key to the newest block that responses show something of. */
  async #raiseToShown(
    keyId: string,
    { calls, responses, askedAt }: Omit<AnsweredCalls, 'ask'> & { readonly askedAt: number },
  ): Promise<readonly UpstreamResponse[]> {
    const { view, clock } = this.#options.node;
    const now = clock.now();
    const bounds = view.bounds(now);
    if (bounds === undefined) return responses;
    let newest: { readonly number: bigint; readonly from: number } | undefined;
    for (const [place, call] of calls.entries()) {
      const response = responses[place];
      if (response?.kind !== 'result' || response.from === undefined || !mayShow(call)) continue;
      const number = shownBlock(call, response.result);
      if (number === undefined || number <= bounds.least - YOUNG_BLOCKS || number > bounds.most) continue;
      if (newest === undefined || number > newest.number) newest = { number, from: response.from };
    }
    if (newest === undefined) return responses;
    const { number, from } = newest;
    view.learn(from, number, now, now);
    // What is not believed is no block that the key got; what all have, none says that there is not.
    if (!view.has(from, number) || this.#haveAll(number)) return responses;
    const late = this.#lately.get(keyId);
    if (isShown(late?.given, number)) return responses;
    // Where many processes serve a key, most find that another has written it: reading is cheaper than a refused write.
    const isRead = late === undefined || (late.readAt < askedAt && now - late.readAt < BUSY_MS);
    const before = isRead ? await this.#read(keyId) : late.given;
    if (before === 'unread') return this.#notKept(responses);
    if (isShown(before, number) && isRead) return responses;
    return (await this.#keepShown(keyId, number, before)) ? responses : this.#notKept(responses);
  }

  async #answerHead(
    keyId: string,
    calls: readonly Call[],
    ask: AskUpstreams,
  ): Promise<readonly UpstreamResponse[]> {
    const reading = this.#read(keyId);
    // State beside the head must not be older than what another instance showed the key.
    if (this.#needsStateOfKey(calls)) await reading;
    const responses = await ask(calls, { known: reading, given: this.#givenTo(keyId) });
    const before = await reading;
    const told = highest(calls, responses);
    if (told === undefined) return responses;
    if (before === 'unread') return this.#notKept(responses);
    const stands = await this.#raise(keyId, told, before);
    if (stands === undefined) return this.#notKept(responses);
    if (stands.number === told) return responses;
    return this.#answerAgain(keyId, stands, { calls, responses, ask });
  }

  /** What the key got, where that says which upstream may be asked; undefined where nothing has to be read. */
  #readBefore(keyId: string, calls: readonly Call[], now: number): Promise<unknown> | undefined {
    if (calls.some((call) => this.#mayBeGiven(call))) return this.#read(keyId);
    if (!this.#needsStateOfKey(calls)) return undefined;
    const isReader = this.#lately.get(keyId)?.given.shown !== undefined;
    const last = this.#readingSince(keyId, now - (isReader ? READ_INTERVAL_MS : UNSHOWN_READ_INTERVAL_MS));
    // No call waits for a reading to begin: there was one just now.
    return last.at > now ? undefined : last.read;
  }

  /** Whether calls ask for the newest state, and not every upstream is known to have all of it. */
  #needsStateOfKey(calls: readonly Call[]): boolean {
    const { view, upstreams, clock } = this.#options.node;
    const isState = (one: Call) => requiredBlock(one).kind === 'head' && !asksForHead(one) && !isOfPool(one);
    if (upstreams.length === 1 || !calls.some(isState)) return false;
    const most = view.bounds(clock.now())?.most;
    return most === undefined || !this.#haveAll(most);
  }

  /**
   * Whether a call names a block that not every upstream is known to have, and that the chain can have by now; or counts what is in
   * no block yet.
   */
  #mayBeGiven(call: Call): boolean {
    if (isOfPool(call)) return !sends(call);
    const need = requiredBlock(call);
    if (need.kind !== 'block' && need.kind !== 'logs') return false;
    const number = need.kind === 'block' ? need.number : need.to;
    const { view, clock } = this.#options.node;
    if (this.#haveAll(number)) return false;
    const bounds = view.bounds(clock.now());
    return bounds === undefined || number <= bounds.most;
  }

  /** What this instance knows that the key got. */
  #givenTo(keyId: string): GivenBlock | undefined {
    const known = this.#lately.get(keyId);
    if (known === undefined) return undefined;
    const { view, clock } = this.#options.node;
    const { number, shown } = known.given;
    // The chain has gone back since, or no upstream shows it any more.
    if ((view.head ?? -1n) < number) return undefined;
    const isPast = clock.now() - known.seenAt >= (view.blockMs ?? UNKNOWN_BLOCK_MS);
    return { number, state: this.#holders(number).length > 1 || isPast ? number : shown };
  }

  /** Reads what the key got, for the view to know. Never rejects. */
  async #read(keyId: string): Promise<GivenHead | undefined | 'unread'> {
    const { store, chain, node } = this.#options;
    const startedAt = node.clock.now();
    const known = this.#lately.get(keyId);
    const read = await this.#ask(keyId, () => store.read(keyId, chain));
    if (read !== 'unread' && read !== undefined) this.#learn(keyId, read, startedAt);
    // The item has expired, unless this instance has written it meanwhile.
    if (read === undefined && known !== undefined && this.#lately.get(keyId) === known)
      this.#lately.set(keyId, { ...known, given: { ...known.given, shown: undefined } });
    return read;
  }

  /**
   * Stores what the key is going to get. Resolves to what stands then, which can be a newer head that another
   * instance has returned meanwhile; undefined if the store does not answer, or what the key gets is older.
   */
  async #raise(keyId: string, told: bigint, before: GivenHead | undefined): Promise<GivenHead | undefined> {
    const { node } = this.#options;
    if (before?.number === told) return before;
    const isBack = before !== undefined && (node.view.head ?? told) < before.number;
    if (before !== undefined && told < before.number && !isBack) return undefined;
    const sequence = (before?.sequence ?? 0) + (isBack ? 1 : 0);
    return this.#keep(keyId, { sequence, number: told, ...(isBack && { shown: told }) }, before);
  }

  /** Stores which block a response shows something of, whatever sequence stands, and raises the head of the key to it. */
  async #keepShown(keyId: string, shown: bigint, before: GivenHead | undefined): Promise<boolean> {
    const keep = ({ sequence, number }: Pick<GivenHead, 'sequence' | 'number'>, read = before) =>
      this.#keep(keyId, { sequence, number: number > shown ? number : shown, shown }, read);
    const stands = await keep(before ?? { sequence: 0, number: shown });
    if (stands === undefined || isShown(stands, shown)) return stands !== undefined;
    return (await keep(stands, stands)) !== undefined;
  }

  /** Stores a head of a key; undefined if the store does not answer. */
  async #keep(
    keyId: string,
    head: Pick<GivenHead, 'sequence' | 'number' | 'shown'>,
    before: GivenHead | undefined,
  ): Promise<GivenHead | undefined> {
    const { store, chain, node } = this.#options;
    const startedAt = node.clock.now();
    const isSame = before?.number === head.number;
    const given = isSame
      ? { ...before, ...head }
      : { ...head, by: this.#holders(head.number)[0]?.name ?? '', at: startedAt };
    const stands = await this.#ask(keyId, () => store.raise(keyId, chain, given, before));
    if (stands === 'unread') return undefined;
    this.#learn(keyId, stands, startedAt);
    return stands;
  }

  /** Another instance has returned another head to the key meanwhile: its number is returned, and an older block asked for again. */
  async #answerAgain(
    keyId: string,
    stands: GivenHead,
    { calls, responses, ask }: AnsweredCalls,
  ): Promise<readonly UpstreamResponse[]> {
    const isBlock = (call: Call) => newestBlockParams(call) !== undefined;
    const blocks = calls.filter(isBlock);
    const again = blocks.length === 0 ? [] : await ask(blocks, {});
    const told = highest(blocks, again);
    if (told !== undefined && told !== stands.number) {
      const kept = await this.#raise(keyId, told, stands);
      if (kept?.number !== told) this.#notKept(responses);
    }
    const number = Buffer.from(
      quantityJson(told !== undefined && told > stands.number ? told : stands.number),
    );
    return responses.map((response, index) => {
      const call = calls[index] as Call;
      if (isBlock(call)) return again[blocks.indexOf(call)] ?? response;
      return response.kind === 'result' && asksForHead(call) ? { kind: 'result', result: number } : response;
    });
  }

  /** Takes what a key got into the view. */
  #learn(keyId: string, given: GivenHead, readAt: number): void {
    const { number, by, at } = given;
    const { view, upstreams } = this.#options.node;
    const before = this.#lately.get(keyId);
    const isSame = before?.given.number === number;
    this.#lately.set(keyId, { ...(isSame ? before : { seenAt: readAt }), given, readAt });
    const upstream = upstreams.find(({ name }) => name === by);
    if (upstream !== undefined) view.learn(upstream.index, number, at, readAt);
    if ((view.head ?? -1n) >= number) view.serve(number);
  }

  /** Upstreams that are known to have a block. */
  #holders(block: bigint): readonly Upstream[] {
    const { view, upstreams } = this.#options.node;
    return upstreams.filter(({ index }) => view.has(index, block));
  }

  #haveAll(block: bigint): boolean {
    return this.#holders(block).length === this.#options.node.upstreams.length;
  }

  #notKept(responses: readonly UpstreamResponse[]): readonly UpstreamResponse[] {
    const { chain, node, telemetry } = this.#options;
    telemetry.emit({ values: { HeadsNotKept: 1 }, dimensions: { Chain: chain } }, node.clock.now());
    return responses;
  }
}

/** Whether a key was shown something of a block, or of a newer one. */
function isShown(given: GivenHead | undefined, number: bigint): boolean {
  return given?.shown !== undefined && given.shown >= number;
}

/** The highest head that answers tell; undefined if none does. */
function highest(calls: readonly Call[], responses: readonly UpstreamResponse[]): bigint | undefined {
  const told = calls.flatMap((call, index) => {
    const response = responses[index];
    return (response === undefined ? undefined : reportedHead(call, response)?.number) ?? [];
  });
  return told.reduce<bigint | undefined>(
    (best, one) => (best === undefined || one > best ? one : best),
    undefined,
  );
}
