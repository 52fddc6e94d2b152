import type { UpstreamResponse } from '../../shared/jsonrpc/calls.ts';
import type { Reason } from '../../shared/jsonrpc/error-catalogue.ts';
import { isKnownMethod, methodFacts } from '../../shared/methods/method-facts.ts';
import type { MethodClass } from '../../shared/methods/method-table.ts';
import { isRefusedForChain } from '../../shared/upstream/routing/bulkhead.ts';
import type { BilledOutcome } from '../outcome/call-outcome.ts';

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
  /** The method of all calls; absent: there are several, or one that no table has, which is a client's text. */
  readonly method?: string;
  /** Calls that got an error, by its reason. */
  readonly errors: ReadonlyMap<string, number>;
}

/** Counts what became of the calls of a request. */
export function countCalls(outcomes: readonly BilledOutcome[]): CallFigures {
  const classes = new Map<MethodClass, ClassFigures>();
  const errors = new Map<string, number>();
  let [refused, unanswered, cached] = [0, 0, 0];
  for (const one of outcomes) {
    const failure = 'refused' in one ? one.refused.error.reason : failureOf(one.response);
    if (failure !== undefined) errors.set(failure, (errors.get(failure) ?? 0) + 1);
    const isUnanswered = isForWantOfNode(one, failure);
    if (isUnanswered) unanswered += 1;
    if ('refused' in one) {
      if (!isUnanswered) refused += 1;
      addTo(classes, 'refused', 0);
    } else {
      if (one.cached) cached += 1;
      addTo(classes, methodFacts(one.call.method).class, one.usage?.cu ?? 0);
    }
  }
  const nodeErrors = errors.get(NODE_ERROR) ?? 0;
  const method = methodOfAll(outcomes);
  return {
    calls: outcomes.length,
    refused,
    unanswered,
    cached,
    nodeErrors,
    classes,
    errors,
    ...(method !== undefined && { method }),
  };
}

function methodOfAll([first, ...others]: readonly BilledOutcome[]): string | undefined {
  if (first === undefined || 'refused' in first) return undefined;
  const { method } = first.call;
  const isOfAll = others.every((one) => !('refused' in one) && one.call.method === method);
  return isOfAll && isKnownMethod(method) ? method : undefined;
}

function failureOf(response: UpstreamResponse): string | undefined {
  if (response.kind === 'failed') return response.error.reason;
  return response.kind === 'error' ? NODE_ERROR : undefined;
}

function isForWantOfNode(one: BilledOutcome, failure: string | undefined): boolean {
  if (failure === undefined) return false;
  if (UNANSWERED.has(failure)) return true;
  return !('refused' in one) && one.response.kind === 'failed' && isRefusedForChain(one.response.error);
}

function addTo(classes: Map<MethodClass, ClassFigures>, name: MethodClass, moreCu: number): void {
  const { calls, cu } = classes.get(name) ?? { calls: 0, cu: 0 };
  classes.set(name, { calls: calls + 1, cu: cu + moreCu });
}
