import type { CataloguedError } from '../../jsonrpc/error-catalogue.ts';
import type { MovingBlock } from '../../jsonrpc/logs-range.ts';
import type { RequiredBlock } from '../../jsonrpc/required-block.ts';
import { FINALITY_BLOCKS } from '../../runtime/finality.ts';
import { errorField, log } from '../../runtime/log.ts';
import type { Soon } from '../../runtime/soon.ts';
import type { ChainUpstreams } from '../chain-upstreams.ts';
import { farLongerMs, OWN_LATE_MS } from '../health/late-turns.ts';
import { type ChainSharing, NO_SHARING } from '../sharing/share-chain.ts';
import { SharedItem } from '../sharing/shared-item.ts';
import type { Upstream } from '../upstream.ts';
import { canServeHead, limitedError } from './able-upstreams.ts';
import { askAllHeads, askHead, chooseNext, endsBy, ROUGH_HEAD_MAX_AGE_MS } from './ask-head.ts';
import { type BlockHashes, createBlockHashes } from './block-hashes.ts';
import type { ChainLiveness } from './bulkhead.ts';
import { ChainTags } from './chain-tags.ts';

/** Least time between two polls, in milliseconds. */
const POLL_INTERVAL_MS = 1_000;
/** Time within which what other instances know is read once, in milliseconds: less than from one poll to the next. */
const SHARED_READ_INTERVAL_MS = 500;
/** What an operator wants may have been read so long ago, in milliseconds, before a request waits for it to be read again. */
const MAX_UNWATCHED_MS = 10_000;
/** A head up to this age is taken for the present one, in milliseconds: polls renew it meanwhile. */
const HEAD_MAX_AGE_MS = 2_000;
/** Least time for which a response waits for the question that was sent beside its call, in milliseconds. */
const MIN_BESIDE_MS = 50;
/** Longest time that a peek takes, and a reading that a request needs, in milliseconds. */
const MAX_GLANCE_MS = 1_000;
const MAX_READ_MS = 3_000;
/** Longest time that is waited for what was asked for in passing, in milliseconds. */
const MAX_SETTLE_MS = 1_000;

/** Age from which the finalized block is asked for where nothing but the cache wants it, in milliseconds. */
const FINAL_MAX_AGE_MS = 60_000;

/** Blocks between which the head of a chain lies. */
export interface HeadBounds {
  /** The head as last known. */
  readonly least: bigint;
  /** The same, and all blocks that the chain can have made since. */
  readonly most: bigint;
}

/** A question for the head that was sent at the same time as calls, to the same upstream. */
export interface BesideQuestion {
  /** When it was asked, in milliseconds since the epoch. */
  readonly askedAt: number;
  /** Resolves to whether it was answered, soon after the calls are. */
  answered(): Promise<boolean>;
}

/**
 * Keeps the view of a chain's head up to date, in addition to the heads in responses. While requests come that depend on
 * it, it asks one upstream a second, in turn. After a pause the question goes out beside the first call, to the same
 * upstream. Where nothing is known yet, all are asked, and the request waits for that unless the nodes are silent.
 */
class OwnHeadTracker {
  readonly #node: ChainUpstreams;
  readonly #hearing: ChainLiveness;
  readonly #sharing: ChainSharing;
  readonly #isShared: boolean;
  /** What other instances know. */
  readonly #shared: SharedItem<void>;
  readonly #tags: ChainTags;
  /** Hashes of blocks, as upstreams show them. @default not asked for */
  readonly hashes?: BlockHashes;
  #polledAt = Number.NEGATIVE_INFINITY;
  #previous = -1;
  /** The last reading that no poll waits for. */
  #watching: Promise<void> | undefined;
  /** Age at which the head is asked for: not the same for all instances, which would ask at once. */
  #dueMs = POLL_INTERVAL_MS;
  /** The poll that is under way. */
  #pending: Promise<void> | undefined;
  /** Whether the pending poll is of upstreams of which nothing is known, or all were silent for long. */
  #learning: 'first' | 'again' | undefined;
  /** While the last report goes to the others. */
  #publishing: Promise<void> | undefined;
  /** The last question to an upstream that a client's call cast doubt on. */
  #doubting: Promise<void> | undefined;

  constructor(node: ChainUpstreams, hearing: ChainLiveness, sharing: ChainSharing) {
    this.#node = node;
    this.#hearing = hearing;
    this.#sharing = sharing;
    this.#isShared = sharing !== NO_SHARING;
    const get = () => sharing.read();
    const { clock } = node;
    this.#shared = new SharedItem({ first: undefined, get, intervalMs: SHARED_READ_INTERVAL_MS, clock });
    this.#tags = new ChainTags(node, sharing.tags);
    this.hashes = createBlockHashes(node);
  }

  /** Number of the newest block, as last known; undefined if it never was. */
  get known(): bigint | undefined {
    return this.#node.view.head;
  }

  /** Blocks between which the head lies by what is known, however old; undefined if nothing is. */
  bounds(): HeadBounds | undefined {
    return this.#node.view.bounds(this.#node.clock.now());
  }

  /** Whether an upstream in step has reported the head within so many milliseconds. */
  isYoung(maxAgeMs: number): boolean {
    return this.#ageMs <= maxAgeMs;
  }

  /** Whether no upstream can answer for the newest blocks: those that can be reached sync, or are far behind. */
  isSyncing(): boolean {
    return !canServeHead(this.#node);
  }

  /** The error for a call that needs a number that no upstream says. */
  whyUnknown(): CataloguedError {
    if (this.isSyncing()) return { reason: 'node_syncing' };
    return limitedError(this.#node, { kind: 'head' }) ?? { reason: 'upstream_unavailable' };
  }

  /**
   * Number of the newest block, at most two seconds old, or of the chain's safe or finalized one, the same for all instances;
   * undefined if no upstream says, or has none. `deadline`: in milliseconds since the epoch.
   */
  async tagged(block: MovingBlock, deadline: number): Promise<bigint | undefined> {
    await this.#hearing.listen();
    if (block === 'latest') return this.#read(Math.min(deadline, this.#now + MAX_READ_MS));
    // Only then is it known which upstreams are behind.
    await this.peek(deadline, ROUGH_HEAD_MAX_AGE_MS);
    return this.#hearing.isSilent ? undefined : (await this.#tags.read(deadline))[block];
  }

  /**
   * Number of the newest block, for requests that can do without: waits a second at most.
   * @param maxAgeMs a number that is older is not returned, but asked for
   */
  peek(deadline: number, maxAgeMs = HEAD_MAX_AGE_MS): Promise<bigint | undefined> {
    return this.#read(Math.min(deadline, this.#now + MAX_GLANCE_MS), maxAgeMs);
  }

  /**
   * Like `peek`, for calls that are sent at once: what is known, however old, says where to. Waits only where nothing is
   * known, or where no upstream was in sync. An older number is not returned; {@link askBeside} renews it.
   */
  glance(deadline: number, maxAgeMs = HEAD_MAX_AGE_MS): Soon<bigint | undefined> {
    const look = () => {
      if (this.known === undefined || this.#learning === 'first' || this.isSyncing())
        return this.peek(deadline, maxAgeMs);
      return this.isYoung(maxAgeMs) ? this.known : undefined;
    };
    return this.known === undefined ? this.#shared.lately().then(look) : look();
  }

  /**
   * Learns, for a request that wants a block above all that is known, what other instances know. Waits for no node but
   * where nothing is known; the next one is asked meanwhile.
   */
  reach(number: bigint, deadline: number): Soon<unknown> {
    if (this.known === undefined) return this.peek(deadline);
    if (this.known >= number) return undefined;
    this.#pollInTurn();
    return this.#shared.lately();
  }

  /**
   * The newest block that is certainly final: {@link FINALITY_BLOCKS} below the one that most upstreams have, and not above
   * the chain's finalized one. Undefined if no upstream says where it is. `deadline`: in milliseconds since the epoch.
   */
  async readFinal(deadline: number): Promise<bigint | undefined> {
    const reading = [this.#read(deadline), this.#tags.readLately(FINAL_MAX_AGE_MS)] as const;
    const [known, { finalized = 0n }] = await Promise.all(reading);
    const most = known === undefined ? undefined : this.#node.view.finalityHead(this.#now);
    if (most === undefined) return undefined;
    const deep = finalizedBlock(most);
    // Chains without finality say that there is no such block, or that it is their first.
    return finalized === 0n || finalized > deep ? deep : finalized;
  }

  /** Learns once a second which upstreams an operator holds, while requests come. Waits only where that was read long ago. */
  watch(): Soon<unknown> {
    if (!this.#isShared) return undefined;
    const sinceMs = this.#now - this.#shared.last.at;
    if (sinceMs >= POLL_INTERVAL_MS) this.#watching = this.#shared.lately();
    return sinceMs >= MAX_UNWATCHED_MS ? this.#watching : undefined;
  }

  /** Resolves when what was asked for in passing is there and is shared; within a second. Undefined: it is. */
  settled(): Promise<void> | undefined {
    const underWay =
      this.#pending ?? this.#publishing ?? this.#watching ?? this.#doubting ?? this.#tags.asking;
    return underWay && endsBy(this.#now + MAX_SETTLE_MS, this.#node, this.#settle());
  }

  /** A question that is not answered in its usual time holds no instance: by then it is not known that any node answers. */
  async #settle(): Promise<void> {
    await this.#watching;
    this.#watching = undefined;
    await endsBy(this.#polledAt + farLongerMs(this.#node.upstreams), this.#node, this.#pending);
    if (this.#pending === undefined) await this.#publishing;
    await this.#doubting;
    await this.#tags.asking;
  }

  /** The head, of such an age at most, by a time in milliseconds since the epoch; undefined if no upstream says. */
  async #read(time: number, maxAgeMs = HEAD_MAX_AGE_MS): Promise<bigint | undefined> {
    // Before all have had the time to say where they are, the first to do so can be one that is behind.
    if (this.isYoung(maxAgeMs) && this.#learning === undefined) {
      this.#pollInTurn();
      return this.known;
    }
    if (this.#hearing.isSilent) {
      this.#pollInTurn();
      return undefined;
    }
    const startedAt = this.#now;
    const begun = this.#pending;
    await this.#askAll(time, maxAgeMs);
    // That poll may have been lost: an instance is frozen between two requests.
    if (begun !== undefined && !this.isYoung(maxAgeMs)) await this.#askAll(time, maxAgeMs);
    if (this.isYoung(maxAgeMs)) return this.known;
    const lateMs = this.#now - time;
    // Where this process was late itself, the upstreams may have answered in time.
    if (lateMs >= 0 && lateMs < OWN_LATE_MS) this.#hearing.miss(this.#now - startedAt);
    return undefined;
  }

  /**
   * Asks for the head beside calls to an upstream, if that is due. Returned if what is known is too old to judge their
   * responses by: they are judged by the response to this question.
   */
  askBeside(upstream: Upstream, needs: readonly RequiredBlock[]): BesideQuestion | undefined {
    const { view, clock } = this.#node;
    if (view.head === undefined) return undefined;
    const needsNewest = needs.some(({ kind }) => kind === 'head');
    const isOld = !this.isYoung(needsNewest ? HEAD_MAX_AGE_MS : ROUGH_HEAD_MAX_AGE_MS);
    const askedAt = clock.now();
    if (this.#pending === undefined) {
      const isProbed = this.#probed !== undefined;
      const sinceMs = askedAt - this.#polledAt;
      const pollMs = needsNewest ? POLL_INTERVAL_MS : ROUGH_HEAD_MAX_AGE_MS;
      if (sinceMs < POLL_INTERVAL_MS || (this.#ageMs < pollMs && !isProbed)) return undefined;
      // While requests come, those that do not answer must not hide the others.
      const isPaused = isOld && sinceMs > HEAD_MAX_AGE_MS && !isProbed;
      this.#poll(
        () => (isPaused ? askHead(this.#node, upstream) : this.#askNext()),
        () => this.#isHeard(needsNewest ? this.#dueMs : ROUGH_HEAD_MAX_AGE_MS),
      );
    }
    const asked = this.#pending;
    if (!isOld || asked === undefined) return undefined;
    return {
      askedAt,
      answered: async () => {
        await endsBy(clock.now() + Math.max(MIN_BESIDE_MS, clock.now() - askedAt), this.#node, asked);
        return (view.reportedAt(upstream.index) ?? Number.NEGATIVE_INFINITY) >= askedAt;
      },
    };
  }

  /** Asks an upstream for its head that refused a client's call: whether it is unwell is shown by that, and not by the refusal. */
  doubt(upstream: Upstream): void {
    if (!upstream.evidence.isDue()) return;
    const asked = askHead(this.#node, upstream)
      .catch(logFailedPoll)
      .then(() => {
        if (this.#doubting === asked) this.#doubting = undefined;
      });
    this.#doubting = asked;
  }

  get #now(): number {
    return this.#node.clock.now();
  }

  get #ageMs(): number {
    return this.#now - this.#node.view.confirmedAt;
  }

  /** An upstream whose breaker may close again: no call of a client is risked to find that out. */
  get #probed(): Upstream | undefined {
    return this.#node.upstreams.find(({ health }) => health.mayProbe);
  }

  /** Whether others know the head since a short time, and no upstream is to be tried. */
  #isHeard(maxAgeMs: number): boolean {
    return this.#isShared && this.#ageMs < maxAgeMs && this.#probed === undefined;
  }

  /** Polls, if that is due and no poll is under way. */
  #poll(ask: () => Promise<unknown>, isEnough: () => boolean): void {
    const now = this.#node.clock.now();
    if (this.#pending !== undefined || now - this.#polledAt < POLL_INTERVAL_MS) return;
    this.#polledAt = now;
    this.#dueMs = this.#isShared ? POLL_INTERVAL_MS * (1 + this.#node.random() / 2) : POLL_INTERVAL_MS;
    this.#pending = this.#learn(ask, isEnough)
      .catch(logFailedPoll)
      .then(() => {
        this.#pending = undefined;
        this.#learning = undefined;
      });
  }

  /** Asks the next upstream, if that is due. */
  #pollInTurn(): void {
    this.#poll(
      () => this.#askNext(),
      () => this.#isHeard(this.#dueMs),
    );
  }

  #askNext(): Promise<unknown> {
    const upstream = chooseNext(this.#node, this.#previous);
    this.#previous = upstream.index;
    return askHead(this.#node, upstream);
  }

  /** Asks all upstreams, and waits for the poll that is under way. */
  async #askAll(time: number, maxAgeMs: number): Promise<void> {
    const ask = () => {
      if (!this.isYoung(ROUGH_HEAD_MAX_AGE_MS))
        this.#learning = this.#node.view.head === undefined ? 'first' : 'again';
      return askAllHeads(this.#node, time, this.#learning !== undefined);
    };
    this.#poll(ask, () => this.#isShared && this.isYoung(maxAgeMs));
    await endsBy(time, this.#node, this.#pending);
  }

  /** Learns what other instances know; if that is not enough, asks, and tells them. */
  async #learn(ask: () => Promise<unknown>, isEnough: () => boolean): Promise<void> {
    await this.#shared.lately();
    const askedAt = isEnough() ? undefined : this.#node.clock.now();
    if (askedAt !== undefined) await ask();
    const published = this.#sharing.publish(askedAt).finally(() => {
      if (this.#publishing === published) this.#publishing = undefined;
    });
    this.#publishing = published;
  }
}

/** What is known of a chain's newest blocks. */
export type HeadTracker = Pick<OwnHeadTracker, keyof OwnHeadTracker>;
/** What of the head of a chain its cache has to know. */
export type ChainHead = Pick<HeadTracker, 'known' | 'readFinal' | 'hashes'>;

/** Tracks the head of a chain. Nothing is sent before the first request. */
export function createHeadTracker(
  node: ChainUpstreams,
  hearing: ChainLiveness,
  sharing: ChainSharing = NO_SHARING,
): HeadTracker {
  return new OwnHeadTracker(node, hearing, sharing);
}

function logFailedPoll(error: unknown): void {
  log('error', 'head_poll_failed', { error: errorField(error) });
}

/** The finalized block of a chain whose head is `head`. */
export function finalizedBlock(head: bigint): bigint {
  const lag = BigInt(FINALITY_BLOCKS);
  return head > lag ? head - lag : 0n;
}

/** Whether a block is above all that a chain has that still syncs. */
export function isBeyondSyncing(number: bigint, head: Pick<HeadTracker, 'known' | 'isSyncing'>): boolean {
  return head.known !== undefined && number > head.known && head.isSyncing();
}
