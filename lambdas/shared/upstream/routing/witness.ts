import type { UpstreamResponse } from '../../jsonrpc/calls.ts';
import { wordsOf } from '../../jsonrpc/error-message.ts';
import { readJson } from '../../jsonrpc/json-values.ts';
import { failed } from '../../jsonrpc/match-responses.ts';
import { readRefusal } from '../../jsonrpc/refusal-kind.ts';
import { isNull } from '../../jsonrpc/scan-json.ts';
import { isPending, type PinnedCall, pinnedCall } from '../agreement/pinned-call.ts';
import { isComparable, sameResponse } from '../agreement/same-response.ts';
import { tellsOfNodes } from '../agreement/told-of.ts';
import type { Upstream } from '../upstream.ts';
import { type AttemptTime, askFurther } from './attempt.ts';
import type { ChainClient } from './chain-client.ts';
import { PendingCall } from './pending-call.ts';
import { serveCalls, type Terms } from './serve-calls.ts';
import { splitLogs } from './split-logs.ts';

/** Time after which an upstream is asked once more that does not know yet what another knows, in milliseconds. */
const AGAIN_AFTER_MS = 500;
/** A question that has less time than this is not asked, in milliseconds. */
const MIN_ASK_MS = 20;
const SUCCESS_STATUS = 200;

/** A call that two upstreams have to answer alike: once for the client, and once more. */
interface Witnessed {
  readonly pending: PendingCall;
  readonly witness: PendingCall;
}

/** A second call for each that two upstreams have to answer alike. */
export function witnessesFor(calls: readonly PendingCall[]): readonly PendingCall[] {
  return calls.flatMap((pending) => {
    const { call, settled, span, given, sender } = pending;
    if (settled || call.askedOf !== undefined || !isComparable(call.method) || isPending(call)) return [];
    const witness = new PendingCall(call, sender);
    witness.span = span;
    witness.given = given;
    witness.twins = [pending];
    pending.twins = [witness];
    return [witness];
  });
}

/** A call that two upstreams answered differently, and what the third is asked. */
interface Contradicted extends Witnessed {
  readonly third: PendingCall;
}

/**
 * Compares what two upstreams said to each call, and asks where that can be for where they are and not for what they say:
 * both for a block by its number, or once more the one that does not know it yet. Where they still differ a third is asked at
 * once, and the response that two give is the call's. Resolves to the errors of calls on which no two agree.
 * `failureOf`: why a call got no second response.
 */
export async function compareResponses(
  witnesses: readonly PendingCall[],
  node: ChainClient,
  terms: Terms,
  failureOf: (witness: PendingCall) => UpstreamResponse,
): Promise<ReadonlyMap<PendingCall, UpstreamResponse>> {
  const errors = new Map<PendingCall, UpstreamResponse>();
  const compared = await Promise.all(
    witnesses.map(async (witness): Promise<readonly Contradicted[]> => {
      const [pending] = witness.twins;
      // The call keeps the error of its own.
      if (pending?.response === undefined || pending.response.kind === 'failed') return [];
      const both = { pending, witness };
      if (agree(both)) return [];
      const asked: Asked = terms.signal.aborted
        ? { isFinal: true }
        : await askWhereTheyAre(both, node, terms);
      if (agree(both)) return [];
      if (asked.isFinal && pending.settled && witness.settled && witness.response?.kind !== 'failed')
        return [{ ...both, third: thirdOf(both, asked.pinned?.call) }];
      errors.set(pending, failureOf(witness));
      return [];
    }),
  );
  const contradicted = compared.flat();
  if (contradicted.length > 0) await askThird(contradicted, node, terms);
  for (const one of contradicted)
    if (!decide(one, node)) errors.set(one.pending, failed('upstream_unavailable'));
  return errors;
}

function thirdOf({ pending, witness }: Witnessed, call = pending.call): PendingCall {
  const third = new PendingCall(call, pending.sender);
  third.span = pending.span;
  third.given = pending.given;
  third.twins = [pending, witness];
  return third;
}

async function askThird(
  contradicted: readonly Contradicted[],
  node: ChainClient,
  terms: Terms,
): Promise<void> {
  if (terms.signal.aborted || terms.deadline - node.clock.now() < MIN_ASK_MS) return;
  const thirds = contradicted.map(({ third }) => third);
  // What the operator wants to know again is paid for once.
  const unpaid = { ...terms, payAgain: async () => true };
  await serveCalls(thirds, node, unpaid);
  await splitLogs(thirds, node, unpaid);
  for (const { pending, third } of contradicted) pending.attempts += third.attempts;
}

/** Makes the response of two out of three the call's, and names the one that stands alone; false if no two agree. */
function decide({ pending, witness, third }: Contradicted, node: ChainClient): boolean {
  const isWith = (one: PendingCall) => third.settled && agree({ pending: one, witness: third });
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

function agree({ pending, witness }: Witnessed): boolean {
  const { response, call } = pending;
  return (
    response !== undefined &&
    witness.response !== undefined &&
    sameResponse(call.method, response, witness.response)
  );
}

/** What became of a question to upstreams that differ. */
interface Asked {
  /** Whether both have a response that can be distinguished from another. */
  readonly isFinal: boolean;
  /** What both were asked in place of the call. */
  readonly pinned?: PinnedCall;
}

async function askWhereTheyAre(both: Witnessed, node: ChainClient, terms: Terms): Promise<Asked> {
  if (terms.deadline - node.clock.now() < MIN_ASK_MS) return { isFinal: true };
  const byNumber = await askByNumber(both, node, terms);
  if (byNumber !== undefined) return byNumber;
  const late = [both.pending, both.witness].filter(isLate);
  const [one] = late;
  if (one === undefined || late.length > 1) return { isFinal: true };
  await node.wait(Math.min(AGAIN_AFTER_MS, terms.deadline - node.clock.now() - MIN_ASK_MS), terms.signal);
  if (one.answeredBy !== undefined)
    return { isFinal: await askAgain({ pending: one, upstream: one.answeredBy }, node, terms) };
  await node.head.peek(terms.deadline);
  await serveCalls([one], node, terms);
  return { isFinal: true };
}

/** Asks both for the block that both have, where the call is about one that moves; undefined where it is not. */
async function askByNumber(
  { pending, witness }: Witnessed,
  node: ChainClient,
  terms: Terms,
): Promise<Asked | undefined> {
  const [one, other] = [pending.answeredBy, witness.answeredBy];
  if (one === undefined || other === undefined) return undefined;
  const [first, second] = [node.view.headOf(one.index), node.view.headOf(other.index)];
  if (first === undefined || second === undefined) return undefined;
  const pinned = pinnedCall(pending.call, first < second ? first : second);
  if (pinned === undefined) return undefined;
  const areFinal = await Promise.all([
    askAgain({ pending, upstream: one, pinned }, node, terms),
    askAgain({ pending: witness, upstream: other, pinned }, node, terms),
  ]);
  return { isFinal: areFinal.every((isFinal) => isFinal), pinned };
}

/** A question to the upstream that has answered a call. `pinned`: about this block in place of the call's. */
interface Question {
  readonly pending: PendingCall;
  readonly upstream: Upstream;
  readonly pinned?: PinnedCall;
}

/** Asks an upstream once more; what it says now counts. Resolves to false if it says nothing that is final. */
async function askAgain(
  { pending, upstream, pinned }: Question,
  node: ChainClient,
  terms: AttemptTime,
): Promise<boolean> {
  const again = new PendingCall(pinned?.call ?? pending.call, pending.sender);
  await askFurther(node, upstream, [again], terms);
  pending.attempts += again.attempts;
  if (again.response === undefined || again.response.kind === 'failed') return false;
  pending.settle(again.response, upstream);
  pending.asOf = pinned?.block;
  return again.settled;
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
