import { ALLOWED_PATTERNS, BLOCKED_METHODS } from './method-table.ts';

const WILDCARD = '*';
const BLOCKED: ReadonlySet<string> = new Set(BLOCKED_METHODS);
/** No name has these: a node might cut or replace them, and so run a method that was not the one judged. */
const CONTROLS_AND_LONE_SURROGATES = /[\p{Cc}\p{Cs}]/u;

/** Whether calls of a method are passed on. A block wins over a pattern that allows. */
export function isMethodAvailable(method: string): boolean {
  if (BLOCKED.has(method) || CONTROLS_AND_LONE_SURROGATES.test(method)) return false;
  return ALLOWED_PATTERNS.some((pattern) => matchesPattern(method, pattern));
}

/** Whether a method is the one that a pattern names, or one of those. */
export function matchesPattern(method: string, pattern: string): boolean {
  return pattern.endsWith(WILDCARD)
    ? method.startsWith(pattern.slice(0, -WILDCARD.length))
    : method === pattern;
}

/** Patterns with what they stand for, in the order in which a name looks for its own: the longest is the narrowest. */
export function longestFirst<Row>(rows: readonly Row[], patternOf: (row: Row) => string): readonly Row[] {
  const ranked = rows.map((row) => ({ row, length: patternOf(row).length }));
  return ranked.sort((one, other) => other.length - one.length).map(({ row }) => row);
}
