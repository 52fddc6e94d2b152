import { UpstreamError, type UpstreamErrorKind } from '../../http/upstream-error.ts';
import type { Call, UpstreamResponse } from '../../jsonrpc/calls.ts';
import type { Reason } from '../../jsonrpc/error-catalogue.ts';
import { failed } from '../../jsonrpc/match-responses.ts';
import { methodFacts, readsState } from '../../methods/method-facts.ts';
import { classifyHead, reportedHead } from '../head/answered-head.ts';
import type { Load } from '../health/upstream-health.ts';
import type { Upstream } from '../upstream.ts';
import { askHead } from './ask-head.ts';
import type { ChainClient } from './chain-client.ts';
import { classifyResponse, factsOf, mayBeAbsent, type ResponseClass } from './classify-response.ts';
import type { BesideQuestion } from './head-tracker.ts';
import {
  type JudgedResponse,
  type KnownOfAbsent,
  learnFromResponse,
  takeStanding,
} from './learn-responses.ts';
import type { PendingCall } from './pending-call.ts';
import { type SendOutcome, sendCalls } from './send-calls.ts';
import type { Terms } from './terms.ts';

const REASONS: Readonly<Record<Exclude<UpstreamErrorKind, 'aborted' | 'no_room'>, Reason>> = {
  unreachable: 'upstream_unavailable',
  closed: 'upstream_unavailable',
  timeout: 'no_upstream_response',
  malformed: 'malformed_upstream_response',
  too_large: 'upstream_response_too_large',
  wrong_chain: 'upstream_unavailable',
};

/** Failures that say nothing of the upstream. */
const BLAMELESS: ReadonlySet<UpstreamErrorKind> = new Set<UpstreamErrorKind>([
  'aborted',
  'no_room',
  'too_large',
]);

/** Rule of the refusal of a large result, returned as `error.data.rule`. */
export const NO_ROOM_RULE = 'large_results';
const NO_ROOM: UpstreamResponse = {
  kind: 'failed',
  error: { reason: 'gateway_overloaded', details: { rule: NO_ROOM_RULE } },
};

/** A batch of more calls takes long whatever they are. */
const MAX_LIGHT_CALLS = 10;

/** Longest time that is taken to ask an upstream about its head, in milliseconds. */
const MAX_LOOK_MS = 1_000;

/** Nodes close connections that are idle for longer, in milliseconds. */
const IDLE_MS = 2_000;

/** Calls that are sent to an upstream together. */
interface Attempt
  extends Pick<Terms, 'deadline' | 'known' | 'learn' | 'held'>,
    Partial<Pick<Terms, 'signal'>> {
  readonly upstream: Upstream;
  readonly calls: readonly PendingCall[];
}

/** One that is on its way, or over. */
interface SentAttempt extends Pick<Attempt, 'upstream' | 'calls' | 'deadline'> {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** What was asked beside the calls. */
  readonly question: BesideQuestion | undefined;
}

/** What a request with these calls asks of a node. */
export function loadOf(calls: readonly PendingCall[]): Load {
  const heavy =
    calls.length > MAX_LIGHT_CALLS || calls.some(({ call }) => methodFacts(call.method).heavy === true);
  return heavy ? 'heavy' : 'light';
}

/**
 * Sends calls to an upstream, offers them its responses, and records its performance. Resolves to false if the attempt
 * was abandoned before there was a response.
 */
export async function attempt(node: ChainClient, asked: Attempt): Promise<boolean> {
  const { upstream, calls, deadline, signal, known, held } = asked;
  const startedAt = node.clock.now();
  const head = node.view.headOf(upstream.index);
  for (const call of calls) call.sendTo(upstream, head);
  try {
    const admitted = !upstream.health.isHeld && (upstream.pace?.admits(calls.length) ?? true);
    if (admitted !== true && !(await admitted)) {
      // The stage file allows the upstream no more calls for now, or an operator none.
      for (const call of calls) {
        call.attempts -= 1;
        call.offer(failed('gateway_overloaded'), 'limited', upstream);
      }
      return true;
    }
    const sending = sendCalls(upstream, {
      calls: calls.map(({ call }) => call),
      deadline,
      signal,
      held,
      // A connection that was idle for long was closed before it carried anything: that is no attempt.
      mayRepeat: () => upstream.health.sinceSuccessMs > IDLE_MS || repeat(node, calls),
      maySplit: () => repeat(node, calls),
    });
    const question = askBeside(node, upstream, calls);
    const sent: SentAttempt = { upstream, calls, deadline, startedAt, question };
    const outcome = await sending;
    if (known !== undefined) await known;
    const stoodBy = takeHeads(node, sent, outcome);
    if (question !== undefined || isDoubtful(node, upstream)) await lookAtHeads(node, sent, stoodBy);
    const absent = node.upstreams.length === 1 ? [] : absentOf(calls, outcome);
    const answered = { head: node.view.head, own: node.view.headOf(upstream.index) };
    const learnt = absent.length === 0 ? undefined : await asked.learn?.(absent, deadline);
    takeResponses(node, sent, outcome, { ...answered, learnt });
    return true;
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    takeError(asked, error);
    return error.kind !== 'aborted';
  }
}

/** Calls of which the upstream may say that there is no such thing. */
function absentOf(calls: readonly PendingCall[], { responses }: SendOutcome): readonly Call[] {
  return calls.flatMap((pending, place) => {
    const response = responses[place];
    return response !== undefined && mayBeAbsent(pending, response) ? [pending.call] : [];
  });
}

/** Counts one more attempt at each call; false if one of them may have no more. */
function repeat(node: ChainClient, calls: readonly PendingCall[]): boolean {
  if (calls.some(({ exhausted }) => exhausted) || !node.budget.take(calls.length)) return false;
  for (const call of calls) call.attempts += 1;
  return true;
}

/** Asks for the head beside calls that depend on where the upstream is. A single upstream is not chosen by that. */
function askBeside(
  node: ChainClient,
  upstream: Upstream,
  calls: readonly PendingCall[],
): BesideQuestion | undefined {
  const needs = calls.filter(
    ({ need, call }) =>
      need.kind === 'head' ||
      (node.upstreams.length > 1 ? need.kind !== 'none' : need.kind === 'block' && readsState(call.method)),
  );
  return needs.length === 0
    ? undefined
    : node.head.askBeside(
        upstream,
        needs.map(({ need }) => need),
      );
}

/**
 * If an upstream that was asked beside its calls shows an old block, or another one was further on when it was last
 * known, the responses are judged by what the others say now.
 */
async function lookAround(
  node: ChainClient,
  upstream: Upstream,
  question: BesideQuestion,
  deadline: number,
): Promise<void> {
  const { view, clock, upstreams } = node;
  const own = view.headOf(upstream.index) ?? -1n;
  const isLate = view.looksLate(upstream.index);
  const asked = upstreams.filter(({ index, health }) => {
    const isHeard = (view.reportedAt(index) ?? Number.NEGATIVE_INFINITY) >= question.askedAt;
    return (
      index !== upstream.index && health.usable && !isHeard && (isLate || (view.headOf(index) ?? -1n) > own)
    );
  });
  const until = Math.min(deadline, clock.now() + MAX_LOOK_MS);
  await Promise.all(asked.map((other) => askHead(node, other, until)));
}

/** Records the heads that responses contain. Returns the one that the upstream stood by before. */
function takeHeads(
  { view, clock }: ChainClient,
  { upstream: { index }, calls, startedAt }: SentAttempt,
  { responses }: SendOutcome,
): bigint {
  const stoodBy = view.headOf(index) ?? 0n;
  calls.forEach(({ call }, position) => {
    const told = reportedHead(call, responses[position] as UpstreamResponse);
    if (told !== undefined) view.report(index, told, clock.now(), startedAt);
  });
  return stoodBy;
}

/** Whether an upstream is to be asked where it is: it jumped far ahead, or reports less than it stands by. */
function isDoubtful({ view }: ChainClient, { index }: Upstream): boolean {
  return view.needsLook(index) || view.isDoubted(index);
}

/**
 * An upstream that jumped far ahead is asked to show its block; one that reports less than it stands by is asked which is
 * true. If the chain went back, the others are asked how far.
 */
async function lookAtHeads(
  node: ChainClient,
  { upstream, deadline, question }: SentAttempt,
  stoodBy: bigint,
): Promise<void> {
  const { view, clock, upstreams } = node;
  const { index } = upstream;
  const isAnswered = (await question?.answered()) === true;
  if (question !== undefined && isAnswered) await lookAround(node, upstream, question, deadline);
  if (!isDoubtful(node, upstream)) return;
  const until = Math.min(deadline, clock.now() + MAX_LOOK_MS);
  await askHead(node, upstream, until);
  if ((view.headOf(index) ?? stoodBy) >= stoodBy) return;
  const others = upstreams.filter((other) => other !== upstream && other.health.usable);
  await Promise.all(others.map((other) => askHead(node, other, until)));
}

function takeResponses(
  node: ChainClient,
  { upstream, calls, startedAt, question }: SentAttempt,
  outcome: SendOutcome,
  known: KnownOfAbsent,
): void {
  const { statuses, responses } = outcome;
  const behind = node.view.isBehind(upstream.index);
  const verdicts = calls.map((pending, index): ResponseClass => {
    const response = responses[index] as UpstreamResponse;
    const ofHead = classifyHead(pending.call, response, node.view);
    if (ofHead !== undefined) return ofHead;
    const { need, customTracer } = pending;
    // Chosen by what was known long ago, and found to be behind.
    if (question !== undefined && behind && need.kind === 'head' && response.kind === 'result')
      return 'unknown_behind';
    return classifyResponse(response, {
      call: pending.call,
      need,
      customTracer,
      behind,
      status: statuses[index] ?? 0,
      head: node.view.head,
    });
  });
  const standing = verdicts.every((verdict) => verdict === 'final')
    ? 'well'
    : takeStanding(node, upstream, { calls, outcome, verdicts });
  if (standing === 'well') upstream.health.succeeded(node.clock.now() - startedAt, loadOf(calls));
  for (const [index, pending] of calls.entries()) {
    const response = responses[index] as UpstreamResponse;
    const verdict = verdicts[index] as ResponseClass;
    if (response.kind === 'result') learnFromResult(upstream, pending);
    const judged = { upstream, pending, response, verdict };
    const learnt = isPlain(judged)
      ? judged
      : learnFromResponse(node, judged, { ...known, standing, status: statuses[index] ?? 0 });
    if (pending.idempotent || factsOf(learnt.verdict).isUndone)
      pending.offer(learnt.response, learnt.verdict, upstream);
    // It has arrived, whatever came of it: it must not be sent again.
    else pending.settle(learnt.response, upstream);
  }
}

/** Whether a response is a final result of a call that was sent once: most are, and there is nothing to weigh. */
function isPlain({ pending, response, verdict }: JudgedResponse): boolean {
  return verdict === 'final' && response.kind === 'result' && pending.attempts === 1 && pending.owed === 0;
}

/** Notes what the upstream has and takes, also if it was thought not to. */
function learnFromResult({ health, lessons }: Upstream, { call, span }: PendingCall): void {
  health.answeredMethod(call.method);
  if (span !== undefined) lessons.answeredRange(span);
}

/**
 * What becomes of calls without a response. What acts and was sent may have arrived: it must not be sent again. All else can
 * be: at once, or once there is room, of which no other upstream has any.
 */
function takeError({ upstream, calls }: Attempt, { kind, sent }: UpstreamError): void {
  // A call can be too much for any node: clients must not be able to take a healthy one out of use.
  const isBlameless = BLAMELESS.has(kind) || (kind === 'timeout' && loadOf(calls) === 'heavy');
  if (!isBlameless) upstream.health.failed();
  for (const pending of calls) {
    const mayBeRepeated = pending.idempotent || !sent;
    if (kind === 'aborted' || kind === 'no_room') {
      if (!mayBeRepeated) pending.settle(failed('no_upstream_response'), upstream);
      else if (kind === 'no_room') pending.settle(NO_ROOM, upstream);
    } else if (mayBeRepeated) pending.offer(failed(REASONS[kind]), verdictOfFailure(kind, calls), upstream);
    else pending.settle(failed(REASONS[kind]), upstream);
  }
}

/** What is too large is so everywhere, unless it was for other calls. */
function verdictOfFailure(kind: UpstreamErrorKind, calls: readonly PendingCall[]): ResponseClass {
  if (kind !== 'too_large') return 'failed';
  return calls.length > 1 ? 'batch_too_large' : 'final';
}
