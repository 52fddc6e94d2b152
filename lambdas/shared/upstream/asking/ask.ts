import { failed } from '../../jsonrpc/match-responses.ts';
import type { RequiredBlock } from '../../jsonrpc/required-block.ts';
import { METHODS } from '../../methods/method-table.ts';
import { REPORTS_OF_A_DROP } from '../head/head-reports.ts';
import { RESERVED_FOR_FAILURES } from '../health/refused-words.ts';
import type { Load } from '../health/upstream-health.ts';
import { agreement } from '../policies/agreement.ts';
import { byBlock } from '../policies/by-block.ts';
import { getLogs } from '../policies/get-logs.ts';
import { traces } from '../policies/traces.ts';
import { transactions } from '../policies/transactions.ts';
import {
  ableUpstreams,
  asFarAsNeeded,
  chooseUpstream,
  holdersFirst,
  wideUpstreams,
} from '../routing/able-upstreams.ts';
import { attempt, loadOf } from '../routing/attempt.ts';
import type { ChainClient } from '../routing/chain-client.ts';
import { factsOf } from '../routing/classify-response.ts';
import { bytesOf, type PendingCall } from '../routing/pending-call.ts';
import type { FurtherCall, Policy, Terms } from '../routing/terms.ts';
import type { Upstream } from '../upstream.ts';

/** What is special of some calls, in the order in which it is tried. */
const POLICIES: readonly Policy[] = [getLogs, byBlock, transactions, traces];
/** Of them those for calls that are asked a second time because two upstreams have to answer alike. */
const OF_TWINS: readonly Policy[] = [getLogs, byBlock];

/** Longest time to ask an upstream something about a call, in milliseconds. */
const MAX_ASK_MS = 2_000;

type Needed = RequiredBlock['kind'];
const NEEDED: readonly Needed[] = ['none', 'hash', 'block', 'logs', 'head'];
const BY_METHOD: ReadonlyMap<string, ReadonlyMap<Needed, readonly Policy[]>> = new Map(
  METHODS.map(({ name }) => [name, new Map(NEEDED.map((need) => [need, applying(name, need)]))]),
);

function applying(method: string, need: Needed): readonly Policy[] {
  return POLICIES.filter((policy) => policy.appliesTo(method, need));
}

/** The policies for a call, in their order. Most have none. */
export function policiesOf({ call: { method }, need: { kind } }: PendingCall): readonly Policy[] {
  return BY_METHOD.get(method)?.get(kind) ?? applying(method, kind);
}

/**
 * Gets calls answered: answer = agree?( retry( hedge( send ) ) ), with what policies ask further. Resolves when every call has its
 * best available response, or when its waiting time is over.
 * `isKnown`: whether it is known well enough where the upstreams are.
 */
export async function answer(calls: readonly PendingCall[], terms: Terms, isKnown: boolean): Promise<void> {
  if (terms.node.agreement === 1) return answerOnce(calls, terms, isKnown, POLICIES);
  for (const one of calls)
    if (agreement.appliesTo(one.call.method, one.need.kind)) agreement.prepare?.(one, terms);
  const twins = calls.flatMap((one) => one.twins);
  // What the operator wants to know twice is paid for once.
  const unpaid = { ...terms, payAgain: undefined };
  await Promise.all([
    answerOnce(calls, terms, isKnown, POLICIES),
    answerOnce(twins, unpaid, isKnown, OF_TWINS),
  ]);
  await askFurther(agreement, calls, unpaid);
}

async function answerOnce(
  calls: readonly PendingCall[],
  terms: Terms,
  isKnown: boolean,
  policies: readonly Policy[],
): Promise<void> {
  await retry(calls, terms);
  const { node, deadline, signal } = terms;
  const isChosenBlindly = ({ settled, need }: PendingCall) => !settled && (!isKnown || need.kind === 'head');
  if (node.upstreams.length > 1 && !signal.aborted && calls.some(isChosenBlindly)) {
    await node.head.peek(deadline);
    const isUnasked = (one: PendingCall) =>
      candidatesFor(one, node).some((other) => !one.verdicts.has(other));
    await retry(
      calls.filter((one) => !one.settled && isUnasked(one)),
      terms,
    );
  }
  const special = calls.filter((one) => policiesOf(one).length > 0);
  if (special.length === 0) return;
  for (const policy of policies)
    await askFurther(
      policy,
      special.filter((one) => policiesOf(one).includes(policy)),
      terms,
    );
}

/** The one loop in which policies ask: it sends the questions of a round, and ends when they have no more. */
async function askFurther(policy: Policy, calls: readonly PendingCall[], terms: Terms): Promise<void> {
  if (policy.again === undefined || calls.length === 0 || terms.signal.aborted) return;
  for await (const questions of policy.again(calls, terms)) await sendRound(questions, terms);
}

/** Sends questions, as far as there is time for them and an attempt left: those to the same upstream together. */
async function sendRound(questions: readonly FurtherCall[], terms: Terms): Promise<void> {
  const { node, deadline, signal, held } = terms;
  const { clock, budget } = node;
  if (signal.aborted || clock.now() + MIN_ATTEMPT_MS > deadline) return;
  const isPaid = ({ call, about = call, of }: FurtherCall) =>
    of === undefined && about === call ? true : !about.exhausted && budget.take(1, RESERVED_FOR_FAILURES);
  const payable = questions.filter((one) => one.isFree === true || isPaid(one));
  const groups = Map.groupBy(payable, (one) => (one.of !== undefined && one.isFree === true ? one : one.of));
  await Promise.all(
    [...groups.values()].map((group) => {
      const [{ call, about = call, of: upstream, isFree = false }] = group as [FurtherCall];
      const together = group.map((one) => one.call);
      if (upstream === undefined) return retry(together, terms);
      const until = isFree || about === call ? deadline : Math.min(deadline, clock.now() + MAX_ASK_MS);
      return attempt(node, { upstream, calls: together, deadline: until, signal, held });
    }),
  );
  for (const { call, about = call } of payable) if (about !== call) about.attempts += call.attempts;
}

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
}

/**
 * Sends calls to an upstream, and to a second one too if the first takes longer than 95 of 100 of its recent responses
 * took. The upstream that first answers every call well ends the other attempt. Not for
 * a call that acts, which is never sent twice.
 */
async function attemptHedged({ upstream, calls }: Group, terms: Terms): Promise<void> {
  const { node } = terms;
  const startedAt = node.clock.now();
  const giveUp = linkedAbort(terms.signal);
  const first = attempt(node, { ...terms, upstream, calls, signal: giveUp.signal }).finally(giveUp.unlink);
  if (await answersWithin(node, first, hedgeDelayMs(upstream, loadOf(calls)))) return;
  const spare = chooseSpare(upstream, calls, node);
  if (spare === undefined || !node.budget.take(calls.length, RESERVED_FOR_FAILURES)) {
    await first;
    return;
  }
  const giveUpSpare = linkedAbort(terms.signal);
  const isAsFar = calls.every(
    ({ need, given }) => need.kind !== 'head' || given === undefined || node.view.has(spare.index, given),
  );
  // The newest state of one that may lack what the key got counts only where the first does not answer for long. A defect of the
  // first is told below: this never rejects.
  const known = isAsFar
    ? terms.known
    : Promise.allSettled([terms.known, answersWithin(node, first, HEDGE_DELAY_MS[loadOf(calls)].usual)]);
  const asked = { ...terms, upstream: spare, calls, known, signal: giveUpSpare.signal };
  const second = attempt(node, asked).finally(giveUpSpare.unlink);
  await Promise.race([first, second]);
  if (calls.every(({ settled, crowdedAt }) => settled || crowdedAt !== undefined)) {
    giveUp.abort('overtaken');
    giveUpSpare.abort('overtaken');
  }
  const [answered] = await Promise.all([first, second]);
  if (!answered && !terms.signal.aborted)
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

/** Pause before an upstream is asked the same again, in milliseconds; it doubles with each attempt. */
const FIRST_PAUSE_MS = 25;
const MAX_PAUSE_MS = 200;
/** An attempt that has less time than this is not begun, in milliseconds. */
const MIN_ATTEMPT_MS = 20;
/** Calls that are sent again at once, each by itself: as many responses of the largest size may be in memory. */
const RESENT_AT_ONCE = 2;
/** A call that may be sent, and the upstreams that it may go to next, all equally good. */
interface Choice {
  readonly call: PendingCall;
  readonly candidates: readonly Upstream[];
}

function choicesOf(calls: readonly PendingCall[], node: ChainClient): readonly Choice[] {
  return calls.flatMap((call) => {
    const candidates = call.settled ? [] : candidatesFor(call, node);
    return candidates.length === 0 ? [] : [{ call, candidates }];
  });
}

/**
 * Gets calls answered by suitable upstreams, each in as few attempts as possible. Calls for the same upstream are sent
 * together. A call without a suitable upstream, or with stale responses only, has no response.
 */
async function retry(calls: readonly PendingCall[], terms: Terms): Promise<void> {
  const { node, deadline, signal } = terms;
  const left = choicesOf(calls, node);
  if (left.length === 0) return;
  const pauseMs = Math.max(...left.map((one) => pauseBefore(one, node)));
  const isFirst = left.every(({ call }) => call.verdicts.size === 0);
  if (!isFirst && node.clock.now() + pauseMs + MIN_ATTEMPT_MS > deadline) return;
  const payable = left.filter(({ call }) => mayBeSent(call, node));
  if (pauseMs > 0 && payable.length > 0) await node.wait(pauseMs, signal);
  const now =
    pauseMs === 0
      ? payable
      : choicesOf(
          payable.map(({ call }) => call),
          node,
        );
  await Promise.all(groupCalls(now, node).map((group) => serveGroup(group, terms)));
}

async function serveGroup(group: Group, terms: Terms): Promise<void> {
  const { node, signal } = terms;
  const { upstream, calls } = group;
  const isHedged = node.upstreams.length > 1 && calls.every(({ idempotent }) => idempotent);
  if (isHedged) await attemptHedged(group, terms);
  else await attempt(node, { ...terms, upstream, calls });
  if (signal.aborted || calls.every(({ settled }) => settled)) return;
  const crowded = calls.filter(({ settled, crowdedAt }) => !settled && crowdedAt !== undefined);
  await (crowded.length > 0 ? serveOneByOne(crowded, terms) : retry(calls, terms));
}

/**
 * Sends calls whose results were too large together again, one by one, until room, time or budget runs out, or the
 * caller cannot pay. So a node does work that the gateway discards at most twice.
 */
async function serveOneByOne(calls: readonly PendingCall[], terms: Terms): Promise<void> {
  const { node, deadline, signal, payAgain } = terms;
  const upstream = calls[0]?.crowdedAt as Upstream;
  let bytesLeft = node.maxResponseBytes;
  for (let at = 0; at < calls.length && bytesLeft > 0; at += RESENT_AT_ONCE) {
    if (signal.aborted || node.clock.now() + MIN_ATTEMPT_MS > deadline) return;
    const payable = calls
      .slice(at, at + RESENT_AT_ONCE)
      .filter(({ exhausted }) => !exhausted && node.budget.take(1, RESERVED_FOR_FAILURES));
    if (payable.length === 0 || (await payAgain?.(payable.map(({ call }) => call))) === false) return;
    await Promise.all(payable.map((call) => serveGroup({ upstream, calls: [call] }, terms)));
    for (const one of payable) {
      const { response } = one;
      if (response === undefined) continue;
      const fits = bytesOf(response) <= bytesLeft;
      if (fits) bytesLeft -= bytesOf(response);
      one.settle(fits ? response : failed('upstream_response_too_large'));
    }
  }
}

/** Each call goes to one upstream, and as many as possible to the same. */
function groupCalls(choices: readonly Choice[], node: ChainClient): readonly Group[] {
  const groups: Group[] = [];
  // Calls with little choice choose for the others.
  let left = choices.toSorted((one, other) => one.candidates.length - other.candidates.length);
  while (left[0] !== undefined) {
    const upstream = chooseUpstream(left[0].candidates, node.random()) as Upstream;
    const isFor = ({ candidates }: Choice) => candidates.includes(upstream);
    const together = new Set(left.filter(isFor));
    left = left.filter((one) => !together.has(one));
    groups.push({ upstream, calls: choices.filter((one) => together.has(one)).map(({ call }) => call) });
  }
  return groups;
}

/**
 * Upstreams that a call may go to next: of the best those that have never answered it, else the best
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
  const mayPass = verdict !== undefined && factsOf(verdict).mayPass === true;
  return upstreams.length > 1 && mayPass && upstream.health.alive;
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
function pauseBefore({ call, candidates }: Choice, node: ChainClient): number {
  if (!candidates.every((upstream) => call.verdicts.has(upstream))) return 0;
  return Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (call.attempts - 1)) * (0.5 + node.random() / 2);
}

/**
 * Whether the budget has an attempt for a call beside the first. Only those whose upstreams failed may use it up; the others need
 * something left of their key's share too, except to find a method: it is remembered which upstream lacks one.
 */
function mayBeSent(call: PendingCall, { budget, refusedWords }: ChainClient): boolean {
  const verdicts = [...call.verdicts.values()];
  if (verdicts.length === 0) return true;
  const isFailed = call.chosen === verdicts.length && verdicts.some((verdict) => factsOf(verdict).isFailure);
  if (isFailed) return budget.take(1);
  const { keyId } = call.sender;
  const isFree = keyId === undefined || verdicts.includes('missing_method');
  if (!isFree && !refusedWords.shareOf(keyId).hasOne()) return false;
  if (!budget.take(1, RESERVED_FOR_FAILURES)) return false;
  call.owed += 1;
  return true;
}
