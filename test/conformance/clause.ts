import { AssertionError } from 'node:assert';
import type { Probe } from './probe.ts';

/** A clause of the specification that can be seen from outside. */
export interface Clause {
  /** Part of the specification, and which of it: `errors.3`. */
  readonly id: string;
  /** The clause, in the words of the specification. */
  readonly words: string;
  /** Whether a client can never bring it about: absent, it can be seen. */
  readonly unseen?: true;
  /** Ends if the clause holds; throws an `AssertionError` where it differs, {@link Skipped} where it cannot be seen. */
  readonly check: (probe: Probe) => Promise<void>;
}

/** Why a clause cannot be seen at this gateway at the moment. */
export class Skipped extends Error {}

/** What became of a clause. */
export type Outcome =
  | { readonly kind: 'holds' }
  /** `reason`: what was seen instead, or why nothing could be. */
  | { readonly kind: 'differs' | 'skipped'; readonly reason: string };

/** A clause that cannot be brought about by a client. */
export function unseen(id: string, words: string, reason: string): Clause {
  return {
    id,
    words,
    unseen: true,
    check: async () => {
      throw new Skipped(reason);
    },
  };
}

/** Checks a clause. Whatever goes wrong on the way, such as a connection that fails, is a difference. */
export async function checkClause(clause: Clause, probe: Probe): Promise<Outcome> {
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
