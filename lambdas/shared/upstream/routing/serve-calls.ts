import type { Call } from '../../jsonrpc/calls.ts';
import { REPORTS_OF_A_DROP } from '../head/head-reports.ts';
import { RESERVED_FOR_FAILURES } from '../health/refused-words.ts';
import type { Load } from '../health/upstream-health.ts';
import type { Upstream } from '../upstream.ts';
import {
  ableUpstreams,
  asFarAsNeeded,
  chooseUpstream,
  holdersFirst,
  wideUpstreams,
} from './able-upstreams.ts';
import { type AttemptTime, attempt, loadOf } from './attempt.ts';
import type { ChainClient } from './chain-client.ts';
import type { ResponseClass } from './classify-response.ts';
import { type PendingCall, ResponseBudget } from './pending-call.ts';

/** A signal that is aborted with another one, or by itself. */
interface LinkedAbort {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** To be called when nothing is left to abort. */
  readonly unlink: () => void;
}

/** Bounds of the time after which a second upstream is asked, in milliseconds; `usual` while the p95 is not known. */
const HEDGE_DELAY_MS: Readonly<
  Record<Load, { readonly min: number; readonly usual: number; readonly max: number }>
> = {
  light: { min: 10, usual: 250, max: 2_000 },
  heavy: { min: 100, usual: 2_000, max: 6_000 },
};

/** Calls that are sent together. */
interface Group {
  readonly upstream: Upstream;
  readonly calls: readonly PendingCall[];
  /** Chooses another upstream that would do for all the calls; undefined if absent. */
  readonly chooseSpare: () => Upstream | undefined;
}

/** Whether calls may go to a second upstream while the first is still at work. */
function mayBeHedged({ upstreams }: ChainClient, { calls }: Group): boolean {
  return upstreams.length > 1 && calls.every(({ idempotent }) => idempotent);
}

/**
 * Sends calls to an upstream, and to a second one too if the first takes longer than 95 of 100 of its recent responses
 * took. The upstream that first answers every call well ends the other attempt. Not for
 * a call that acts, which is never sent twice.
 */
async function attemptHedged(node: ChainClient, group: Group, patience: AttemptTime): Promise<void> {
  const { upstream, calls } = group;
  const startedAt = node.clock.now();
  const giveUp = linkedAbort(patience.signal);
  const first = attempt(node, { upstream, calls, ...patience, signal: giveUp.signal }).finally(giveUp.unlink);
  if (await answersWithin(node, first, hedgeDelayMs(upstream, loadOf(calls)))) return;
  const spare = group.chooseSpare();
  if (spare === undefined || !node.budget.take(calls.length, RESERVED_FOR_FAILURES)) {
    await first;
    return;
  }
  const giveUpSpare = linkedAbort(patience.signal);
  const isAsFar = calls.every(
    ({ need, given }) => need.kind !== 'head' || given === undefined || node.view.has(spare.index, given),
  );
  // The newest state of one that may lack what the key got counts only where the first does not answer for long. A defect of the
  // first is told below: this never rejects.
  const known = isAsFar
    ? patience.known
    : Promise.allSettled([patience.known, answersWithin(node, first, HEDGE_DELAY_MS[loadOf(calls)].usual)]);
  const asked = { upstream: spare, calls, ...patience, known, signal: giveUpSpare.signal };
  const second = attempt(node, asked).finally(giveUpSpare.unlink);
  await Promise.race([first, second]);
  if (calls.every(({ settled, crowdedAt }) => settled || crowdedAt !== undefined)) {
    giveUp.abort('overtaken');
    giveUpSpare.abort('overtaken');
  }
  const [answered] = await Promise.all([first, second]);
  if (!answered && !patience.signal.aborted)
    upstream.health.overtaken(node.clock.now() - startedAt, loadOf(calls));
}

async function answersWithin(node: ChainClient, sent: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const end = node.lateGroups.begin(node.clock.now() + ms, () => resolve(false));
  sent.then(() => resolve(true), reject);
  try {
    return await promise;
  } finally {
    end();
  }
}

function hedgeDelayMs({ health }: Upstream, load: Load): number {
  const { min, usual, max } = HEDGE_DELAY_MS[load];
  return Math.min(max, Math.max(min, health.p95Ms(load) ?? usual));
}

/** Makes one. `AbortSignal.any` does the same for as long as anything refers to it, at several times the cost. */
export function linkedAbort(parent: AbortSignal): LinkedAbort {
  const own = new AbortController();
  const follow = () => own.abort(parent.reason);
  if (parent.aborted) follow();
  else parent.addEventListener('abort', follow);
  return {
    signal: own.signal,
    abort: (reason) => own.abort(reason),
    unlink: () => parent.removeEventListener('abort', follow),
  };
}

/** Pays for calls that are sent to a node a second time; resolves to whether they may be. */
export type PayAgain = (calls: readonly Call[]) => Promise<boolean>;

/** Pause before an upstream is asked the same again, in milliseconds; it doubles with each attempt. */
const FIRST_PAUSE_MS = 25;
const MAX_PAUSE_MS = 200;
/** An attempt that has less time than this is not begun, in milliseconds. */
const MIN_ATTEMPT_MS = 20;
/** Calls that are sent again at once, each by itself: as many responses of the largest size may be in memory. */
const RESENT_AT_ONCE = 2;
/** Verdicts after which the same upstream may do better the next time. */
const PASSING: ReadonlySet<ResponseClass | undefined> = new Set<ResponseClass>(['failed', 'unread']);
/** Verdicts that a client can bring about: further attempts leave a part of the budget for upstreams that fail. */
const BY_CLIENTS: ReadonlySet<ResponseClass> = new Set<ResponseClass>([
  'absent',
  'missing_data',
  'missing_method',
  'too_wide',
  'too_many_logs',
  'unknown_behind',
  'limited_in_words',
  'unbatched',
  'unsubscribed',
  'pool_full',
  'broken',
  'doubtful',
  'unread',
  'of_another',
]);

/** On which terms calls are sent. */
export interface Terms extends AttemptTime {
  readonly payAgain: PayAgain;
}

/**
 * Gets calls answered by suitable upstreams, each in as few attempts as possible. Calls for the same upstream are sent
 * together. Resolves when every call has its best available response, or when its waiting time is over. A call without
 * a suitable upstream, or with stale responses only, has none.
 */
export async function serveCalls(
  calls: readonly PendingCall[],
  node: ChainClient,
  terms: Terms,
): Promise<void> {
  const groups = groupCalls(calls, node);
  const [only] = groups;
  if (only !== undefined && groups.length === 1) await serveGroup(only, node, terms);
  else await Promise.all(groups.map((group) => serveGroup(group, node, terms)));
}

/** Sends calls that are not answered well to upstreams that were not asked, if there are any now. */
export async function serveByOthers(
  calls: readonly PendingCall[],
  node: ChainClient,
  terms: Terms,
): Promise<void> {
  const left = calls.filter(
    (call) => !call.settled && candidatesFor(call, node).some((upstream) => !call.verdicts.has(upstream)),
  );
  const again = takeFromBudget(
    left.filter(({ attempts }) => attempts > 0),
    node,
  );
  await serveCalls(
    left.filter((call) => call.attempts === 0 || again.includes(call)),
    node,
    terms,
  );
}

async function serveGroup(group: Group, node: ChainClient, terms: Terms): Promise<void> {
  const { deadline, signal } = terms;
  if (mayBeHedged(node, group)) await attemptHedged(node, group, terms);
  else await attempt(node, { upstream: group.upstream, calls: group.calls, ...terms });
  if (signal.aborted || group.calls.every(({ settled }) => settled)) return;
  const crowded = group.calls.filter(({ settled, crowdedAt }) => !settled && crowdedAt !== undefined);
  if (crowded.length > 0) {
    await serveOneByOne(crowded, node, terms);
    return;
  }
  const unsettled = group.calls.filter((call) => !call.settled && candidatesFor(call, node).length > 0);
  if (unsettled.length === 0) return;
  const pauseMs = Math.max(...unsettled.map((call) => pauseBefore(call, node)));
  if (node.clock.now() + pauseMs + MIN_ATTEMPT_MS > deadline) return;
  const again = takeFromBudget(unsettled, node);
  if (again.length === 0) return;
  if (pauseMs > 0) await node.wait(pauseMs, signal);
  await serveCalls(again, node, terms);
}

/**
 * Sends calls whose results were too large together again, one by one, until room, time or budget runs out, or the
 * caller cannot pay. So a node does work that the gateway discards at most twice.
 */
async function serveOneByOne(calls: readonly PendingCall[], node: ChainClient, terms: Terms): Promise<void> {
  const { deadline, signal, payAgain } = terms;
  const room = new ResponseBudget(node.maxResponseBytes);
  const upstream = calls[0]?.crowdedAt as Upstream;
  for (let at = 0; at < calls.length; at += RESENT_AT_ONCE) {
    if (room.full || signal.aborted || node.clock.now() + MIN_ATTEMPT_MS > deadline) return;
    const payable = calls
      .slice(at, at + RESENT_AT_ONCE)
      .filter(({ exhausted }) => !exhausted && node.budget.take(1, RESERVED_FOR_FAILURES));
    if (payable.length === 0 || !(await payAgain(payable.map(({ call }) => call)))) return;
    await Promise.all(payable.map((call) => serveGroup(groupFor(upstream, [call], node), node, terms)));
    room.keep(payable);
  }
}

/** Each call goes to one upstream, and as many as possible to the same. */
function groupCalls(calls: readonly PendingCall[], node: ChainClient): readonly Group[] {
  const groups: Group[] = [];
  let left = calls.map((call) => ({ call, candidates: candidatesFor(call, node) }));
  left = left.filter(({ candidates }) => candidates.length > 0);
  // Calls with little choice choose for the others.
  left.sort((one, other) => one.candidates.length - other.candidates.length);
  while (left[0] !== undefined) {
    const upstream = chooseUpstream(left[0].candidates, node.random()) as Upstream;
    const together = left.filter(({ candidates }) => candidates.includes(upstream));
    left = left.filter(({ candidates }) => !candidates.includes(upstream));
    const inOrder = calls.filter((call) => together.some((one) => one.call === call));
    groups.push(groupFor(upstream, inOrder, node));
  }
  return groups;
}

function groupFor(upstream: Upstream, calls: readonly PendingCall[], node: ChainClient): Group {
  return { upstream, calls, chooseSpare: () => chooseSpare(upstream, calls, node) };
}

/**
 * Upstreams that a call may go to next, all equally good: of the best those that have never answered it, else the best
 * that were not asked yet, else those that may recover.
 */
function candidatesFor(call: PendingCall, node: ChainClient): readonly Upstream[] {
  if (call.exhausted) return [];
  const able = wideUpstreams(ableUpstreams(node, call), call);
  const tiers = holdersFirst(call.isDoubted ? asFarAsNeeded(able, call, node.view) : able, call, node.view);
  const bestOf = (isWanted: (upstream: Upstream) => boolean) => {
    for (const tier of tiers) {
      const wanted = tier.filter(isWanted);
      if (wanted.length > 0) return wanted;
    }
    return [];
  };
  const { answeredBy } = call.call;
  if (answeredBy !== undefined) {
    const unheard = tiers[0]?.filter(
      (upstream) => upstream.health.usable && !call.verdicts.has(upstream) && !answeredBy.has(upstream.index),
    );
    if (unheard !== undefined && unheard.length > 0) return unheard;
  }
  const unasked = bestOf((upstream) => !call.verdicts.has(upstream));
  if (unasked.length > 0) return unasked;
  return bestOf((upstream) => mayRecover(call, upstream, node));
}

/**
 * Whether an upstream may do better with the same call the next time. A chain with a single upstream gets one attempt,
 * because the client knows best when to retry. An upstream that returned less than it stands by has several nodes
 * behind its URL, and another of them is further on: it may also have what this one has not.
 */
function mayRecover({ verdicts, attempts }: PendingCall, upstream: Upstream, node: ChainClient): boolean {
  const verdict = verdicts.get(upstream);
  const { view, upstreams } = node;
  if (verdict === 'behind_served_head') {
    return (
      (view.headOf(upstream.index) ?? 0n) >= view.served &&
      attempts < upstreams.length - 1 + REPORTS_OF_A_DROP
    );
  }
  if (verdict === 'absent')
    return view.isSeveral(upstream.index, node.clock.now()) && attempts < REPORTS_OF_A_DROP;
  return upstreams.length > 1 && PASSING.has(verdict) && upstream.health.alive;
}

function chooseSpare(
  upstream: Upstream,
  calls: readonly PendingCall[],
  node: ChainClient,
): Upstream | undefined {
  const [first, ...others] = calls.map((call) => candidatesFor(call, node).filter((one) => one !== upstream));
  const common = first?.filter(
    (one) => one.health.usable && others.every((candidates) => candidates.includes(one)),
  );
  return chooseUpstream(common ?? [], node.random());
}

/** Milliseconds to wait before the next attempt: none before one at an upstream that was not asked yet. */
function pauseBefore(call: PendingCall, node: ChainClient): number {
  const repeated = candidatesFor(call, node).every((upstream) => call.verdicts.has(upstream));
  if (!repeated) return 0;
  return Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (call.attempts - 1)) * (0.5 + node.random() / 2);
}

/**
 * The calls that the budget has another attempt for. Only those whose upstreams failed may use it up; the others need something
 * left of their key's share too, except to find a method: it is remembered which upstream lacks one.
 */
function takeFromBudget(
  calls: readonly PendingCall[],
  { budget, refusedWords }: ChainClient,
): readonly PendingCall[] {
  return calls.filter((call) => {
    const verdicts = [...call.verdicts.values()];
    const failed = call.attempts === verdicts.length && verdicts.some((verdict) => !BY_CLIENTS.has(verdict));
    if (failed) return budget.take(1);
    const { keyId } = call.sender;
    const isFree = keyId === undefined || verdicts.includes('missing_method');
    if (!isFree && !refusedWords.shareOf(keyId).hasOne()) return false;
    if (!budget.take(1, RESERVED_FOR_FAILURES)) return false;
    call.owed += 1;
    return true;
  });
}
