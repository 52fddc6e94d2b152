import type { Call, UpstreamResponse } from '../../jsonrpc/calls.ts';
import { nodesOwnWords } from '../../jsonrpc/client-words.ts';
import { wordsOf } from '../../jsonrpc/error-message.ts';
import { failed } from '../../jsonrpc/match-responses.ts';
import { readLimit } from '../../jsonrpc/subscription-limit.ts';
import { cautiousBlocks, toldBlocks } from '../../jsonrpc/told-range.ts';
import { steadyWords } from '../../jsonrpc/unknown-words.ts';
import { methodFacts } from '../../methods/method-facts.ts';
import { HEAD_METHOD } from '../head/answered-head.ts';
import type { Upstream } from '../upstream.ts';
import type { ChainClient } from './chain-client.ts';
import { factsOf, limitNotice, type ResponseClass } from './classify-response.ts';
import type { PendingCall } from './pending-call.ts';
import type { SendOutcome } from './send-calls.ts';

/** HTTP statuses that no call of a client brings about: not authorised, to be paid, too many requests. */
const CERTAIN_STATUSES: ReadonlySet<number> = new Set([401, 402, 429]);
const FORBIDDEN = 403;
const SUCCESS = 200;
const ARCHIVE = /archive/i;

/** What a request was answered, and what that says. */
interface Standing {
  readonly calls: readonly PendingCall[];
  readonly outcome: SendOutcome;
  readonly verdicts: readonly ResponseClass[];
}

/**
 * Leaves an upstream alone that is limited or fails, if that is certain; if it is not, the gateway asks it itself. `well`: it
 * is neither.
 */
export function takeStanding(
  { head, clock }: ChainClient,
  upstream: Upstream,
  { calls, outcome, verdicts }: Standing,
): 'well' | 'certain' | 'uncertain' {
  const { health, evidence } = upstream;
  const { statuses } = outcome;
  const sent = calls.map(({ call }) => call);
  const notice = verdicts.includes('limited') ? limitNotice(sent, outcome, clock.now()) : undefined;
  const failure = verdicts.findIndex((verdict) => verdict === 'failed' || verdict === 'unread');
  if (notice === undefined && failure < 0) return 'well';
  const refusal = notice === undefined ? `status ${statuses[failure]}` : notice.limit;
  const isCertain = statuses.some((status) => CERTAIN_STATUSES.has(status));
  if (!isCertain && !evidence.counts(refusal, calls[0]?.sender.account)) {
    head.doubt(upstream);
    return 'uncertain';
  }
  if (notice !== undefined) health.limited(notice);
  else health.failed();
  return 'certain';
}

/** A response to a call, and what it says of the upstream by itself. */
export interface JudgedResponse {
  readonly upstream: Upstream;
  readonly pending: PendingCall;
  readonly response: UpstreamResponse;
  readonly verdict: ResponseClass;
}

/** What else is known of a response. */
interface Circumstances extends KnownOfAbsent {
  readonly standing: ReturnType<typeof takeStanding>;
  /** HTTP status with which it came. */
  readonly status: number;
}

/** Learns what a response says of the upstream and of others. Returns what it is after that, and what a client may see of it. */
export function learnFromResponse(
  node: ChainClient,
  { verdict: first, ...of }: JudgedResponse,
  { standing, status, ...known }: Circumstances,
): Pick<JudgedResponse, 'response' | 'verdict'> {
  const { upstream, pending, response } = of;
  const judged = standing === 'uncertain' ? (factsOf(first).ifUncertain ?? first) : first;
  const weighed = weighWords(node, { ...of, verdict: judged });
  const verdict = weighAbsence(node, { upstream, pending, verdict: weighed }, known);
  if (response.kind !== 'result') learnLack({ ...of, verdict }, status);
  if (judged === 'doubtful') hearWords(upstream, pending, response);
  // The upstream is wrong whatever others say: its own result contradicts the call.
  const { name } = upstream;
  if (judged === 'of_another')
    node.onDisagreement({ method: pending.call.method, upstreams: [name], alone: name });
  if (judged === 'final') learnFromFinal(node, pending, response);
  // What a client may see does not depend on whether the upstream is to be left alone.
  const seen = judged === first ? verdict : first;
  return { response: clientsResponse(pending.call.method, response, seen), verdict };
}

/** What a client may see of a response: no head that is not a number. */
function clientsResponse(
  method: string,
  response: UpstreamResponse,
  verdict: ResponseClass,
): UpstreamResponse {
  if (verdict === 'broken' && response.kind === 'result' && method === HEAD_METHOD)
    return failed('malformed_upstream_response');
  const { shownAs } = factsOf(verdict);
  const isOurs = verdict === 'failed' && response.kind === 'failed';
  return shownAs === undefined || isOurs ? response : failed(shownAs);
}

/** What a refusal says in the light of earlier ones in the same words. */
function weighWords(
  { refusedWords, upstreams, view }: ChainClient,
  { upstream, pending, response, verdict: judged }: JudgedResponse,
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
function weighAbsence(
  { view, upstreams, agreement, clock }: ChainClient,
  { upstream, pending, verdict: judged }: Omit<JudgedResponse, 'response'>,
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

/** Notes what the upstream, or the operator's plan there, does not have or take. */
function learnLack({ upstream, pending, response, verdict }: JudgedResponse, status: number): void {
  const { health, lessons, evidence } = upstream;
  const { call, span, sender, unproven } = pending;
  const { method } = call;
  const words = response.kind === 'error' ? wordsOf(response) : '';
  if (verdict === 'too_wide' && span !== undefined && response.kind === 'error')
    lessons.refusedRange(span, toldBlocks(words) ?? cautiousBlocks(span));
  if (verdict !== 'unsubscribed' && verdict !== 'missing_method') return;
  const lack = verdict === 'unsubscribed' ? 'plan' : 'method';
  // It is about what the call asks for, and not about its method.
  if (ARCHIVE.test(words)) return;
  if (evidence.counts(`${lack} ${method}`, sender.account)) health.refusedMethod(method, lack);
  // A firewall refuses some calls of a method, in no words of a plan.
  else if (status !== FORBIDDEN || readLimit({ method, status: SUCCESS, message: words })?.limit === 'plan')
    unproven.set(upstream, lack);
}

/** Counts a refusal in words of which nothing is known. */
function hearWords({ connection }: Upstream, { call }: PendingCall, response: UpstreamResponse): void {
  if (response.kind === 'error') connection.hearUnknownWords?.(() => nodesOwnWords(wordsOf(response), call));
}

/** What the first good response to a call says of the upstreams that had none. */
function learnFromFinal(node: ChainClient, pending: PendingCall, response: UpstreamResponse): void {
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
