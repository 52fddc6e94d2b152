import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline/promises';
import type { AwsClientOptions } from '../../../lambdas/shared/aws/client-settings.ts';
import { type Sleep, sleep } from '../../../lambdas/shared/runtime/sleep.ts';
import { type AskAws, connectAws } from '../context/ask-aws.ts';
import type { Arguments, Context, Flag, OpenedTables, Outcome } from '../context/command.ts';
import type { GatewayOutputs } from '../context/gateway-outputs.ts';
import { type AskNode, askNode } from './node-lines.ts';
import { readStageFacts, type StageFacts } from './stage-facts.ts';

/** The world of a command that works on a stage file: an account of AWS, nodes, and the person who waits for it. */
export interface Outside {
  readonly ask: AskAws;
  /** Asks a node, or a gateway. */
  readonly askNode: AskNode;
  readonly pause: Sleep;
  /** Says what is being done, a line at a time. */
  tell(text: string): void;
  /** Shows a person what nothing else may see; false: there is no terminal, and nothing was shown. */
  show(secret: string): boolean;
  /** What a person answers; undefined: there is no terminal. */
  inquire(question: string): Promise<string | undefined>;
  /** Runs a program that speaks for itself; resolves to its exit code. */
  run(program: string, words: readonly string[]): Promise<number>;
  /** Opens the gateway of a stack. Rejects with `InputError` for a stack that is not there. */
  openGateway(stack: string, region: string): Promise<Context>;
  /** Opens tables of a stage by their names, which its stack may have left. */
  openBooks(names: GatewayOutputs['tableNames'], region: string): Promise<OpenedTables>;
  /** Asks a gateway what its contract says; resolves to the exit code of `npm run conformance`. */
  conform(url: string, key: string): Promise<number>;
  readFacts(file: string, requestsPerDay?: number): Promise<StageFacts>;
  /** Region of the profile; undefined: it names none. */
  region(): Promise<string | undefined>;
}

/** A command that works on a stage file, in place of a gateway that is there. */
export interface StageCommand {
  readonly name: string;
  readonly summary: string;
  readonly positionals: readonly [];
  readonly flags: Readonly<Record<string, Flag>>;
  readonly example: string;
  /** Rejects with `InputError` for wrong input. */
  runOnFile(outside: Outside, args: Arguments): Promise<Outcome>;
}

/** Opens the account of the credentials of this machine; nothing is asked yet. */
export function openOutside(config?: AwsClientOptions['config']): Outside {
  return {
    ask: connectAws(config),
    askNode,
    readFacts: readStageFacts,
    pause: sleep,
    tell: (text) => void process.stderr.write(`${text}\n`),
    show(secret) {
      if (process.stdout.isTTY) process.stdout.write(`${secret}\n`);
      return process.stdout.isTTY === true;
    },
    inquire,
    run,
    openGateway: async (stack, region) =>
      (await import('../context/open-context.ts')).openContext({ stack, region }),
    openBooks: async (names, region) => (await import('../context/open-context.ts')).openBooks(names, region),
    async conform(url, key) {
      const { runConformance } = await import('../../../test/conformance/run-conformance.ts');
      return runConformance(['--url', url, '--key', key], (line) => void process.stderr.write(`${line}\n`));
    },
    async region() {
      if (process.env.AWS_REGION !== undefined) return process.env.AWS_REGION;
      const { DynamoDBClient } = await import('@aws-sdk/client-dynamodb');
      return new DynamoDBClient({}).config.region().catch(() => undefined);
    },
  };
}

async function inquire(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY) return undefined;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await lines.question(`${question} `)).trim();
  } finally {
    lines.close();
  }
}

/** What it prints goes where errors go: on stdout is only what the command itself comes to. */
function run(program: string, words: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { stdio: ['inherit', process.stderr, process.stderr] });
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}
