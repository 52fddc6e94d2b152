import type { CacheStore } from 'gateway-access';
import type { Call, UpstreamResponse } from '../../shared/jsonrpc/calls.ts';
import { isKept } from '../../shared/jsonrpc/match-responses.ts';
import { readFacts } from '../../shared/jsonrpc/response-facts.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { ExpiringMemory } from '../../shared/runtime/expiring-memory.ts';
import { errorField, log } from '../../shared/runtime/log.ts';
import type { ChainSettings } from '../../shared/runtime/settings.ts';
import { tellsOfNodes } from '../../shared/upstream/agreement/fixed-parts.ts';
import type { ChainUpstreams } from '../../shared/upstream/chain-upstreams.ts';
import type { ChainHead } from '../../shared/upstream/routing/head-tracker.ts';
import type { AnsweredCall } from '../response/rpc-response.ts';
import { limitOutcomes } from '../response/rpc-response.ts';
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
  anchorKey,
  CacheVersion,
  CONSTANT_TTL_MS,
  FINAL_TTL_MS,
  FinalizedHead,
  MAX_KEPT_BYTES,
  readAnchor,
  type SharedResult,
  SharedTier,
  SOLE_UPSTREAM_TTL_MS,
  toShared,
} from './shared-results.ts';

/** Memory for responses, in bytes. */
const RESPONSE_MEMORY_BYTES = 64 * 1024 * 1024;
/** Memory for hashes that are known to be final, in bytes. */
const HASH_MEMORY_BYTES = 8 * 1024 * 1024;
/** Memory for keys that are not shared, in bytes. */
const MISS_MEMORY_BYTES = 2 * 1024 * 1024;
/** For how long a response that is not shared is not looked for again, in milliseconds: clients poll for receipts. */
export const MISS_TTL_MS = 5_000;

/** What the cache is made of. */
interface ResponseCacheOptions {
  readonly clock: Clock;
  readonly store: CacheStore;
  /** @default ANSWER_MEMORY_BYTES */
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

/** A response in the memory of an instance. */
interface Remembered {
  readonly result: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** Whether other instances may have it from the table. */
  shared: boolean;
}

/** What is there already. */
interface Found {
  /** Results by key. */
  readonly results: ReadonlyMap<string, Uint8Array>;
  /** What this instance has been asked for again, and has not shared yet. */
  readonly unshared: readonly SharedResult[];
}

/** What is known of one chain. */
interface ChainCache {
  readonly view: FinalizedHead;
  readonly version: CacheVersion;
  /** Whether a block that is final now is to be shared, for instances that start later. */
  needsAnchor: boolean;
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
  readonly #shared: SharedTier;
  readonly #responses: ExpiringMemory<Remembered>;
  readonly #hashes: ExpiringMemory<true>;
  readonly #misses: ExpiringMemory<true>;
  readonly #inFlight: InFlightCalls;
  readonly #agreement: Agreement;
  readonly #kept = new Map<string, ChainCache>();

  constructor({ clock, store, memoryBytes = RESPONSE_MEMORY_BYTES }: ResponseCacheOptions) {
    this.#clock = clock;
    this.#shared = new SharedTier(store, clock);
    this.#responses = new ExpiringMemory(memoryBytes, clock);
    this.#hashes = new ExpiringMemory(HASH_MEMORY_BYTES, clock);
    this.#misses = new ExpiringMemory(MISS_MEMORY_BYTES, clock);
    this.#inFlight = new InFlightCalls(clock);
    this.#agreement = new Agreement(clock);
  }

  /** Answers calls from the cache and sends the others, equal ones once. Rejects only if `send` does. */
  async answer({ chain, calls, deadline, send, minBlock }: CachedRequest): Promise<AnsweredCalls> {
    const { settings } = chain;
    const kept = this.#keptOf(settings.chain, chain.head);
    const { view, version } = kept;
    let lookUps = calls.map((call) => lookUpOf(settings, call, version.id));
    let found = await this.#find(settings.chain, lookUps, kept, chain.head.hashes !== undefined);
    const isWanted = lookUps.some(
      (one) => isMissing(one, found) && one.condition !== undefined && needsView(one.condition, view),
    );
    if (isWanted && view.finalized === undefined) {
      await view.renew(deadline);
    } else if (isWanted || (found !== undefined && found.results.size > 0)) {
      // The request does not wait for it. Without it, requests that the cache alone answers would not learn of a
      // reorganisation.
      view
        .renew(deadline)
        .catch((error: unknown) => log('error', 'head_poll_failed', { error: errorField(error) }));
    }
    if (view.hasVanished) {
      view.forget();
      version.startAnew(this.#clock.now());
      found = undefined;
    }
    if (found === undefined) lookUps = calls.map((call) => lookUpOf(settings, call, version.id));
    const { results, unshared } = found ?? NOTHING_FOUND;
    const missing = lookUps.filter((one) => isMissing(one, found));

    const { finalized } = view;
    const { id } = version;
    const sendable = missing.map((one) => {
      const equal = sharingKey(settings, one.call, id);
      return { call: this.#toSend(one), key: equal && `${minBlock ?? ''} ${equal}` };
    });
    const sent = await this.#inFlight.send(sendable, send);
    // What was asked for before the chain went back may be of a block that is gone.
    if (version.id === id && !view.hasVanished) {
      this.#keep({ scope: `${settings.chain} ${id}`, chain }, missing, sent, finalized);
    }
    const responses = mergeResponses(lookUps, results, sent, settings.maxResponseBytes);
    return { responses, share: () => this.#share(unshared, kept) };
  }

  /**
   * Cached results by key: from memory, and the rest by one read of the shared table, which also reads the version if
   * that is due. Undefined if the version has changed: then no result found is valid.
   */
  async #find(
    chain: string,
    lookUps: readonly LookUp[],
    kept: ChainCache,
    watches: boolean,
  ): Promise<Found | undefined> {
    const { view, version } = kept;
    const results = new Map<string, Uint8Array>();
    const unshared: SharedResult[] = [];
    const wanted = new Map<string, CacheCondition>();
    for (const { key, condition } of lookUps) {
      if (key === undefined || condition === undefined) continue;
      const remembered = this.#responses.get(key);
      if (remembered !== undefined) {
        results.set(key, remembered.result);
        if (!remembered.shared) unshared.push({ key, ...remembered });
        remembered.shared = true;
      } else if (!isTooNew(condition, view) && this.#misses.get(key) === undefined) {
        wanted.set(key, condition);
      }
    }
    const now = this.#clock.now();
    const isDue = results.size + wanted.size > 0 && version.isDue(now) && wanted.size < MAX_READ_KEYS - 1;
    if (wanted.size === 0 && !isDue) return { results, unshared };
    const due = isDue ? [version.key, ...(watches ? [anchorKey(version)] : [])] : [];
    const read = await this.#shared.read([...wanted.keys(), ...due]);
    if (isDue && read !== undefined) {
      const readKey = (name: string) => read.find(({ key }) => key === name);
      const shared = watches ? readAnchor(readKey(anchorKey(version)), now) : undefined;
      if (version.take(readKey(version.key)?.result, now)) {
        view.forget();
        return undefined;
      }
      if (shared !== undefined) view.takeAnchor(shared.anchor);
      kept.needsAnchor = watches && shared?.isOld !== false;
    }
    for (const response of read ?? []) {
      if (!wanted.has(response.key)) continue;
      this.#remember(`${chain} ${version.id}`, response, wanted.get(response.key), true);
      results.set(response.key, response.result);
      wanted.delete(response.key);
    }
    const until = now + MISS_TTL_MS;
    for (const key of wanted.keys()) this.#misses.set(key, true, 0, until);
    return { results, unshared };
  }

  async #share(responses: readonly SharedResult[], kept: ChainCache): Promise<void> {
    const { version, view } = kept;
    const { unshared } = version;
    const { anchor } = kept.needsAnchor ? view : {};
    if (anchor !== undefined) kept.needsAnchor = false;
    const news = anchor === undefined ? [] : [toShared(anchor, version, this.#clock.now())];
    const isTaken = await this.#shared.write([
      ...(unshared === undefined ? [] : [unshared]),
      ...news,
      ...responses,
    ]);
    if (isTaken && unshared !== undefined && version.unshared === unshared) version.shared();
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
      isFinalHash: (hash) => this.#hashes.get(hashKey(scope, hash)) !== undefined,
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
      this.#remember(scope, kept, condition, false);
    }
  }

  /** Remembers a final response that is not too large, and the hashes that it shows to be final. */
  #remember(
    scope: string,
    { key, result, expiresAt }: SharedResult,
    condition: CacheCondition | undefined,
    shared: boolean,
  ): void {
    if (result.length <= MAX_KEPT_BYTES) {
      this.#responses.set(key, { result, expiresAt, shared }, result.length, expiresAt);
    }
    if (condition === undefined || !('shown' in condition) || condition.shown === undefined) return;
    for (const hash of readFacts(result, condition.shown).hashes) {
      this.#hashes.set(hashKey(scope, hash), true, hash.length, expiresAt);
    }
  }

  #keptOf(chain: string, head: ChainHead): ChainCache {
    let kept = this.#kept.get(chain);
    if (kept === undefined) {
      kept = {
        view: new FinalizedHead(head, this.#clock),
        version: new CacheVersion(chain),
        needsAnchor: false,
      };
      this.#kept.set(chain, kept);
    }
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

/** `scope`: chain and version of its cache. */
function hashKey(scope: string, hash: string): string {
  return `${scope} ${hash}`;
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
