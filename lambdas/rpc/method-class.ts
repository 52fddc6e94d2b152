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

/** Class of a method that is let through. */
export function methodClassOf(method: string): MethodClass {
  if (method.startsWith('debug_trace')) return 'trace';
  if (method.startsWith('eth_send')) return 'send';
  return CLASS_BY_METHOD.get(method) ?? 'read';
}
