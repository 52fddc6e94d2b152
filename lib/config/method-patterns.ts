import { ALLOWED_PATTERNS, BLOCKED_METHODS } from '../../lambdas/shared/methods/method-table.ts';

const PATTERN = /^[A-Za-z0-9_]{1,100}\*?$/;

/** Form of an entry of a chain's method policy, for its error message. */
export const METHOD_PATTERN_FORM = `a method name, or a prefix followed by *, within ${ALLOWED_PATTERNS.join(', ')} and not blocked`;

/** Whether a method or pattern only narrows what every chain allows. */
export function isWithinPolicy(pattern: string): boolean {
  if (!PATTERN.test(pattern) || BLOCKED_METHODS.includes(pattern)) return false;
  const start = pattern.replace('*', '');
  return ALLOWED_PATTERNS.some((allowed) => start.startsWith(allowed.replace('*', '')));
}
