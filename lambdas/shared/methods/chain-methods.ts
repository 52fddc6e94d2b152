import type { ChainMethods } from '../runtime/settings.ts';
import { isMethodAvailable, matchesPattern } from './method-policy.ts';
import { ALLOWED_PATTERNS, BLOCKED_METHODS } from './method-table.ts';

/** Which methods a chain serves, as methods and patterns. A denial wins. */
export interface EffectiveMethods {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** Whether calls of a method are passed on to a chain: it is available at all, and the chain does not leave it out. */
export function isMethodServed(method: string, { allow, deny }: ChainMethods = {}): boolean {
  const matches = (pattern: string) => matchesPattern(method, pattern);
  return isMethodAvailable(method) && allow?.some(matches) !== false && deny?.some(matches) !== true;
}

/** What the policy of every chain and the chain's own come to. */
export function effectiveMethods({ allow, deny }: ChainMethods = {}): EffectiveMethods {
  return {
    allow: allow ?? ALLOWED_PATTERNS,
    deny: [...new Set([...BLOCKED_METHODS, ...(deny ?? [])])],
  };
}
