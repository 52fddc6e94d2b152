import type { Reason } from '../../shared/jsonrpc/error-catalogue.ts';
import { methodFacts } from '../../shared/methods/method-facts.ts';
import type { MethodClass } from '../../shared/methods/method-table.ts';
import { isRefusedForChain } from '../../shared/upstream/routing/bulkhead.ts';
import type { BilledCall, BilledOutcome } from '../outcome/call-outcome.ts';

/** Reason of an error that the node has answered with. */
export const NODE_ERROR = 'node_error';

/** Reasons of calls that failed for want of a node that answers. */
const UNANSWERED: ReadonlySet<string> = new Set<Reason>([
  'upstream_unavailable',
  'no_upstream_response',
  'malformed_upstream_response',
  'node_syncing',
]);

/** What calls of a class came to. */
export interface ClassFigures {
  readonly calls: number;
  readonly cu: number;
}

/** What became of the calls of a request. */
export interface CallFigures {
  readonly calls: number;
  /** Calls that the gateway refused, each by itself, and not for want of a node. */
  readonly refused: number;
  /** Calls that failed for want of a node that answers, whether or not one was asked. */
  readonly unanswered: number;
  /** Calls that were answered from the cache. */
  readonly cached: number;
  /** Calls that the node answered with an error. */
  readonly nodeErrors: number;
  readonly classes: ReadonlyMap<MethodClass, ClassFigures>;
  /** Calls that got an error, by its reason. */
  readonly errors: ReadonlyMap<string, number>;
}

/** Counts what became of the calls of a request. */
export function countCalls(outcomes: readonly BilledOutcome[]): CallFigures {
  const refusals = outcomes.flatMap((one) => ('refused' in one ? [one.refused.error.reason] : []));
  const answered = outcomes.flatMap((one) => ('refused' in one ? [] : [one]));
  const failures = answered.flatMap(({ response }) => {
    if (response.kind === 'failed') return [response.error.reason];
    return response.kind === 'error' ? [NODE_ERROR] : [];
  });
  const withheld = answered.filter(
    ({ response }) => response.kind === 'failed' && isRefusedForChain(response.error),
  ).length;
  return {
    calls: outcomes.length,
    refused: refusals.length - countUnanswered(refusals),
    unanswered: countUnanswered(refusals) + countUnanswered(failures) + withheld,
    cached: answered.filter(({ cached }) => cached).length,
    nodeErrors: failures.filter((reason) => reason === NODE_ERROR).length,
    classes: countClasses(refusals.length, answered),
    errors: countEach([...refusals, ...failures]),
  };
}

function countClasses(refused: number, answered: readonly BilledCall[]): Map<MethodClass, ClassFigures> {
  const classes = new Map<MethodClass, ClassFigures>();
  if (refused > 0) classes.set('refused', { calls: refused, cu: 0 });
  for (const { call, usage } of answered) {
    const name = methodFacts(call.method).class;
    const { calls, cu } = classes.get(name) ?? { calls: 0, cu: 0 };
    classes.set(name, { calls: calls + 1, cu: cu + (usage?.cu ?? 0) });
  }
  return classes;
}

function countUnanswered(reasons: readonly string[]): number {
  return reasons.filter((reason) => UNANSWERED.has(reason)).length;
}

function countEach(reasons: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return counts;
}
