import type { GatewayError } from '../../jsonrpc/error-catalogue.ts';
import type { FinalityTag } from '../../jsonrpc/logs-range.ts';
import { FINALITY_BLOCKS } from '../../runtime/finality.ts';
import { errorField, log } from '../../runtime/log.ts';
import type { ChainUpstreams } from '../chain-upstreams.ts';
import type { Upstream } from '../upstream.ts';
import { askHead } from './ask-head.ts';
import type { Hearing } from './bulkhead.ts';
import { canServeHead, limitedError } from './eligible-upstreams.ts';
import { TagNumbers } from './tag-numbers.ts';

/** Least time between two polls, in milliseconds. */
const POLL_INTERVAL_MS = 1_000;
/** Time that an upstream has to say its head while nobody waits for it, in milliseconds. */
const POLL_TIMEOUT_MS = 2_000;
/** A head up to this age is taken for the present one, in milliseconds: polls renew it meanwhile. */
const HEAD_MAX_AGE_MS = 2_000;
/** The same where it does little harm to take the chain for shorter than it is. */
export const ROUGH_HEAD_MAX_AGE_MS = 30_000;
/** Longest time that a peek takes, and that one takes who cannot do without, in milliseconds. */
const MAX_GLANCE_MS = 1_000;
const MAX_READ_MS = 3_000;
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
}

/** What is known of a chain's newest blocks. */
export interface HeadTracker extends ChainHead {
  /**
   * Number of the newest block, at most two seconds old, or undefined if no upstream says. `deadline`: in milliseconds
   * since the epoch.
   */
  read(deadline: number): Promise<bigint | undefined>;
  /**
   * Like `read`, for those who can do without: waits a second at most.
   * @param maxAgeMs a number that is older is not returned, but asked for; @default 2,000
   */
  peek(deadline: number, maxAgeMs?: number): Promise<bigint | undefined>;
  /** Number of the safe or the finalized block, some seconds old at most, or undefined if no upstream says. */
  tagged(tag: FinalityTag, deadline: number): Promise<bigint | undefined>;
  /** Whether no upstream can answer for the newest blocks: those that can be reached sync, or are far behind. */
  isSyncing(): boolean;
  /** The error for a call that needs a number that no upstream says. */
  whyUnknown(): GatewayError;
}

/**
 * Keeps the view of a chain's head up to date, in addition to the heads in responses. While requests come, it polls one
 * upstream a second, in turn. After a pause it asks all of them, and the request waits for that unless the nodes are
 * silent.
 */
export function createHeadTracker(node: ChainUpstreams, hearing: Hearing): HeadTracker {
  const { view, clock } = node;
  const tags = new TagNumbers(node);
  let polledAt = Number.NEGATIVE_INFINITY;
  let previous = -1;
  let pending: Promise<void> | undefined;
  /** Whether the pending poll is of upstreams of which nothing is known. */
  let learning = false;

  const poll = (ask: () => Promise<unknown>): void => {
    if (pending !== undefined || clock.now() - polledAt < POLL_INTERVAL_MS) return;
    polledAt = clock.now();
    pending = ask()
      .catch((error: unknown) => log('error', 'head_poll_failed', { error: errorField(error) }))
      .then(() => {
        pending = undefined;
        learning = false;
      });
  };

  const pollNext = () => {
    const upstream = chooseNext(node, previous);
    previous = upstream.index;
    return askHead(node, upstream, clock.now() + POLL_TIMEOUT_MS);
  };

  const askAll = async (time: number) => {
    poll(() => {
      learning = clock.now() - view.confirmedAt > ROUGH_HEAD_MAX_AGE_MS;
      return pollAll(node, time, learning);
    });
    await endsBy(time, node, pending);
  };

  const readBy = async (time: number, maxAgeMs: number): Promise<bigint | undefined> => {
    const isYoung = () => clock.now() - view.confirmedAt <= maxAgeMs;
    // Before all have had the time to say where they are, the first to do so can be one that is behind.
    if (isYoung() && !learning) {
      poll(pollNext);
      return view.head;
    }
    if (hearing.isSilent) {
      poll(pollNext);
      return undefined;
    }
    const startedAt = clock.now();
    const begun = pending;
    await askAll(time);
    // That poll may have been lost: an instance is frozen between two requests.
    if (begun !== undefined && !isYoung()) await askAll(time);
    if (isYoung()) return view.head;
    if (clock.now() >= time) hearing.miss(clock.now() - startedAt);
    return undefined;
  };

  const peek: HeadTracker['peek'] = (deadline, maxAgeMs = HEAD_MAX_AGE_MS) =>
    readBy(Math.min(deadline, clock.now() + MAX_GLANCE_MS), maxAgeMs);

  return {
    get known() {
      return view.head;
    },
    readMajority: async (deadline) =>
      (await readBy(deadline, HEAD_MAX_AGE_MS)) === undefined ? undefined : view.finalityHead(clock.now()),
    read: async (deadline) => {
      await hearing.listen();
      return readBy(Math.min(deadline, clock.now() + MAX_READ_MS), HEAD_MAX_AGE_MS);
    },
    peek,
    tagged: async (tag, deadline) => {
      await hearing.listen();
      // Only then is it known which upstreams are behind.
      await peek(deadline, ROUGH_HEAD_MAX_AGE_MS);
      return hearing.isSilent ? undefined : tags.read(tag, deadline);
    },
    isSyncing: () => !canServeHead(node),
    whyUnknown: () => {
      if (!canServeHead(node)) return { reason: 'node_syncing' };
      return limitedError(node, { kind: 'head' }) ?? { reason: 'upstream_unavailable' };
    },
  };
}

/**
 * Those whose breaker may close again first: no call of a client is risked to find that out. Then one after the
 * other, without those whose breaker is open.
 */
function chooseNext({ upstreams }: ChainUpstreams, previous: number): Upstream {
  const inTurn = upstreams.map(
    (_, place) => upstreams[(previous + 1 + place) % upstreams.length] as Upstream,
  );
  const due = inTurn.find(({ health }) => health.mayProbe);
  return due ?? inTurn.find(({ health }) => health.usable) ?? (inTurn[0] as Upstream);
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
