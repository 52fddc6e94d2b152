import { methodFacts } from './method-facts.ts';
import type { MethodClass } from './method-table.ts';

/**
 * Longest time of a call at the node, in milliseconds, unless the stage's time-out is shorter. A read or execution that
 * takes longer is given up, because it occupies the node; it is not billed.
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
  const classes = calls.map(({ method }) => methodFacts(method).class);
  return classes.reduce((slowest, one) => (TIMEOUT_MS[one] > TIMEOUT_MS[slowest] ? one : slowest), 'read');
}
