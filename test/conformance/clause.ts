import { AssertionError } from 'node:assert';
import type { Probe } from './probe.ts';

/** Ends if a clause holds; throws an `AssertionError` where it differs, {@link Skipped} where it cannot be seen. */
export type Check = (probe: Probe) => Promise<void>;

/** The checks of clauses, by their ids in `api/contract.yaml`. */
export type Checks = Readonly<Record<string, Check>>;

/** A clause of the contract that is asked of a running gateway. */
export interface AskedClause {
  readonly id: string;
  readonly words: string;
  readonly check: Check;
}

/** Why a clause cannot be seen at this gateway at the moment. */
export class Skipped extends Error {}

/** What became of a clause. */
export type Outcome =
  | { readonly kind: 'holds' }
  /** `reason`: what was seen instead, or why nothing could be. */
  | { readonly kind: 'differs' | 'skipped'; readonly reason: string };

/** Checks a clause. Whatever goes wrong on the way, such as a connection that fails, is a difference. */
export async function checkClause(clause: AskedClause, probe: Probe): Promise<Outcome> {
  try {
    await clause.check(probe);
    return { kind: 'holds' };
  } catch (error) {
    if (error instanceof Skipped) return { kind: 'skipped', reason: error.message };
    if (error instanceof AssertionError) return { kind: 'differs', reason: firstLines(error.message) };
    return { kind: 'differs', reason: String(error) };
  }
}

function firstLines(message: string): string {
  return message
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, 12)
    .join(' ');
}
