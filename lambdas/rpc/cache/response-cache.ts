import type { CacheStore } from 'gateway-access';
import type { Call, UpstreamResponse } from '../../shared/jsonrpc/calls.ts';
import { isKept } from '../../shared/jsonrpc/match-responses.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { errorField, log } from '../../shared/runtime/log.ts';
import type { ChainSettings } from '../../shared/runtime/settings.ts';
import { within } from '../../shared/runtime/sleep.ts';
import { tellsOfNodes } from '../../shared/upstream/agreement/fixed-parts.ts';
import type { ChainUpstreams } from '../../shared/upstream/chain-upstreams.ts';
import type { ChainHead } from '../../shared/upstream/routing/head-tracker.ts';
import { type AnsweredCall, limitOutcomes } from '../response/rpc-response.ts';
import { Agreement, type Contradiction } from './agreement.ts';
import {
  type CoalescedResponse,
  InFlightCalls,
  isTooNew,
  type LookUp,
  lookUpOf,
  needsView,
  sharingKey,
} from './equal-calls.ts';
import { type CacheCondition, isFinalResult, type KnownFinality } from './final-results.ts';
import {
  type Anchor,
  anchorKey,
  CONSTANT_TTL_MS,
  FINAL_TTL_MS,
  KeptResults,
  newVersion,
  readAnchor,
  type SharedResult,
  SOLE_UPSTREAM_TTL_MS,
  toShared,
  versionKey,
} from './shared-results.ts';

/** Age at which it is asked anew which block is final, in milliseconds. An old view keeps fewer responses, never a wrong one. */
export const VIEW_MAX_AGE_MS = 10_000;
/** Longest time that a request waits for that, in milliseconds: without it nothing is kept, and nothing is lost. */
const WAIT_MS = 500;
/** Time after which it is looked whether a block that was final is still there, in milliseconds. */
export const ANCHOR_MAX_AGE_MS = 60_000;
/** Upstreams that must show the same block for it to be looked back to, where there are as many. */
const WITNESSES = 2;
/** How old the version of a chain's cache may be before it is read again, in milliseconds. */
export const VERSION_MAX_AGE_MS = 10_000;

/** What the cache is made of. */
interface ResponseCacheOptions {
  readonly clock: Clock;
  readonly store: CacheStore;
  /** Memory for results, in bytes. @default 64 MiB */
  readonly memoryBytes?: number;
}

/** Calls of one request, screened and paid for. Some of them have to be sent. */
export interface CachedRequest {
  readonly chain: {
    readonly settings: ChainSettings;
    readonly head: ChainHead;
    /** Its upstreams, and where it is reported which of them contradict each other. */
    readonly node: Pick<ChainUpstreams, 'upstreams' | 'onDisagreement'>;
  };
  readonly calls: readonly Call[];
  /** The block that the upstreams of its answers must have: it shares no answer with a request that wants another. @default none */
  readonly minBlock?: bigint | undefined;
  /** When the node must have answered, in milliseconds since the epoch. */
  readonly deadline: number;
  /** Sends calls to the node and answers them in their order. */
  readonly send: (calls: readonly Call[]) => Promise<readonly UpstreamResponse[]>;
}

/** Responses in the order of the calls. */
export interface AnsweredCalls {
  readonly responses: readonly AnsweredCall[];
  /** Shares the new responses with other instances; to be awaited, beside the charge. Never rejects. */
  share(): Promise<void>;
}

/** What is there already. */
interface Found {
  /** Results by key. */
  readonly results: ReadonlyMap<string, Uint8Array>;
  /** What this instance has been asked for again, and has not shared yet. */
  readonly unshared: readonly SharedResult[];
}

/** What the cache knows of one chain: which block is certainly final, and which version of its responses counts. */
class ChainCache {
  readonly #chain: string;
  readonly #head: ChainHead;
  readonly #clock: Clock;
  /** Text that no other version has, which is part of every key; empty for the first. */
  version = '';
  #versionReadAt = Number.NEGATIVE_INFINITY;
  /** A version of this instance's own that the others cannot know yet. */
  #unshared: SharedResult | undefined;
  /** The newest block that is certainly final; undefined while none is known to be. */
  finalized: bigint | undefined;
  /** The highest block that was ever taken for final. */
  #highest: bigint | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  /** A block that was final when it was last looked at. */
  #anchor: Anchor | undefined;
  #anchoredAt = Number.NEGATIVE_INFINITY;
  #isReplaced = false;
  /** Whether it is to be shared, for instances that start later. */
  #needsAnchor = false;

  constructor(chain: string, head: ChainHead, clock: Clock) {
    this.#chain = chain;
    this.#head = head;
    this.#clock = clock;
  }

  /** Renews a view that has come of age. `deadline`: of the request, in milliseconds since the epoch. */
  async renew(deadline: number): Promise<void> {
    const now = this.#clock.now();
    if (now - this.#askedAt < VIEW_MAX_AGE_MS) return;
    this.#askedAt = now;
    const final = await within(WAIT_MS, this.#head.readFinal(deadline));
    if (final === undefined) return;
    this.finalized = final;
    if (this.#highest === undefined || final > this.#highest) this.#highest = final;
    // No request waits for it: what is found out counts for the next one.
    this.#lookBack(final).catch((error: unknown) =>
      log('error', 'anchor_check_failed', { error: errorField(error) }),
    );
  }

  /** Whether the chain went back below a finalized block: cached results about it may be obsolete. */
  get hasVanished(): boolean {
    const { known } = this.#head;
    return this.#isReplaced || (known !== undefined && this.#highest !== undefined && known < this.#highest);
  }

  /** Starts a version that holds nothing. */
  startAnew(): void {
    this.#unshared = newVersion(this.#chain, this.#clock.now());
    this.#take(this.#unshared.result);
  }

  /** Keys of what is to be read again beside responses. Not before a version of our own is shared: it would be taken back. */
  dueKeys(): readonly string[] {
    const isDue =
      this.#unshared === undefined && this.#clock.now() - this.#versionReadAt >= VERSION_MAX_AGE_MS;
    if (!isDue) return [];
    return [versionKey(this.#chain), ...(this.#watches ? [this.#anchorKey] : [])];
  }

  /** Takes what was read of these keys. Returns whether another version has begun: then no response counts that was found. */
  takeDue(read: readonly SharedResult[]): boolean {
    const [version, shared] = [versionKey(this.#chain), this.#anchorKey].map((name) =>
      read.find(({ key }) => key === name),
    );
    if (this.#take(version?.result)) return true;
    const anchor = this.#watches ? readAnchor(shared, this.#clock.now()) : undefined;
    this.#anchor ??= anchor?.anchor;
    this.#needsAnchor = this.#watches && anchor?.isOld !== false;
    return false;
  }

  /** What the others are to know, and what is to be called once they do. */
  news(): { readonly results: readonly SharedResult[]; readonly told: () => void } {
    const unshared = this.#unshared;
    const anchor = this.#needsAnchor ? this.#anchor : undefined;
    if (anchor !== undefined) this.#needsAnchor = false;
    const shared = anchor && toShared(anchor, this.#anchorKey, this.#clock.now());
    return {
      results: [unshared, shared].filter((one) => one !== undefined),
      told: () => {
        if (this.#unshared === unshared) this.#unshared = undefined;
      },
    };
  }

  get #watches(): boolean {
    return this.#head.hashes !== undefined;
  }

  get #anchorKey(): string {
    return anchorKey(this.#chain, this.version);
  }

  /** Takes a version: undefined if none is shared. With another one nothing is known of what is final. */
  #take(read: Uint8Array | undefined): boolean {
    const version = Buffer.from(read ?? []).toString();
    this.#versionReadAt = this.#clock.now();
    if (version === this.version) return false;
    this.version = version;
    this.finalized = undefined;
    this.#highest = undefined;
    this.#askedAt = Number.NEGATIVE_INFINITY;
    this.#anchor = undefined;
    this.#anchoredAt = Number.NEGATIVE_INFINITY;
    this.#isReplaced = false;
    return true;
  }

  /**
   * Compares the block that was final when it was last looked at with what the chain has in its place now. If an upstream
   * shows another, all are asked, and most of those that show it decide. A new one counts if both upstreams show it: else
   * one that is on a chain of its own would empty the cache time and again.
   */
  async #lookBack(finalized: bigint): Promise<void> {
    const { hashes } = this.#head;
    const now = this.#clock.now();
    if (hashes === undefined || now - this.#anchoredAt < ANCHOR_MAX_AGE_MS) return;
    this.#anchoredAt = now;
    const before = this.#anchor;
    const numbers = before === undefined ? [finalized] : [finalized, before.number];
    const shown = await hashes.ask(numbers, WITNESSES);
    if (this.#anchor !== before) return;
    if (before !== undefined && shown.some(([, hash]) => hash !== undefined && hash !== before.hash)) {
      const all = (await hashes.ask([before.number], Number.POSITIVE_INFINITY)).flatMap(
        ([hash]) => hash ?? [],
      );
      const others = all.filter((hash) => hash !== before.hash);
      if (this.#anchor === before) this.#isReplaced = others.length > all.length / 2;
      return;
    }
    const [[hash] = []] = shown;
    const isSeen = shown.every((of) => of[0] === hash && of.at(-1) !== undefined);
    if (hash !== undefined && isSeen) this.#anchor = { number: finalized, hash };
  }
}

const NOTHING_FOUND: Found = { results: new Map(), unshared: [] };
/** Most keys of one read of the table. */
const MAX_READ_KEYS = 100;

/**
 * The results that one instance caches, in its memory and in the table that all instances share. Only results that
 * cannot change and that most upstreams agree on are cached, so every cached result may be returned without the head
 * and without a node. If the chain goes back below a finalized block, or an operator clears the cache, a new version
 * begins.
 */
export class ResponseCache {
  readonly #clock: Clock;
  readonly #results: KeptResults;
  readonly #inFlight: InFlightCalls;
  readonly #agreement: Agreement;
  readonly #chains = new Map<string, ChainCache>();

  constructor({ clock, store, memoryBytes }: ResponseCacheOptions) {
    this.#clock = clock;
    this.#results = new KeptResults(store, clock, memoryBytes);
    this.#inFlight = new InFlightCalls(clock);
    this.#agreement = new Agreement(clock);
  }

  /** Answers calls from the cache and sends the others, equal ones once. Rejects only if `send` does. */
  async answer({ chain, calls, deadline, send, minBlock }: CachedRequest): Promise<AnsweredCalls> {
    const { settings } = chain;
    const kept = this.#cacheOf(settings.chain, chain.head);
    let lookUps = calls.map((call) => lookUpOf(settings, call, kept.version));
    let found = await this.#find(settings.chain, lookUps, kept);
    const isWanted = lookUps.some(
      (one) => isMissing(one, found) && one.condition !== undefined && needsView(one.condition, kept),
    );
    if (isWanted && kept.finalized === undefined) {
      await kept.renew(deadline);
    } else if (isWanted || (found !== undefined && found.results.size > 0)) {
      // The request does not wait for it. Without it, requests that the cache alone answers would not learn of a
      // reorganisation.
      kept
        .renew(deadline)
        .catch((error: unknown) => log('error', 'head_poll_failed', { error: errorField(error) }));
    }
    if (kept.hasVanished) {
      kept.startAnew();
      found = undefined;
    }
    if (found === undefined) lookUps = calls.map((call) => lookUpOf(settings, call, kept.version));
    const { results, unshared } = found ?? NOTHING_FOUND;
    const missing = lookUps.filter((one) => isMissing(one, found));

    const { finalized, version } = kept;
    const sendable = missing.map((one) => {
      const equal = sharingKey(settings, one.call, version);
      return { call: this.#toSend(one), key: equal && `${minBlock ?? ''} ${equal}` };
    });
    const sent = await this.#inFlight.send(sendable, send);
    // What was asked for before the chain went back may be of a block that is gone.
    if (kept.version === version && !kept.hasVanished)
      this.#keep({ scope: `${settings.chain} ${version}`, chain }, missing, sent, finalized);
    const responses = mergeResponses(lookUps, results, sent, settings.maxResponseBytes);
    return { responses, share: () => this.#share(unshared, kept) };
  }

  /**
   * Cached results by key: from memory, and the rest by one read of the shared table, which also reads the version if
   * that is due. Undefined if the version has changed: then no result found is valid.
   */
  async #find(chain: string, lookUps: readonly LookUp[], kept: ChainCache): Promise<Found | undefined> {
    const results = new Map<string, Uint8Array>();
    const unshared: SharedResult[] = [];
    const wanted = new Map<string, CacheCondition>();
    for (const { key, condition } of lookUps) {
      if (key === undefined || condition === undefined) continue;
      const recalled = this.#results.recall(key);
      if (recalled !== undefined) {
        results.set(key, recalled.result);
        if (recalled.unshared !== undefined) unshared.push(recalled.unshared);
      } else if (!isTooNew(condition, kept) && !this.#results.isMissed(key)) {
        wanted.set(key, condition);
      }
    }
    const isAsked = results.size + wanted.size > 0 && wanted.size < MAX_READ_KEYS - 1;
    const due = isAsked ? kept.dueKeys() : [];
    if (wanted.size + due.length === 0) return { results, unshared };
    const read = await this.#results.read([...wanted.keys(), ...due]);
    if (due.length > 0 && read !== undefined && kept.takeDue(read)) return undefined;
    for (const response of read ?? []) {
      const condition = wanted.get(response.key);
      if (condition === undefined) continue;
      this.#results.remember(`${chain} ${kept.version}`, response, condition, true);
      results.set(response.key, response.result);
      wanted.delete(response.key);
    }
    for (const key of wanted.keys()) this.#results.miss(key);
    return { results, unshared };
  }

  async #share(responses: readonly SharedResult[], kept: ChainCache): Promise<void> {
    const news = kept.news();
    const results = [...news.results, ...responses];
    if (results.length > 0 && (await this.#results.write(results))) news.told();
  }

  /** A call with the upstreams that have answered it already, if more than one has to before the response is kept. */
  #toSend({ call, key, condition }: LookUp): Call {
    const answeredBy =
      key === undefined || condition === undefined ? undefined : this.#agreement.answeredBy(key);
    return answeredBy === undefined ? call : { ...call, answeredBy };
  }

  /**
   * Caches results of sent calls that cannot change and that most upstreams agree on, and tells of those that contradict what
   * another upstream has said. A result is shared when it is requested again, because most never are.
   */
  #keep(
    { scope, chain }: { readonly scope: string; readonly chain: CachedRequest['chain'] },
    missing: readonly LookUp[],
    sent: readonly CoalescedResponse[],
    finalized: bigint | undefined,
  ): void {
    const finality: KnownFinality = {
      finalized,
      isFinalHash: (hash) => this.#results.isFinalHash(scope, hash),
    };
    const upstreams = chain.settings.upstreams.length;
    for (const [index, { call, key, condition }] of missing.entries()) {
      const { response, sent: own } = sent[index] as CoalescedResponse;
      if (key === undefined || condition === undefined || !own || response.kind !== 'result') continue;
      if (!isFinalResult(condition, response.result, finality)) continue;
      const { result, from } = response;
      const said = { method: call.method, result, from };
      const { isAgreed, contradiction } = this.#agreement.take(key, said, upstreams);
      if (contradiction !== undefined && tellsOfNodes(call, [response]))
        tellOf(contradiction, call.method, chain.node);
      if (!isAgreed) continue;
      const lasting = condition.kind === 'constant' ? CONSTANT_TTL_MS : FINAL_TTL_MS;
      const ttl = upstreams === 1 ? Math.min(lasting, SOLE_UPSTREAM_TTL_MS) : lasting;
      // A copy: the node's response, of which this is a part, must not live as long as it.
      const kept = { key, result: new Uint8Array(response.result), expiresAt: this.#clock.now() + ttl };
      this.#results.remember(scope, kept, condition, false);
    }
  }

  #cacheOf(chain: string, head: ChainHead): ChainCache {
    const kept = this.#chains.get(chain) ?? new ChainCache(chain, head, this.#clock);
    this.#chains.set(chain, kept);
    return kept;
  }
}

function tellOf(
  { places, alone }: Contradiction,
  method: string,
  { upstreams, onDisagreement }: CachedRequest['chain']['node'],
): void {
  const nameOf = (place: number) => upstreams[place]?.name ?? '';
  onDisagreement({
    method,
    upstreams: places.map(nameOf),
    alone: alone === undefined ? undefined : nameOf(alone),
  });
}

function isMissing({ key }: LookUp, found: Found | undefined): boolean {
  return key === undefined || found?.results.has(key) !== true;
}

/** Found and sent responses in the order of the calls; together they are no larger than what a node may send. */
function mergeResponses(
  lookUps: readonly LookUp[],
  found: ReadonlyMap<string, Uint8Array>,
  sent: readonly CoalescedResponse[],
  maxBytes: number,
): readonly AnsweredCall[] {
  let next = 0;
  const merged = lookUps.map(({ call, key }): AnsweredCall => {
    const result = key === undefined ? undefined : found.get(key);
    if (result !== undefined) return { call, response: { kind: 'result', result }, cached: true };
    const { response, sent: own } = sent[next++] as CoalescedResponse;
    return { call, response, cached: !own || isKept(response) };
  });
  return limitOutcomes(merged, maxBytes);
}
