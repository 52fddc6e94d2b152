import { NULL_ID } from '../../jsonrpc/calls.ts';
import { isEmptyTrace } from '../../jsonrpc/not-found.ts';
import { hashOfJson } from '../../jsonrpc/quantity.ts';
import { elementAt } from '../../jsonrpc/required-block.ts';
import { RESERVED_FOR_FAILURES } from '../health/retry-budget.ts';
import type { Upstream } from '../upstream.ts';
import { type AttemptTime, attempt } from './attempt.ts';
import type { ChainClient } from './chain-client.ts';
import { PendingCall } from './pending-call.ts';

/** Longest time to ask an upstream whether it knows a transaction, in milliseconds. */
const MAX_ASK_MS = 2_000;
/** A question that has less time than this is not asked, in milliseconds. */
const MIN_ASK_MS = 10;
const NULL = Buffer.from('null');

/** An empty trace, and the question whether its transaction is there. */
interface Question {
  readonly traced: PendingCall;
  readonly asked: PendingCall;
  readonly upstream: Upstream;
}

/** Whether a call got an empty trace: its transaction may not exist. */
export function mayBeUntraced({ call, response }: PendingCall): boolean {
  return response !== undefined && isEmptyTrace(call, response);
}

/**
 * Calls that got an empty trace of a transaction that does not exist. Some nodes answer so for any hash, others for
 * transactions without a step: the upstream that gave the trace is asked which it is. Without a response the trace is believed.
 */
export async function findUntraced(
  calls: readonly PendingCall[],
  node: ChainClient,
  { deadline, signal, held }: AttemptTime,
): Promise<ReadonlySet<PendingCall>> {
  const questions = calls.flatMap((traced) => questionOf(traced) ?? []);
  const until = Math.min(deadline, node.clock.now() + MAX_ASK_MS);
  if (questions.length === 0 || until - node.clock.now() < MIN_ASK_MS) return new Set();
  const payable = questions.filter(
    ({ traced }) => !traced.exhausted && node.budget.take(1, RESERVED_FOR_FAILURES),
  );
  const groups = Map.groupBy(payable, ({ upstream }) => upstream);
  await Promise.all(
    [...groups].map(([upstream, group]) =>
      attempt(node, { upstream, calls: group.map(({ asked }) => asked), deadline: until, signal, held }),
    ),
  );
  return new Set(payable.filter(({ asked }) => saysNull(asked)).map(({ traced }) => traced));
}

function questionOf(traced: PendingCall): Question | undefined {
  const { call, answeredBy: upstream } = traced;
  if (upstream === undefined || !mayBeUntraced(traced)) return undefined;
  const hash = elementAt(call.params, 0);
  if (hashOfJson(hash) === undefined) return undefined;
  const params = Buffer.from(`[${hash}]`);
  return {
    traced,
    asked: new PendingCall({ id: NULL_ID, method: 'eth_getTransactionByHash', params }, traced.sender),
    upstream,
  };
}

function saysNull({ response }: PendingCall): boolean {
  return response?.kind === 'result' && NULL.equals(response.result);
}
