import type { CommandResult } from '../end-to-end/operator/operator-processes.ts';

/** Ids of the clauses that came out so. */
export function idsOf({ stdout }: CommandResult, outcome: string): string[] {
  return [...stdout.matchAll(new RegExp(`^${outcome} +(\\S+)`, 'gm'))].map(([, id = '']) => id);
}
