import { longestFirst } from './method-policy.ts';
import {
  DEFAULT_WEIGHT,
  METHODS,
  type MethodClass,
  type MethodFacts,
  type MethodNeed,
  PREFIXES,
} from './method-table.ts';

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

const FACTS_BY_NAME: ReadonlyMap<string, MethodFacts> = new Map(METHODS.map((row) => [row.name, row]));
const LONGEST_PREFIX_FIRST = longestFirst(PREFIXES, ({ prefix }) => prefix);
/** How methods end whose first parameter is a hash. */
const HASH_NAME = /Hash(?:AndIndex)?$/;
const UNKNOWN: MethodFacts = { class: 'read', needs: 'head' };

/** Compute units of a call, by method or pattern: every weight that is not the default one. */
export const WEIGHTS: readonly (readonly [pattern: string, cu: number])[] = [
  ...METHODS.flatMap(({ name, cu }) => (cu === undefined ? [] : [[name, cu] as const])),
  ...PREFIXES.flatMap(({ prefix, cu }) => (cu === undefined ? [] : [[`${prefix}*`, cu] as const])),
];

/** Whether a method has a row of its own in the table. */
export function isKnownMethod(method: string): boolean {
  return FACTS_BY_NAME.has(method);
}

/** What is known of any method: its row, or what its name says. */
export function methodFacts(method: string): MethodFacts {
  const facts = FACTS_BY_NAME.get(method);
  if (facts !== undefined) return facts;
  const named = prefixesOf(method)[0] ?? UNKNOWN;
  return HASH_NAME.test(method) ? { ...named, needs: 'hash' } : named;
}

/** Compute units of a call: those of the method itself, or of the longest pattern, or the default. */
export function weightOf(method: string): number {
  const weight = FACTS_BY_NAME.get(method)?.cu ?? prefixesOf(method).find(({ cu }) => cu !== undefined)?.cu;
  return weight ?? DEFAULT_WEIGHT;
}

/** Whether a node may see a call of the method twice, and answer equal calls once: it changes nothing. */
export function isIdempotent(method: string): boolean {
  return methodFacts(method).class !== 'send';
}

/** Place of the parameter that names the block which a call needs. */
export function placeOfBlock(needs: Extract<MethodNeed, object>): number {
  return 'stateAt' in needs ? needs.stateAt : needs.blockAt;
}

/** Whether a method reads state, which nodes keep for their newest blocks only. */
export function readsState(method: string): boolean {
  const { needs } = methodFacts(method);
  return typeof needs === 'object' && 'stateAt' in needs;
}

function prefixesOf(method: string): (typeof PREFIXES)[number][] {
  return LONGEST_PREFIX_FIRST.filter(({ prefix }) => method.startsWith(prefix));
}

/** Longest time that a node has for calls that are sent together, in milliseconds. */
export function timeoutOf(calls: readonly { readonly method: string }[]): number {
  return TIMEOUT_MS[slowestClassOf(calls)];
}

/** The class of calls sent together: the one with the longest time. */
export function slowestClassOf(calls: readonly { readonly method: string }[]): MethodClass {
  const classes = calls.map(({ method }) => methodFacts(method).class);
  return classes.reduce((slowest, one) => (TIMEOUT_MS[one] > TIMEOUT_MS[slowest] ? one : slowest), 'read');
}
