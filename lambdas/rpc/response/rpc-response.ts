import type { MethodUsage } from 'gateway-access';
import type { BodyPieces } from '../../shared/http/body-pieces.ts';
import type { Call, RefusedCall, UpstreamResponse } from '../../shared/jsonrpc/calls.ts';
import type { Reason } from '../../shared/jsonrpc/error-catalogue.ts';
import { failed } from '../../shared/jsonrpc/match-responses.ts';
import { isKnownMethod, methodFacts } from '../../shared/methods/method-facts.ts';
import type { MethodClass } from '../../shared/methods/method-table.ts';
import { errorLines, type MetricLine, type MetricValues } from '../../shared/runtime/metrics.ts';
import { isRefusedForChain } from '../../shared/upstream/routing/bulkhead.ts';
import { limitBytes } from '../../shared/upstream/routing/pending-call.ts';

/** A call that the gateway refused: it was not sent and costs nothing. */
interface RefusedOutcome {
  readonly refused: RefusedCall;
}

/** A call that may be sent to the node, or why it may not. */
export type ScreenedCall = { readonly call: Call } | RefusedOutcome;

/** A call with its response. */
export interface AnsweredCall {
  readonly call: Call;
  readonly response: UpstreamResponse;
  /** Whether the response came without a call of its own to the node: from the cache, or shared with an equal call. */
  readonly cached: boolean;
}

/** An answered call with its bill; `usage` is undefined if it is not billed. */
interface BilledCall extends AnsweredCall {
  readonly usage: MethodUsage | undefined;
}

/** What became of a call of an admitted request. */
export type CallOutcome = AnsweredCall | RefusedOutcome;

/** The same, with the bill. */
export type BilledOutcome = BilledCall | RefusedOutcome;

/** Outcomes in the order of the request. `answered`: one for each call that was not refused, in their order. */
export function outcomesOf(
  screened: readonly ScreenedCall[],
  answered: readonly AnsweredCall[],
): readonly CallOutcome[] {
  const next = answered.values();
  return screened.map((one) => ('refused' in one ? one : (next.next().value as AnsweredCall)));
}

/** Leaves out the largest results if all together have more than `maxBytes`. What is left out does not count as cached. */
export function limitOutcomes<T extends CallOutcome>(
  outcomes: readonly T[],
  maxBytes: number,
): readonly (T | AnsweredCall)[] {
  const responses = outcomes.map(
    (one): UpstreamResponse =>
      'refused' in one ? { kind: 'failed', error: one.refused.error } : one.response,
  );
  const limited = limitBytes(responses, maxBytes);
  if (limited === responses) return outcomes;
  return outcomes.map((one, place) => (limited[place] === responses[place] ? one : leaveOut(one)));
}

/** The outcome without its result, which is too large. */
export function leaveOut<T extends CallOutcome>(outcome: T): T | AnsweredCall {
  if ('refused' in outcome) return outcome;
  return { call: outcome.call, response: failed('upstream_response_too_large'), cached: false };
}

/** What a request is answered, before it is encoded. */
export interface RpcResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: BodyPieces;
  /** Absent if the request was refused as a whole. */
  readonly figures?: CallFigures;
  /** Why it was refused as a whole. */
  readonly refused?: Reason;
  /** Compute units that are charged. @default none */
  readonly billedCu?: number;
  /** Where its time went. Absent if nothing was sent. */
  readonly times?: RequestTimes;
  /** What is left to do once the response is sent: charge it, and share it with other instances. Never rejects. */
  readonly conclude?: () => Promise<unknown>;
  /** Sends further upstreams what they get of the request: never before the response is sent. Rejects only for a defect. */
  readonly copy?: () => Promise<void>;
  /** Whether its key was found active by the draw from the bucket. @default false */
  readonly admitted?: boolean;
}

/** Times of a request, in milliseconds. */
interface RequestTimes {
  /** Until it was admitted. */
  readonly admissionMs: number;
  /** For the cache and the node, from then on. */
  readonly upstreamMs: number;
}

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
interface ClassFigures {
  readonly calls: number;
  readonly cu: number;
}

/** What became of the calls of a request. */
interface CallFigures {
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

/** The metric of a request that was refused as a whole, by its status. */
const REFUSAL_METRICS: ReadonlyMap<number, MetricValues> = new Map<number, MetricValues>([
  [402, { RefusedForBalance: 1 }],
  [429, { RefusedForRate: 1 }],
  [503, { RefusedForUnavailability: 1 }],
]);

/** A request that has been answered. */
interface AnsweredRequest {
  readonly response: RpcResponse;
  readonly chain: string;
  readonly requestId: string;
  /** Time until its response was ready, in milliseconds. */
  readonly latencyMs: number;
  /** Time for its charge, after the response, in milliseconds. */
  readonly chargeMs: number;
}

/**
 * The metrics of one JSON-RPC request, and how its time was spent. Calls of a single class, the usual case, take one
 * line; a mixed batch takes one more for each further class.
 */
export function requestMetrics({
  response,
  chain,
  requestId,
  latencyMs,
  chargeMs,
}: AnsweredRequest): MetricLine[] {
  const { status, figures, times } = response;
  const dimensions = { Chain: chain };
  const classes = Array.from(figures?.classes ?? [], ([MethodClass, of]) => ({
    by: { MethodClass },
    values: classValues(of),
  }));
  const ofAll = classes.length === 1 ? classes.pop() : undefined;
  const first: MetricLine = {
    values: requestValues(response, latencyMs),
    dimensions,
    fields: {
      requestId,
      status,
      admissionMs: times?.admissionMs,
      ...(figures?.method !== undefined && { method: figures.method }),
      ...(response.billedCu !== undefined && { chargeMs }),
    },
    ...(ofAll !== undefined && { breakdown: ofAll }),
  };
  const apart = classes.map((breakdown) => ({ dimensions, breakdown }));
  const reasons = reasonsOf(response);
  const errors = reasons.size === 0 ? [] : errorLines(dimensions, reasons);
  return [first, ...apart, ...errors];
}

function reasonsOf({ figures, refused }: RpcResponse): ReadonlyMap<string, number> {
  return figures?.errors ?? new Map(refused === undefined ? [] : [[refused, 1]]);
}

function classValues({ calls, cu }: ClassFigures): MetricValues {
  return { Calls: calls, BilledComputeUnits: cu };
}

function requestValues({ status, figures, billedCu, times }: RpcResponse, latencyMs: number): MetricValues {
  const upstreamMs = times?.upstreamMs ?? 0;
  return {
    Requests: 1,
    Calls: figures?.calls ?? 0,
    ...(figures !== undefined && rareCounts(figures)),
    Latency: latencyMs,
    ...(upstreamMs > 0 && { UpstreamLatency: upstreamMs }),
    AddedLatency: Math.max(0, latencyMs - upstreamMs),
    BilledComputeUnits: billedCu ?? 0,
    ...REFUSAL_METRICS.get(status),
  };
}

/** Counts of what most requests have none of. */
function rareCounts({ refused, nodeErrors, unanswered, cached }: CallFigures): MetricValues | undefined {
  if (refused + nodeErrors + unanswered + cached === 0) return undefined;
  return {
    ...(refused > 0 && { RefusedCalls: refused }),
    ...(nodeErrors > 0 && { NodeErrors: nodeErrors }),
    ...(unanswered > 0 && { UnansweredCalls: unanswered }),
    ...(cached > 0 && { CacheHits: cached }),
  };
}
