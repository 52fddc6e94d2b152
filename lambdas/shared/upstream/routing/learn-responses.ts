import type { Call, UpstreamResponse } from '../../jsonrpc/calls.ts';
import { nodesOwnWords } from '../../jsonrpc/client-words.ts';
import { wordsOf } from '../../jsonrpc/error-message.ts';
import { readLimit } from '../../jsonrpc/subscription-limit.ts';
import { cautiousBlocks, toldBlocks } from '../../jsonrpc/told-range.ts';
import { steadyWords } from '../../jsonrpc/unknown-words.ts';
import { methodFacts } from '../../methods/method-facts.ts';
import type { LimitNotice } from '../health/upstream-health.ts';
import type { Upstream } from '../upstream.ts';
import type { ChainClient } from './chain-client.ts';
import type { ResponseClass } from './classify-response.ts';
import type { PendingCall } from './pending-call.ts';
import type { SendOutcome } from './send-calls.ts';

/** HTTP statuses that no call of a client brings about: not authorised, to be paid, too many requests. */
const CERTAIN_STATUSES: ReadonlySet<number> = new Set([401, 402, 429]);
const FORBIDDEN = 403;
const SUCCESS = 200;
const ARCHIVE = /archive/i;

/** What the responses to a request say of the upstream that gave them. */
interface Standing {
  /** The account that sent the request. */
  readonly account: string | undefined;
  readonly statuses: SendOutcome['statuses'];
  readonly verdicts: readonly ResponseClass[];
  readonly notice: LimitNotice | undefined;
}

/**
 * Leaves an upstream alone that is limited or fails, if that is certain; if it is not, the gateway asks it itself. `well`: it
 * is neither.
 */
export function takeStanding(
  { head }: ChainClient,
  upstream: Upstream,
  { account, statuses, verdicts, notice }: Standing,
): 'well' | 'certain' | 'uncertain' {
  const { health, evidence } = upstream;
  const isCertain = (refusal: string) =>
    statuses.some((status) => CERTAIN_STATUSES.has(status)) || evidence.counts(refusal, account);
  const failure = verdicts.findIndex((verdict) => verdict === 'failed' || verdict === 'unread');
  if (notice === undefined && failure < 0) return 'well';
  if (!isCertain(notice === undefined ? `status ${statuses[failure]}` : notice.limit)) {
    head.doubt(upstream);
    return 'uncertain';
  }
  if (notice !== undefined) health.limited(notice);
  else health.failed();
  return 'certain';
}

/** A verdict that a client's call may have brought about: what it leads to is paid from the key's share. */
export function uncertain(verdict: ResponseClass): ResponseClass {
  if (verdict === 'limited') return 'limited_in_words';
  return verdict === 'failed' ? 'unread' : verdict;
}

/** A response to a call, and what it says of the upstream by itself. */
interface JudgedResponse {
  readonly upstream: Upstream;
  readonly pending: PendingCall;
  readonly response: UpstreamResponse;
  readonly judged: ResponseClass;
}

/** What a refusal says in the light of earlier ones in the same words. */
export function weighWords(
  { refusedWords, upstreams, view }: ChainClient,
  { upstream, pending, response, judged }: JudgedResponse,
): ResponseClass {
  const isOpen = judged === 'doubtful' || judged === 'missing_method';
  if (response.kind !== 'error' || !isOpen || !pending.idempotent) return judged;
  const { call, sender, doubts } = pending;
  const { method } = call;
  const words = `${response.code} ${steadyWords(nodesOwnWords(wordsOf(response), call))}`;
  if (judged === 'doubtful' && refusedWords.isLack(upstream, { method, words })) return 'missing_data';
  if (refusedWords.isFinal(sender.keyId, { method, words })) return 'final';
  if (view.isBehind(upstream.index)) return judged;
  doubts.set(upstream, words);
  // Where a method is not at one, it can still be at a third.
  if (doubts.size >= (judged === 'doubtful' ? 2 : upstreams.length))
    refusedWords.agreed(
      sender.keyId,
      [...doubts.values()].map((one) => ({ method, words: one })),
    );
  return judged;
}

/** What is read of a key's earlier responses because an upstream says that there is no such thing. */
export interface Learnt {
  /** The newest block that the key got. @default none that there still is */
  readonly given?: bigint | undefined;
  /** Names of the upstreams that took the transactions that calls are about. */
  readonly takers: ReadonlyMap<Call, string>;
}

/** What is known where an upstream says that there is no such thing. */
export interface KnownOfAbsent {
  /** The newest blocks of the chain and of the upstream when it said so: it can have got others since. */
  readonly head: bigint | undefined;
  readonly own: bigint | undefined;
  /** @default the gateway itself asks, which got nothing */
  readonly learnt: Learnt | undefined;
}

/** A method whose hash is of a block, which a client has from a node: any hash can be of a transaction that none has yet. */
const OF_BLOCK = /Block|Header/;

/**
 * Whether it is believed that there is no such thing: an upstream says so that is as far as the chain and as the key has seen,
 * and of a block a second one. If not, those that are as far are asked first.
 */
export function weighAbsence(
  { view, upstreams, agreement, clock }: ChainClient,
  { upstream, pending, judged }: Omit<JudgedResponse, 'response'>,
  { head = -1n, own = -1n, learnt }: KnownOfAbsent,
): ResponseClass {
  // Where two must answer alike, the second is asked anyway.
  if (judged !== 'absent') return judged;
  const isOne = ({ index }: Upstream) => !view.isSeveral(index, clock.now());
  if (agreement > 1 || (upstreams.length === 1 && isOne(upstream))) return 'final';
  const { call, verdicts } = pending;
  const taker = learnt?.takers.get(call);
  pending.takenBy ??= upstreams.find(({ name }) => name === taker);
  pending.given = view.head;
  pending.absentAt.set(upstream, own);
  if (pending.takenBy !== undefined && !verdicts.has(pending.takenBy)) return judged;
  const needed = learnt?.given !== undefined && learnt.given > head ? learnt.given : head;
  const isFar = (one: Upstream, at: bigint) => !view.isBehind(one.index) && at >= needed && isOne(one);
  if (![...pending.absentAt].some(([one, at]) => isFar(one, at))) return judged;
  const isOfBlock = methodFacts(call.method).needs !== 'hash' || OF_BLOCK.test(call.method);
  return pending.absentAt.size > 1 || !isOfBlock ? 'final' : judged;
}

/** Notes what the upstream, or the operator's plan there, does not have or take; and that it does after all. */
export function learnLack({ upstream, pending, response, judged }: JudgedResponse, status: number): void {
  const { health, lessons, evidence } = upstream;
  const { call, span, sender, unproven } = pending;
  const { method } = call;
  if (response.kind === 'result') {
    health.answeredMethod(method);
    if (span !== undefined) lessons.answeredRange(span);
  } else if (judged === 'too_wide' && span !== undefined && response.kind === 'error')
    lessons.refusedRange(span, toldBlocks(wordsOf(response)) ?? cautiousBlocks(span));
  else if (judged === 'unsubscribed' || judged === 'missing_method') {
    const lack = judged === 'unsubscribed' ? 'plan' : 'method';
    const words = response.kind === 'error' ? wordsOf(response) : '';
    // It is about what the call asks for, and not about its method.
    if (ARCHIVE.test(words)) return;
    if (evidence.counts(`${lack} ${method}`, sender.account)) health.refusedMethod(method, lack);
    // A firewall refuses some calls of a method, in no words of a plan.
    else if (status !== FORBIDDEN || readLimit({ method, status: SUCCESS, message: words })?.limit === 'plan')
      unproven.set(upstream, lack);
  }
}

/** Counts a refusal in words of which nothing is known. */
export function hearWords({ connection }: Upstream, { call }: PendingCall, response: UpstreamResponse): void {
  if (response.kind === 'error') connection.hearUnknownWords?.(() => nodesOwnWords(wordsOf(response), call));
}

/** What the first good response to a call says of the upstreams that had none. */
export function learnFromFinal(node: ChainClient, pending: PendingCall, response: UpstreamResponse): void {
  const { settled, idempotent, verdicts, doubts, unproven, sender, call } = pending;
  if (settled || !idempotent) return;
  const { method } = call;
  pending.owed = 0;
  for (const [upstream, verdict] of verdicts) {
    const words = doubts.get(upstream);
    const lack = unproven.get(upstream);
    // An upstream that fails where another succeeds is unhealthy. Until then the call itself may be to blame.
    const isWrong = verdict === 'broken' || verdict === 'of_another';
    if (isWrong && upstream.evidence.counts(verdict, sender.account)) upstream.health.failed();
    if (verdict === 'doubtful' && words !== undefined)
      node.refusedWords.answeredElsewhere(upstream, sender.keyId, { method, words });
    if (lack !== undefined && response.kind === 'result') upstream.health.refusedMethod(method, lack);
  }
}
