import { type Call, MAX_BATCH_CALLS, type UpstreamResponse } from '../../jsonrpc/calls.ts';
import type { CataloguedError } from '../../jsonrpc/error-catalogue.ts';
import { failed, normaliseNotFound } from '../../jsonrpc/match-responses.ts';
import { slowestClassOf, timeoutOf } from '../../methods/method-facts.ts';
import { type Soon, whenThere } from '../../runtime/soon.ts';
import {
  dependsOnHead,
  leastBlock,
  minBlockNotReached,
  monotonicHead,
  reportedHead,
} from '../head/answered-head.ts';
import { mayBeEmpty } from '../policies/traces.ts';
import { LIMITED_RULE, limitedError, refusedByAll } from '../routing/able-upstreams.ts';
import { ROUGH_HEAD_MAX_AGE_MS } from '../routing/ask-head.ts';
import { NO_ROOM_RULE } from '../routing/attempt.ts';
import type { ChainClient } from '../routing/chain-client.ts';
import { mayBeAbsent, saysAbsent } from '../routing/classify-response.ts';
import { limitBytes, mergeEqualCalls, PendingCall } from '../routing/pending-call.ts';
import type { Sender, Terms } from '../routing/terms.ts';
import { answer, policiesOf } from './ask.ts';

/** A request with less time than this is not begun, in milliseconds. */
const MIN_TIME_MS = 10;

/**
 * Gets calls answered by a chain's upstreams, in the order of the calls. Equal calls are sent once. Every failure of an
 * upstream becomes a response; only a defect of the gateway rejects.
 * @param until deadline in milliseconds since the epoch; the class of the calls can shorten it
 */
export async function dispatch(
  calls: readonly Call[],
  node: ChainClient,
  until: number,
  sender: Sender = {},
): Promise<readonly UpstreamResponse[]> {
  if (calls.length > MAX_BATCH_CALLS) throw new Error(`${calls.length} calls for one batch`);
  if (calls.length === 0) return [];
  const watched = node.head.watch();
  if (watched instanceof Promise) await watched;
  const deadline = Math.min(until, node.clock.now() + timeoutOf(calls));
  if (deadline - node.clock.now() < MIN_TIME_MS || !node.slots.take()) {
    return calls.map(() => failed('gateway_overloaded'));
  }
  try {
    const entered = node.bulkhead.enter(slowestClassOf(calls), sender.keyId);
    const turn = entered instanceof Promise ? await entered : entered;
    if (!('signal' in turn)) return calls.map(() => ({ kind: 'failed', error: turn }));
    try {
      return await serve(calls, { ...sender, node, deadline, signal: turn.signal });
    } finally {
      turn.leave();
    }
  } finally {
    node.slots.giveBack();
  }
}

async function serve(calls: readonly Call[], terms: Terms): Promise<readonly UpstreamResponse[]> {
  const { node, keyId, onServed } = terms;
  const { distinct, positions } = mergeEqualCalls(calls);
  const pending = distinct.map((call) => new PendingCall(call, terms));
  node.budget.earn(pending.length);
  const share = keyId === undefined ? undefined : node.refusedWords.shareOf(keyId);
  share?.earn(pending.length);
  const learning = learnHeads(pending, terms);
  const isKnown = learning instanceof Promise ? await learning : learning;
  for (const one of pending) prepare(one, terms);
  await answer(pending, terms, isKnown);
  const responses = pending.map((one) => finalResponse(one, terms));
  const sent = pending.flatMap((one) => [one, ...one.twins]);
  share?.owe(sent.reduce((sum, one) => sum + (one.owed > 0 && !hasFound(one) ? one.owed : 0), 0));
  onServed?.({
    attempts: sent.reduce((sum, one) => sum + one.attempts, 0),
    upstreams: pending.flatMap(({ answeredBy }) => answeredBy?.name ?? []),
  });
  return limitBytes(
    positions.map((position) => responses[position] as UpstreamResponse),
    node.maxResponseBytes,
  );
}

/** Notes what is known of a call before it is sent; settles one that no upstream can answer by the stage file. */
function prepare(one: PendingCall, terms: Terms): void {
  const { node, given, minBlock } = terms;
  if (one.need.kind === 'head') one.given = given?.state;
  for (const policy of policiesOf(one)) policy.prepare?.(one, terms);
  one.least = leastBlock(one.call, one.need, minBlock);
  if (one.least !== undefined && one.least > (one.given ?? -1n)) one.given = one.least;
  const beyond = refusedByAll(node, one);
  if (beyond !== undefined) one.settle({ kind: 'failed', error: beyond });
}

/**
 * Learns the heads of several upstreams, by which the right one is chosen. They may be some seconds old, but not for logs: an
 * upstream that lacks a part of a range does not say so. Whether they are known well enough: at once where nothing is asked.
 */
function learnHeads(
  pending: readonly PendingCall[],
  { node: { upstreams, head, view }, deadline }: Terms,
): Soon<boolean> {
  // Where none is in step none gets a call for the newest block, until one is known to be in step again.
  const isSyncing = head.isSyncing();
  const hasChoice = upstreams.length > 1 || isSyncing;
  if (!hasChoice || pending.every(({ need }) => need.kind === 'none')) return true;
  const hasAll = ({ need }: PendingCall) =>
    need.kind !== 'logs' || upstreams.some(({ index }) => view.has(index, need.to));
  const maxAgeMs = isSyncing ? undefined : ROUGH_HEAD_MAX_AGE_MS;
  const looking = pending.every(hasAll) ? head.glance(deadline, maxAgeMs) : head.peek(deadline, maxAgeMs);
  return whenThere(looking, (known) => known !== undefined);
}

function hasFound(pending: PendingCall): boolean {
  const { response } = pending;
  return response?.kind === 'result' && !mayBeAbsent(pending, response) && !mayBeEmpty(pending);
}

/** The response that a call gets, once no further attempt is made. */
function finalResponse(pending: PendingCall, terms: Terms): UpstreamResponse {
  const { node } = terms;
  const { call, need, response, answeredBy, attempts, verdicts, settled } = pending;
  const { aborted, reason } = terms.signal;
  if (response === undefined && aborted) return { kind: 'failed', error: reason as CataloguedError };
  // A limit is why only where it took the second response away: two that differ are both there.
  const [witness] = pending.isDisputed ? pending.twins : [];
  if (witness !== undefined)
    return { kind: 'failed', error: limitOf(witness, node) ?? { reason: 'upstream_unavailable' } };
  if (answeredBy !== undefined && !settled && verdicts.get(answeredBy) === 'unknown_behind')
    if (node.view.isBehind(answeredBy.index))
      return { kind: 'failed', error: limitedError(node, need) ?? { reason: 'node_syncing' } };
  const judged = response && judge(pending, response, terms);
  if (judged?.kind === 'failed' && judged !== response) return judged;
  const { view, upstreams } = node;
  const limited = limitOf(pending, node);
  const incomplete = upstreams.some(
    (upstream) => verdicts.get(upstream) !== 'behind_served_head' && view.has(upstream.index, view.served),
  );
  const held = monotonicHead(
    call,
    { response: limited === undefined ? judged : undefined, incomplete },
    node,
  );
  if (held === undefined && limited !== undefined) return { kind: 'failed', error: limited };
  // No upstream could be asked, or none had more than a response of the past.
  if (held === undefined) return failed(attempts === 0 ? 'node_syncing' : 'upstream_unavailable');
  const given = normaliseNotFound(call, held);
  const asOf =
    need.kind === 'head'
      ? (reportedHead(call, given)?.number ?? pending.asOf ?? pending.headBefore)
      : undefined;
  if (isBelowLeast(pending, held, asOf)) return { kind: 'failed', error: minBlockNotReached(node.view.head) };
  if (given.kind !== 'result') return given;
  const isOwn = given === judged && answeredBy !== undefined;
  return { ...given, ...(isOwn && { from: answeredBy.index }), ...(asOf !== undefined && { asOf }) };
}

function judge(one: PendingCall, response: UpstreamResponse, terms: Terms): UpstreamResponse {
  return policiesOf(one).reduce((judged, policy) => policy.judge?.(one, judged, terms) ?? judged, response);
}

/** Whether the upstream of a response is not as far as the request wants it to be. `asOf`: a block that it shows. */
function isBelowLeast(pending: PendingCall, response: UpstreamResponse, asOf: bigint | undefined): boolean {
  const { call, need, least, headBefore = -1n } = pending;
  if (least === undefined || (asOf ?? pending.asOf ?? headBefore) >= least) return false;
  if (response.kind === 'failed') return response.error.reason === 'transaction_not_found';
  return dependsOnHead(call, need) || saysAbsent(pending, response);
}

/** The error for a call that failed because upstreams are limited; undefined if that is not why. */
function limitOf(
  { need, idempotent, response, attempts }: PendingCall,
  node: ChainClient,
): CataloguedError | undefined {
  const acts = !idempotent;
  if (response === undefined) return attempts === 0 ? limitedError(node, need, { acts }) : undefined;
  if (response.kind !== 'failed') return undefined;
  const { reason, details } = response.error;
  if (details?.rule === NO_ROOM_RULE) return undefined;
  if (reason === 'gateway_overloaded') {
    return limitedError(node, need, { acts }) ?? { reason, details: { rule: LIMITED_RULE } };
  }
  // What acts may have arrived; what is too large, or not there, is so everywhere.
  if (acts || reason === 'upstream_response_too_large' || reason === 'transaction_not_found')
    return undefined;
  return limitedError(node, need);
}
