/** Methods by what they cost a node, coarse enough for a dimension of a metric. */
export const METHOD_CLASSES = ['read', 'execution', 'logs', 'trace', 'send', 'refused'] as const;

/** `refused`: the gateway has not let it through; `read`: everything that is no other. */
export type MethodClass = (typeof METHOD_CLASSES)[number];

const CLASS_BY_METHOD: ReadonlyMap<string, MethodClass> = new Map([
  ['eth_call', 'execution'],
  ['eth_createAccessList', 'execution'],
  ['eth_estimateGas', 'execution'],
  ['eth_simulateV1', 'execution'],
  ['eth_getLogs', 'logs'],
]);

/**
 * Longest time of a call at the node, in milliseconds, unless the stage's time-out is shorter. A read or execution that
 * takes longer is not worth the resources it holds, and is not billed.
 */
const TIMEOUT_MS: Readonly<Record<MethodClass, number>> = {
  read: 10_000,
  execution: 10_000,
  logs: 20_000,
  trace: 30_000,
  send: 20_000,
  refused: 0,
};

/** Longest time that a node has for calls that are sent together, in milliseconds. */
export function timeoutOf(calls: readonly { readonly method: string }[]): number {
  return TIMEOUT_MS[slowestClassOf(calls)];
}

/** The class of calls sent together: the one with the longest time. */
export function slowestClassOf(calls: readonly { readonly method: string }[]): MethodClass {
  const classes = calls.map(({ method }) => methodClassOf(method));
  return classes.reduce((slowest, one) => (TIMEOUT_MS[one] > TIMEOUT_MS[slowest] ? one : slowest), 'read');
}

/** Class of a method that is let through. */
export function methodClassOf(method: string): MethodClass {
  if (method.startsWith('debug_trace')) return 'trace';
  if (method.startsWith('eth_send')) return 'send';
  return CLASS_BY_METHOD.get(method) ?? 'read';
}
