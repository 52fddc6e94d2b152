import { InputError } from '../../lambdas/access/input-error.ts';
import { StoreUnavailableError } from '../../lambdas/access/store.ts';
import type { Context } from './command.ts';
import { type Place, parseInvocation } from './parse-invocation.ts';

/** The world outside a run of the CLI. */
export interface Surroundings {
  openContext(place: Place): Promise<Context>;
  stdout(text: string): void;
  stderr(text: string): void;
}

const EXIT_FAILED = 1;
const EXIT_WRONG_INPUT = 2;

/** Runs one command line; returns the exit code. A failure is one line on stderr and nothing on stdout. */
export async function runOperator(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  const { openContext, stdout, stderr } = surroundings;
  try {
    const invocation = parseInvocation(argv);
    if ('help' in invocation) {
      stdout(`${invocation.help}\n`);
      return 0;
    }
    const { command, args, place, json } = invocation;
    const outcome = await command.run(await openContext(place), args);
    stdout(`${json ? JSON.stringify(outcome.json, undefined, 2) : outcome.text}\n`);
    return outcome.exitCode ?? 0;
  } catch (error) {
    stderr(`operator: ${oneLine(error)}\n`);
    return error instanceof InputError ? EXIT_WRONG_INPUT : EXIT_FAILED;
  }
}

function oneLine(error: unknown): string {
  const message = error instanceof Error && error.message !== '' ? error.message : String(error);
  const line = message.replace(/\s+/g, ' ').trim();
  return error instanceof StoreUnavailableError ? `the store failed (${line})` : line;
}
