import { type AskAws, AwsRefusal } from '../context/ask-aws.ts';
import type { StageFacts } from './stage-facts.ts';

/** What of a line is known: it holds, it does not, or it cannot be known from here. */
type Verdict = 'holds' | 'fails' | 'unknown';

/** What a line of preflight says. */
export interface Finding {
  readonly verdict: Verdict;
  readonly text: string;
  /** Command or entry that mends it. */
  readonly mend?: string;
}

/** One line of preflight. */
export interface Line extends Finding {
  /** What it is about, in a word or two. */
  readonly name: string;
}

/** What the lines are made from. */
export interface Subject {
  readonly ask: AskAws;
  readonly facts: StageFacts;
  readonly region: string;
  /** Account of the credentials; undefined: not known. */
  readonly account: string | undefined;
  /** State of the stage's stack; undefined: it does not exist. `unknown`: AWS did not say. */
  readonly stackStatus: string | undefined;
  /** Whether no deployment of it was ever complete. */
  readonly isFirst: boolean;
}

/** A line that looks by itself: what it cannot see is unknown, never well. */
export interface Check {
  readonly name: string;
  look(subject: Subject): Promise<Finding>;
}

export const itHolds = (text: string): Finding => ({ verdict: 'holds', text });
export const fails = (text: string, mend: string): Finding => ({ verdict: 'fails', text, mend });
export const unknown = (text: string, mend?: string): Finding => ({
  verdict: 'unknown',
  text,
  ...(mend !== undefined && { mend }),
});

/** Looks at everything at once. Never rejects. */
export async function lookAt(checks: readonly Check[], subject: Subject): Promise<Line[]> {
  return Promise.all(
    checks.map(async ({ name, look }) => ({
      name,
      ...(await look(subject).catch((error: unknown) => unknown(reasonOf(error)))),
    })),
  );
}

/** Why AWS did not say something: the name of its error, never a text with credentials. */
export function reasonOf(error: unknown): string {
  if (error instanceof AwsRefusal) return `AWS does not say: ${error.message}`;
  return `AWS cannot be asked: ${error instanceof Error ? error.message : 'no response'}`;
}
