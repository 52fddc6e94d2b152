import { ALLOWED_PATTERNS, BLOCKED_METHODS, DEFAULT_WEIGHT, WEIGHTS } from './method-table.ts';

const WILDCARD = '*';
const BLOCKED: ReadonlySet<string> = new Set(BLOCKED_METHODS);
const EXACT_WEIGHTS: ReadonlyMap<string, number> = new Map(WEIGHTS);
/** Weights of patterns by their prefix, the longest first. */
const PREFIX_WEIGHTS = WEIGHTS.filter(([pattern]) => pattern.endsWith(WILDCARD))
  .map(([pattern, cu]) => [pattern.slice(0, -WILDCARD.length), cu] as const)
  .sort(([a], [b]) => b.length - a.length);
/** No name has these: a node might cut or replace them, and so run a method that was not the one judged. */
const CONTROLS_AND_LONE_SURROGATES = /[\p{Cc}\p{Cs}]/u;

/** Whether calls of a method are passed on. A block wins over a pattern that allows. */
export function isMethodAvailable(method: string): boolean {
  if (BLOCKED.has(method) || CONTROLS_AND_LONE_SURROGATES.test(method)) return false;
  return ALLOWED_PATTERNS.some((pattern) => matchesPattern(method, pattern));
}

/** Compute units of a call: those of the method itself, or of the longest pattern, or the default. */
export function weightOf(method: string): number {
  const exact = EXACT_WEIGHTS.get(method);
  if (exact !== undefined) return exact;
  return PREFIX_WEIGHTS.find(([prefix]) => method.startsWith(prefix))?.[1] ?? DEFAULT_WEIGHT;
}

/** Whether a method is the one that a pattern names, or one of those. */
export function matchesPattern(method: string, pattern: string): boolean {
  return pattern.endsWith(WILDCARD)
    ? method.startsWith(pattern.slice(0, -WILDCARD.length))
    : method === pattern;
}
