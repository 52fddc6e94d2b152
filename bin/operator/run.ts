import type { Writable } from 'node:stream';
import { InputError } from '../../lambdas/access/contract/input-error.ts';
import { StoreUnavailableError } from '../../lambdas/access/store/store.ts';
import type { Telemetry } from '../../lambdas/shared/runtime/telemetry.ts';
import type { Context } from './context/command.ts';
import { JSON_INDENT } from './context/listing.ts';
import type { GatewayTarget } from './context/open-context.ts';
import { parseInvocation } from './parse-invocation.ts';
import type { Outside } from './stage/outside.ts';

/** The world outside a run of the CLI. */
interface Surroundings {
  openContext(target: GatewayTarget): Promise<Context>;
  /** Opens the account of AWS for a command that works on a stage file. */
  openOutside(): Promise<Outside>;
  /** Resolves once the text is taken, or nobody is there to take it. */
  stdout(text: string): Promise<unknown>;
  stderr(text: string): Promise<unknown>;
}

const EXIT_FAILED = 1;
const EXIT_WRONG_INPUT = 2;

/**
 * Runs one command line; returns the exit code. Notices of a command go to stderr, one line
 * each. A failure is one line there, and nothing on stdout. A closed stdout is no failure.
 */
export async function runOperator(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  const { openContext, openOutside, stdout, stderr } = surroundings;
  try {
    const invocation = parseInvocation(argv);
    if ('help' in invocation) {
      await stdout(`${invocation.help}\n`);
      return 0;
    }
    const { args, json } = invocation;
    const outcome =
      'stageCommand' in invocation
        ? await invocation.stageCommand.runOnFile(await openOutside(), args)
        : await invocation.command.run(await openContext(invocation.target), args, logToStderr(stderr));
    await stdout(`${json ? JSON.stringify(outcome.json, undefined, JSON_INDENT) : outcome.text}\n`);
    return outcome.exitCode ?? 0;
  } catch (error) {
    await stderr(`operator: ${oneLine(error)}\n`);
    return error instanceof InputError ? EXIT_WRONG_INPUT : EXIT_FAILED;
  }
}

function oneLine(error: unknown): string {
  const message = error instanceof Error && error.message !== '' ? error.message : String(error);
  const line = message.replace(/\s+/g, ' ').trim();
  return error instanceof StoreUnavailableError ? `the store failed (${line})` : line;
}

/** Tells what the gateway's code logs of its work, a line each; a command's metrics are not shown. */
function logToStderr(stderr: (text: string) => Promise<unknown>): Telemetry {
  return {
    log: (level, event, fields) => {
      // The command continues if stderr has no reader.
      stderr(`operator: ${level}: ${event} ${JSON.stringify(fields ?? {})}\n`).catch(() => undefined);
    },
    emit: () => undefined,
  };
}

/**
 * Writes texts to a stream, at the pace of its reader: resolves once a text is taken, or the reader is gone (`| head` ends
 * early). Rejects if it cannot be written for another reason, such as a full disk.
 */
export function writeTo(stream: Writable): (text: string) => Promise<void> {
  // Each failure reaches the write that it befell; without a listener it would also end the process.
  stream.on('error', () => {});
  return (text) =>
    new Promise((resolve, reject) => {
      stream.write(text, (error) => {
        if (error == null || ('code' in error && error.code === 'EPIPE')) resolve();
        else reject(error);
      });
    });
}
