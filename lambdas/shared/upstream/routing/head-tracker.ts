import type { CataloguedError } from '../../jsonrpc/error-catalogue.ts';
import type { FinalityTag } from '../../jsonrpc/logs-range.ts';
import type { RequiredBlock } from '../../jsonrpc/required-block.ts';
import { FINALITY_BLOCKS } from '../../runtime/finality.ts';
import { errorField, log } from '../../runtime/log.ts';
import type { Soon } from '../../runtime/soon.ts';
import type { ChainUpstreams } from '../chain-upstreams.ts';
import { farLongerMs } from '../health/usual-latency.ts';
import { type ChainSharing, NO_SHARING } from '../sharing/share-chain.ts';
import type { Upstream } from '../upstream.ts';
import { askHead } from './ask-head.ts';
import { type BlockHashes, createBlockHashes } from './block-hashes.ts';
import type { ChainLiveness } from './bulkhead.ts';
import { canServeHead, limitedError } from './eligible-upstreams.ts';
import { TagNumbers } from './tag-numbers.ts';

/** Least time between two polls, in milliseconds. */
const POLL_INTERVAL_MS = 1_000;
/** Time that an upstream has to say its head while no request waits for it, in milliseconds. */
const POLL_TIMEOUT_MS = 2_000;
/** A head up to this age is taken for the present one, in milliseconds: polls renew it meanwhile. */
const HEAD_MAX_AGE_MS = 2_000;
/** The same where it does little harm to take the chain for shorter than it is. */
export const ROUGH_HEAD_MAX_AGE_MS = 30_000;
/** Least time for which a response waits for the question that was sent beside its call, in milliseconds. */
const MIN_BESIDE_MS = 50;
/** Longest time that a peek takes, and a reading that a request needs, in milliseconds. */
const MAX_GLANCE_MS = 1_000;
const MAX_READ_MS = 3_000;
/** Time within which what other instances have heard is read once, in milliseconds: less than from one poll to the next. */
const SHARED_READ_INTERVAL_MS = 500;
/** Longest time that is waited for what was asked for in passing, in milliseconds. */
const MAX_SETTLE_MS = 1_000;
/** Time that the other upstreams have to say their heads after the first has, in milliseconds. */
const OTHERS_WAIT_MS = 200;

/** What of the head of a chain its cache has to know. */
export interface ChainHead {
  /** Number of the newest block, as last heard; undefined if it never was. */
  readonly known: bigint | undefined;
  /**
   * The newest block that most upstreams have, by their reports of the last two seconds; undefined without a report.
   * Finality is counted from it.
   * `deadline`: in milliseconds since the epoch.
   */
  readMajority(deadline: number): Promise<bigint | undefined>;
  /** Hashes of blocks, as upstreams show them. @default not asked for */
  readonly hashes?: BlockHashes;
}

/** Blocks between which the head of a chain lies. */
export interface HeadBounds {
  /** The head as last heard. */
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

/** What is known of a chain's newest blocks. */
export interface HeadTracker extends ChainHead {
  /**
   * Number of the newest block, at most two seconds old, or undefined if no upstream says. `deadline`: in milliseconds
   * since the epoch.
   */
  read(deadline: number): Promise<bigint | undefined>;
  /**
   * Like `read`, for requests that can do without: waits a second at most.
   * @param maxAgeMs a number that is older is not returned, but asked for; @default 2,000
   */
  peek(deadline: number, maxAgeMs?: number): Promise<bigint | undefined>;
  /**
   * Like `peek`, for calls that are sent at once: what is known, however old, says where to. Waits only where nothing is
   * known, or where no upstream was in sync. An older number is not returned; {@link askBeside} renews it.
   */
  glance(deadline: number, maxAgeMs?: number): Soon<bigint | undefined>;
  /** Whether an upstream in step has told the head within so many milliseconds. */
  isYoung(maxAgeMs: number): boolean;
  /** Blocks between which the head lies by what is known, however old; undefined if nothing is. */
  bounds(): HeadBounds | undefined;
  /**
   * Asks for the head beside calls to an upstream, if that is due. Returned if what is known is too old to judge their
   * responses by: they are judged by the response to this question.
   */
  askBeside(upstream: Upstream, needs: readonly RequiredBlock[]): BesideQuestion | undefined;
  /** Asks an upstream for its head that refused a client's call: whether it is unwell is shown by that, and not by the refusal. */
  doubt(upstream: Upstream): void;
  /** Number of the safe or the finalized block, some seconds old at most, or undefined if no upstream says. */
  tagged(tag: FinalityTag, deadline: number): Promise<bigint | undefined>;
  /** Whether no upstream can answer for the newest blocks: those that can be reached sync, or are far behind. */
  isSyncing(): boolean;
  /** Resolves when what was asked for in passing is there and is shared; within a second. Undefined: it is. */
  settled(): Promise<void> | undefined;
  /** The error for a call that needs a number that no upstream says. */
  whyUnknown(): CataloguedError;
}

/**
 * Keeps the view of a chain's head up to date, in addition to the heads in responses. While requests come that depend on
 * it, it asks one upstream a second, in turn. After a pause the question goes out beside the first call, to the same
 * upstream. Where nothing is known yet, all are asked, and the request waits for that unless the nodes are silent.
 */
export function createHeadTracker(
  node: ChainUpstreams,
  hearing: ChainLiveness,
  sharing: ChainSharing = NO_SHARING,
): HeadTracker {
  const { view, clock } = node;
  const tags = new TagNumbers(node);
  let polledAt = Number.NEGATIVE_INFINITY;
  let previous = -1;
  let pending: Promise<void> | undefined;
  /** While what was heard last is told to the others. */
  let publishing: Promise<void> | undefined;
  let sharedRead = Promise.resolve();
  let sharedReadAt = Number.NEGATIVE_INFINITY;
  /** Age at which the head is asked for: not the same for all instances, which would ask at once. */
  let dueMs = POLL_INTERVAL_MS;
  /** Whether the pending poll is of upstreams of which nothing is known, or nothing was heard for long. */
  let learning: 'first' | 'again' | undefined;

  /** While an upstream is asked that a client's call cast doubt on. */
  let doubting: Promise<void> | undefined;

  const isShared = sharing !== NO_SHARING;
  const ageMs = () => clock.now() - view.confirmedAt;
  const probed = () => node.upstreams.find(({ health }) => health.mayProbe);
  /** Whether others have heard of the head lately, and no upstream is to be tried. */
  const isHeard = (maxAgeMs: number) => isShared && ageMs() < maxAgeMs && probed() === undefined;

  /** Learns what other instances have heard: once, for all that ask for it in the same moment. */
  const readShared = (): Promise<void> => {
    if (clock.now() - sharedReadAt >= SHARED_READ_INTERVAL_MS) {
      sharedReadAt = clock.now();
      sharedRead = sharing.read();
    }
    return sharedRead;
  };

  /** Learns what other instances have heard; if that is not enough, asks, and tells them. */
  const learn = async (ask: () => Promise<unknown>, isEnough: () => boolean): Promise<void> => {
    await readShared();
    const askedAt = isEnough() ? undefined : clock.now();
    if (askedAt !== undefined) await ask();
    const published = sharing.publish(askedAt).finally(() => {
      if (publishing === published) publishing = undefined;
    });
    publishing = published;
  };

  const poll = (ask: () => Promise<unknown>, isEnough: () => boolean): void => {
    if (pending !== undefined || clock.now() - polledAt < POLL_INTERVAL_MS) return;
    polledAt = clock.now();
    dueMs = isShared ? POLL_INTERVAL_MS * (1 + node.random() / 2) : POLL_INTERVAL_MS;
    pending = learn(ask, isEnough)
      .catch((error: unknown) => log('error', 'head_poll_failed', { error: errorField(error) }))
      .then(() => {
        pending = undefined;
        learning = undefined;
      });
  };

  const pollNext = () => {
    const upstream = chooseNext(node, previous);
    previous = upstream.index;
    return askHead(node, upstream, clock.now() + POLL_TIMEOUT_MS);
  };

  const pollInTurn = () => poll(pollNext, () => isHeard(dueMs));

  const askAll = async (time: number, maxAgeMs: number) => {
    const ask = () => {
      if (ageMs() > ROUGH_HEAD_MAX_AGE_MS) learning = view.head === undefined ? 'first' : 'again';
      return pollAll(node, time, learning !== undefined);
    };
    poll(ask, () => isShared && ageMs() <= maxAgeMs);
    await endsBy(time, node, pending);
  };

  const readBy = async (time: number, maxAgeMs: number): Promise<bigint | undefined> => {
    const isYoung = () => ageMs() <= maxAgeMs;
    // Before all have had the time to say where they are, the first to do so can be one that is behind.
    if (isYoung() && learning === undefined) {
      pollInTurn();
      return view.head;
    }
    if (hearing.isSilent) {
      pollInTurn();
      return undefined;
    }
    const startedAt = clock.now();
    const begun = pending;
    await askAll(time, maxAgeMs);
    // That poll may have been lost: an instance is frozen between two requests.
    if (begun !== undefined && !isYoung()) await askAll(time, maxAgeMs);
    if (isYoung()) return view.head;
    if (clock.now() >= time) hearing.miss(clock.now() - startedAt);
    return undefined;
  };

  const askBeside: HeadTracker['askBeside'] = (upstream, needs) => {
    const needsNewest = needs.some(({ kind }) => kind === 'head');
    const pollMs = needsNewest ? POLL_INTERVAL_MS : ROUGH_HEAD_MAX_AGE_MS;
    if (view.head === undefined) return undefined;
    const sincePollMs = clock.now() - polledAt;
    const isOld = ageMs() > (needsNewest ? HEAD_MAX_AGE_MS : ROUGH_HEAD_MAX_AGE_MS);
    const askedAt = clock.now();
    if (pending === undefined) {
      if (sincePollMs < POLL_INTERVAL_MS || (ageMs() < pollMs && probed() === undefined)) return undefined;
      // While requests come, those that do not answer must not keep the others from being heard.
      const isPaused = isOld && sincePollMs > HEAD_MAX_AGE_MS && probed() === undefined;
      const ask = () => (isPaused ? askHead(node, upstream, clock.now() + POLL_TIMEOUT_MS) : pollNext());
      poll(ask, () => isHeard(needsNewest ? dueMs : ROUGH_HEAD_MAX_AGE_MS));
    }
    const asked = pending;
    if (!isOld || asked === undefined) return undefined;
    return {
      askedAt,
      answered: async () => {
        await endsBy(clock.now() + Math.max(MIN_BESIDE_MS, clock.now() - askedAt), node, asked);
        return (view.reportedAt(upstream.index) ?? Number.NEGATIVE_INFINITY) >= askedAt;
      },
    };
  };

  /** A question that is not answered in its usual time holds no instance: by then it is not known that any node answers. */
  const settle = async () => {
    await endsBy(polledAt + farLongerMs(node.upstreams), node, pending);
    if (pending === undefined) await publishing;
    await doubting;
  };

  const doubt: HeadTracker['doubt'] = (upstream) => {
    if (!upstream.evidence.isDue()) return;
    const asked = askHead(node, upstream, clock.now() + POLL_TIMEOUT_MS)
      .catch((error: unknown) => log('error', 'head_poll_failed', { error: errorField(error) }))
      .then(() => {
        if (doubting === asked) doubting = undefined;
      });
    doubting = asked;
  };

  const peek: HeadTracker['peek'] = (deadline, maxAgeMs = HEAD_MAX_AGE_MS) =>
    readBy(Math.min(deadline, clock.now() + MAX_GLANCE_MS), maxAgeMs);

  return {
    get known() {
      return view.head;
    },
    hashes: createBlockHashes(node),
    readMajority: async (deadline) =>
      (await readBy(deadline, HEAD_MAX_AGE_MS)) === undefined ? undefined : view.finalityHead(clock.now()),
    read: async (deadline) => {
      await hearing.listen();
      return readBy(Math.min(deadline, clock.now() + MAX_READ_MS), HEAD_MAX_AGE_MS);
    },
    peek,
    glance: (deadline, maxAgeMs = HEAD_MAX_AGE_MS) => {
      const look = () => {
        if (view.head === undefined || learning === 'first' || !canServeHead(node))
          return peek(deadline, maxAgeMs);
        return ageMs() <= maxAgeMs ? view.head : undefined;
      };
      return view.head === undefined ? readShared().then(look) : look();
    },
    isYoung: (maxAgeMs) => ageMs() <= maxAgeMs,
    bounds: () => view.bounds(clock.now()),
    askBeside,
    doubt,
    tagged: async (tag, deadline) => {
      await hearing.listen();
      // Only then is it known which upstreams are behind.
      await peek(deadline, ROUGH_HEAD_MAX_AGE_MS);
      return hearing.isSilent ? undefined : tags.read(tag, deadline);
    },
    isSyncing: () => !canServeHead(node),
    settled: () =>
      pending === undefined && publishing === undefined && doubting === undefined
        ? undefined
        : endsBy(clock.now() + MAX_SETTLE_MS, node, settle()),
    whyUnknown: () => {
      if (!canServeHead(node)) return { reason: 'node_syncing' };
      return limitedError(node, { kind: 'head' }) ?? { reason: 'upstream_unavailable' };
    },
  };
}

/**
 * Those whose breaker may close again first: no call of a client is risked to find that out. Then one after the
 * other as they were heard, by any instance, without those whose breaker is open.
 */
function chooseNext({ upstreams, view }: ChainUpstreams, previous: number): Upstream {
  const inTurn = upstreams.map(
    (_, place) => upstreams[(previous + 1 + place) % upstreams.length] as Upstream,
  );
  const due = inTurn.find(({ health }) => health.mayProbe);
  const toldAt = ({ index }: Upstream) => view.reportedAt(index) ?? Number.NEGATIVE_INFINITY;
  const [longest] = inTurn
    .filter(({ health }) => health.usable)
    .toSorted((one, other) => (toldAt(one) < toldAt(other) ? -1 : Number(toldAt(one) > toldAt(other))));
  return due ?? longest ?? (inTurn[0] as Upstream);
}

/**
 * Asks every upstream, and waits for the first that says its head; if nothing is known of the others, also a little
 * for them.
 */
async function pollAll(node: ChainUpstreams, deadline: number, unknown: boolean): Promise<void> {
  const asked = node.upstreams.map((upstream) => askHead(node, upstream, deadline));
  const all = Promise.all(asked);
  await Promise.race([all, ...asked.map(async (said) => ((await said) ? undefined : all))]);
  if (unknown) await endsBy(node.clock.now() + OTHERS_WAIT_MS, node, all);
}

/** Waits for something, but not beyond a time in milliseconds since the epoch. */
async function endsBy(
  time: number,
  node: ChainUpstreams,
  promise: Promise<unknown> | undefined,
): Promise<void> {
  if (promise === undefined) return;
  const stop = new AbortController();
  try {
    await Promise.race([promise, node.wait(Math.max(0, time - node.clock.now()), stop.signal)]);
  } finally {
    stop.abort('answered');
  }
}

/** The finalized block of a chain whose head is `head`. */
export function finalizedBlock(head: bigint): bigint {
  const lag = BigInt(FINALITY_BLOCKS);
  return head > lag ? head - lag : 0n;
}

/** Whether a block is above all that a chain has that still syncs. */
export function isBeyondSyncing(
  number: bigint,
  { known, isSyncing }: Pick<HeadTracker, 'known' | 'isSyncing'>,
): boolean {
  return known !== undefined && number > known && isSyncing();
}
