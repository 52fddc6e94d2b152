import { wordsOf } from '../../jsonrpc/error-message.ts';
import { readJson } from '../../jsonrpc/json-values.ts';
import { readRefusal } from '../../jsonrpc/refusal-kind.ts';
import { isNull } from '../../jsonrpc/scan-json.ts';
import { isComparable, sameResponse, tellsOfNodes } from '../agreement/fixed-parts.ts';
import { isPending, type PinnedCall, pinnedCall } from '../agreement/pinned-call.ts';
import type { ChainClient } from '../routing/chain-client.ts';
import { PendingCall } from '../routing/pending-call.ts';
import type { Policy, Rounds, Terms } from '../routing/terms.ts';
import { splitLogs } from './get-logs.ts';

/** Time after which an upstream is asked once more that does not know yet what another knows, in milliseconds. */
const AGAIN_AFTER_MS = 500;
/** A question that has less time than this is not asked, in milliseconds. */
const MIN_ASK_MS = 20;
const SUCCESS_STATUS = 200;

/** Calls of a chain of whose upstreams two have to answer alike: what is asked a second time is the twin of the call. */
export const agreement: Policy = {
  appliesTo: isComparable,
  prepare(pending) {
    const { call, settled } = pending;
    if (settled || call.askedOf !== undefined || isPending(call)) return;
    pending.twins = [sameCall(pending, [pending])];
  },
  again: compareResponses,
};

function sameCall({ call, sender, span, given }: PendingCall, twins: PendingCall['twins'], instead = call) {
  const same = new PendingCall(instead, sender);
  same.span = span;
  same.given = given;
  same.twins = twins;
  return same;
}

/** A call that two upstreams answered differently: once for the client, and once more. */
interface Differing {
  readonly pending: PendingCall;
  readonly witness: PendingCall;
  /** What both are asked in place of the call: about the block that both have, where it is about one that moves. */
  readonly pinned: PinnedCall | undefined;
  /** Whether both have a response that can be distinguished from another. */
  isFinal: boolean;
}

/**
 * Compares what two upstreams said to each call, and asks where that can be for where they are and not for what they say:
 * both for a block by its number, or once more the one that does not know it yet. Where they still differ a third is asked at
 * once, and the response that two give is the call's. One on which no two agree fails.
 */
async function* compareResponses(calls: readonly PendingCall[], terms: Terms): Rounds {
  const { node } = terms;
  const differing = calls.flatMap((pending): readonly Differing[] => {
    const [witness] = pending.twins;
    // The call keeps the error of its own.
    const isAnswered = pending.response !== undefined && pending.response.kind !== 'failed';
    if (witness === undefined || !isAnswered || agree(pending, witness)) return [];
    return [{ pending, witness, pinned: pinnedOf(pending, witness, node), isFinal: true }];
  });
  const pinned = differing.filter((both) => both.pinned !== undefined);
  yield* askAgain(
    pinned.flatMap((both) => [
      [both, both.pending],
      [both, both.witness],
    ]),
  );
  yield* askLate(
    differing.filter((both) => both.pinned === undefined),
    terms,
  );
  const left = differing.filter(({ pending, witness }) => !agree(pending, witness));
  const contradicted = left.flatMap(({ pending, witness, ...both }) => {
    const isFinal = both.isFinal && pending.settled && witness.settled && witness.response?.kind !== 'failed';
    if (!isFinal) return [];
    return [{ pending, witness, third: sameCall(pending, [pending, witness], both.pinned?.call) }];
  });
  yield contradicted.map(({ pending, third }) => ({ call: third, about: pending, isFree: true }));
  yield* splitLogs(
    contradicted.map(({ third }) => third),
    terms,
  );
  const decided = contradicted.filter((one) => decide(one, node)).map(({ pending }) => pending);
  for (const { pending } of left) pending.isDisputed = !decided.includes(pending);
}

/** The call about the block that both upstreams have; undefined where it is about none that moves. */
function pinnedOf(
  { call, answeredBy: one }: PendingCall,
  { answeredBy: other }: PendingCall,
  node: ChainClient,
) {
  if (one === undefined || other === undefined) return undefined;
  const [first, second] = [node.view.headOf(one.index), node.view.headOf(other.index)];
  if (first === undefined || second === undefined) return undefined;
  return pinnedCall(call, first < second ? first : second);
}

/** Asks upstreams once more for the calls that they answered; what they say now counts. */
async function* askAgain(asked: readonly (readonly [Differing, PendingCall])[]): Rounds {
  const questions = asked.map(([both, about]) => {
    const call = new PendingCall(both.pinned?.call ?? about.call, about.sender);
    return { both, about, call, of: about.answeredBy, isFree: true };
  });
  yield questions;
  for (const { both, about, call, of } of questions) {
    const { response, attempts } = call;
    if (response === undefined || response.kind === 'failed') {
      if (attempts > 0) both.isFinal = false;
      continue;
    }
    about.settle(response, of);
    about.asOf = both.pinned?.block;
    if (!call.settled) both.isFinal = false;
  }
}

/** Asks once more the one of two upstreams that does not know yet what the other knows, or one for it if none could be asked. */
async function* askLate(differing: readonly Differing[], { node, deadline, signal }: Terms): Rounds {
  const late = differing.flatMap((both) => {
    const [one, ...others] = [both.pending, both.witness].filter(isLate);
    return one === undefined || others.length > 0 ? [] : [[both, one] as const];
  });
  const mostMs = deadline - node.clock.now() - MIN_ASK_MS;
  if (late.length === 0 || signal.aborted || mostMs < 0) return;
  await node.wait(Math.min(AGAIN_AFTER_MS, mostMs), signal);
  yield* askAgain(late.filter(([, one]) => one.answeredBy !== undefined));
  const unasked = late.flatMap(([, one]) => (one.answeredBy === undefined ? one : []));
  if (unasked.length > 0) await node.head.peek(deadline);
  yield unasked.map((call) => ({ call }));
}

/** Three answers to a call of which the first two differ. */
interface Contradicted extends Pick<Differing, 'pending' | 'witness'> {
  readonly third: PendingCall;
}

/** Makes the response of two out of three the call's, and names the one that stands alone; false if no two agree. */
function decide({ pending, witness, third }: Contradicted, node: ChainClient): boolean {
  const isWith = (one: PendingCall) => third.settled && agree(one, third);
  const [first, second] = [pending.answeredBy, witness.answeredBy];
  const isWithFirst = isWith(pending);
  const isWithSecond = !isWithFirst && isWith(witness);
  const alone = isWithFirst ? second?.name : isWithSecond ? first?.name : undefined;
  const responses = [pending, witness].flatMap(({ response }) => response ?? []);
  if (tellsOfNodes(pending.call, responses)) {
    const said = [pending, witness, third].filter(
      ({ response, settled }) => settled && response?.kind === 'result',
    );
    const upstreams = said.flatMap(({ answeredBy }) => answeredBy?.name ?? []);
    node.onDisagreement({ method: pending.call.method, upstreams, alone });
  }
  if (isWithSecond && witness.response !== undefined) pending.settle(witness.response, second);
  return isWithFirst || isWithSecond;
}

function agree({ call, response }: PendingCall, { response: other }: PendingCall): boolean {
  return response !== undefined && other !== undefined && sameResponse(call.method, response, other);
}

/** Whether an upstream does not know yet what the call is about, or none could be asked that has. */
function isLate({ response, attempts, call }: PendingCall): boolean {
  switch (response?.kind) {
    case undefined:
      return attempts === 0;
    case 'failed':
      return false;
    case 'result':
      return isNull(response.result, 0) || isUnmined(call.method, response.result);
    case 'error': {
      const { code } = response;
      return (
        readRefusal({ method: call.method, status: SUCCESS_STATUS, code, message: wordsOf(response) }) ===
        'unknown'
      );
    }
  }
}

/** Whether a transaction is in no block yet. */
function isUnmined(method: string, result: Uint8Array): boolean {
  if (method !== 'eth_getTransactionByHash') return false;
  return (readJson(result) as { readonly blockHash?: unknown } | null)?.blockHash === null;
}
