import type { Writable } from 'node:stream';
import { InputError } from '../../lambdas/access/contract/input-error.ts';
import { StoreUnavailableError } from '../../lambdas/access/store/store.ts';
import type { Telemetry } from '../../lambdas/shared/runtime/telemetry.ts';
import type { Context } from './context/command.ts';
import {
  JSON_INDENT,
  type Listing,
  listingJson,
  listingText,
  UnfinishedListError,
} from './context/listing.ts';
import type { GatewayTarget } from './context/open-context.ts';
import { parseInvocation } from './parse-invocation.ts';
import type { Outside } from './stage/outside.ts';

/** The world outside a run of the CLI. */
interface Surroundings {
  openContext(target: GatewayTarget): Promise<Context>;
  /** Opens the account of AWS for a command that works on a stage file. */
  openOutside(): Promise<Outside>;
  /** Resolves once the text is taken, to whether a reader is still there. */
  stdout(text: string): Promise<boolean>;
  stderr(text: string): Promise<boolean>;
}

const EXIT_FAILED = 1;
const EXIT_WRONG_INPUT = 2;

/**
 * Runs one command line; returns the exit code. Notices of a command go to stderr, one line
 * each. A failure is one line there, and nothing on stdout but the pages of a list that were read before it. A closed
 * stdout is no failure: the rest is not printed.
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
    if ('pages' in outcome) return await printListing(outcome, json, stdout);
    await stdout(`${json ? JSON.stringify(outcome.json, undefined, JSON_INDENT) : outcome.text}\n`);
    return outcome.exitCode ?? 0;
  } catch (error) {
    await stderr(`operator: ${oneLine(error)}\n`);
    return error instanceof InputError ? EXIT_WRONG_INPUT : EXIT_FAILED;
  }
}

async function printListing(
  listing: Listing,
  json: boolean,
  stdout: Surroundings['stdout'],
): Promise<number> {
  for await (const piece of json ? listingJson(listing) : listingText(listing)) {
    if (!(await stdout(piece))) break;
  }
  return 0;
}

function oneLine(error: unknown): string {
  if (error instanceof UnfinishedListError) {
    const advice = error.goOn === undefined ? '' : `: ${error.goOn} lists the rest`;
    return `${oneLine(error.cause)}; ${error.message}${advice}`;
  }
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
 * Writes texts to a stream, at the pace of its reader: resolves once a text is taken, to whether the reader is still
 * there (`| head` ends early). Rejects if it cannot be written for another reason, such as a full disk.
 */
export function writeTo(stream: Writable): (text: string) => Promise<boolean> {
  // Each failure reaches the write that it befell; without a listener it would also end the process.
  stream.on('error', () => {});
  return (text) =>
    new Promise((resolve, reject) => {
      stream.write(text, (error) => {
        if (error == null) resolve(true);
        else if ('code' in error && error.code === 'EPIPE') resolve(false);
        else reject(error);
      });
    });
}
