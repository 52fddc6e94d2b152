import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { StageConfigInput } from '../../lib/config/stage-config.ts';
import type { GatewayFile } from '../../local/gateway-file.ts';
import { processesMentioning } from '../local/processes.ts';
import { noteMade } from '../support/figures/made-counts.ts';
import { copyGateway, type PreparedChain } from '../support/prepared/prepared-gateway.ts';
import { type CommandResult, OperatorProcesses } from './operator/operator-processes.ts';

const PROJECT = join(import.meta.dirname, '..', '..');
/** The last line that `npm start` prints before it serves. */
const READY_LINE = /^Ctrl-C stops it/m;
/** Below the time-out of a test, so that a start that hangs fails with what it printed. */
export const START_TIMEOUT_MS = 240_000;
const STOP_TIMEOUT_MS = 120_000;
const COMMAND_TIMEOUT_MS = 120_000;
/** Time-out of a test that starts two runs one after the other. */
export const TWO_RUNS_MS = 2 * (START_TIMEOUT_MS + STOP_TIMEOUT_MS);

/** Stops each run that is not stopped yet, however far its start came. */
const stops = new Set<() => Promise<number | null>>();

export interface StartGatewayOptions {
  /** A stage file's content, or the path of one. @default the one that `npm start` takes */
  readonly config?: StageConfigInput | string;
  /** Whether the default stage begins with the demo chain, as `npm start` does. @default false */
  readonly demoChain?: boolean;
  /** @default a folder of its own, removed by `stop` */
  readonly dataDir?: string;
  /**
   * What an earlier run has left in the data folder, which is not there yet: the state of a stage with that chain.
   * @default that of the default stage, if neither a stage nor a folder is given; else nothing
   */
  readonly prepared?: PreparedChain;
  /** Further arguments of `npm start`. */
  readonly startArguments?: readonly string[];
  /** @default START_TIMEOUT_MS */
  readonly startTimeoutMs?: number;
  /** Further variables of its process, and of those of the operator's commands. */
  readonly environment?: NodeJS.ProcessEnv;
}

/** A gateway that was started as a person starts it, in a process of its own. */
export interface RunningGateway {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** The demo account's key. */
  readonly apiKey: string;
  readonly endpoints: GatewayFile['endpoints'];
  readonly gatewayJson: GatewayFile;
  readonly dataDir: string;
  readonly process: ChildProcess;
  /** What the run has printed so far. */
  output(): string;
  /** All that its functions and its API have logged so far. */
  logs(): string;
  /** Runs a command of the operator CLI on this gateway. */
  operator(commandArguments: readonly string[]): Promise<CommandResult>;
  /** Stops the run as Ctrl-C does and removes its data folder, if that was its own; resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** Stops what `startGateway` started in this test file, also what is not ready yet. */
export async function stopGateways(): Promise<void> {
  await Promise.all([...stops].map((stop) => stop()));
}

/**
 * Starts a gateway on a free port and waits until it is ready. One that does not become so in time is killed; then and
 * when it ends by itself, the promise rejects with what it printed.
 */
export async function startGateway(options: StartGatewayOptions = {}): Promise<RunningGateway> {
  noteMade('gateways');
  const scratch = mkdtempSync(join(tmpdir(), 'gateway-'));
  const dataDir = options.dataDir ?? join(scratch, 'data');
  const prepared = options.prepared ?? preparedByDefault(options);
  if (prepared !== undefined) copyGateway(prepared, dataDir);
  const child = spawnScript('start', startArguments(options, scratch, dataDir), options.environment);
  const printed = collect(child);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const operator = new OperatorProcesses(options.environment);
  const stop = async () => {
    operator.end();
    // To write a chain that is thrown away takes seconds; its node ends the run.
    if (options.dataDir === undefined) killNodes(dataDir);
    child.kill('SIGINT');
    const code = await within(STOP_TIMEOUT_MS, ended, child);
    rmSync(scratch, { recursive: true, force: true });
    stops.delete(stop);
    return code;
  };
  stops.add(stop);
  const outcome = await within(
    options.startTimeoutMs ?? START_TIMEOUT_MS,
    Promise.race([ended.then(() => 'ended'), ready(child, printed)]),
    child,
  );
  if (outcome !== 'ready') {
    await stop();
    throw new Error(`npm start did not become ready:\n${printed.stdout}${printed.stderr}`);
  }
  const gatewayJson = JSON.parse(readFileSync(join(dataDir, 'gateway.json'), 'utf8')) as GatewayFile;
  return {
    baseUrl: gatewayJson.base_url,
    apiKey: gatewayJson.demo_api_key,
    endpoints: gatewayJson.endpoints,
    gatewayJson,
    dataDir,
    process: child,
    output: () => printed.stdout + printed.stderr,
    logs: () => readLogs(join(dataDir, 'logs')),
    operator: (args) => operator.run([...args, '--local', '--data-dir', dataDir]),
    stop,
  };
}

/** How a script is run. */
export interface ScriptOptions {
  /** @default COMMAND_TIMEOUT_MS */
  readonly timeoutMs?: number;
}

/** Runs a script of package.json to its end. */
export async function runScript(
  name: string,
  scriptArguments: readonly string[],
  { timeoutMs = COMMAND_TIMEOUT_MS }: ScriptOptions = {},
): Promise<CommandResult> {
  const child = spawnScript(name, scriptArguments);
  const printed = collect(child);
  const code = await within(
    timeoutMs,
    new Promise<number | null>((resolve) => child.once('close', resolve)),
    child,
  );
  return { code, ...printed };
}

function killNodes(dataDir: string): void {
  for (const pid of processesMentioning(join(dataDir, 'chains'))) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

function preparedByDefault({ config, dataDir, demoChain }: StartGatewayOptions): PreparedChain | undefined {
  if (config !== undefined || dataDir !== undefined) return undefined;
  return demoChain === true ? 'demo' : 'plain';
}

function startArguments(options: StartGatewayOptions, scratch: string, dataDir: string): string[] {
  // Tests name blocks by their numbers: only they make some.
  const chosen = ['--port', '0', '--data-dir', dataDir, '--block-time', '0'];
  const config = options.config ?? (options.demoChain === true ? undefined : withoutDemoChain());
  if (typeof config === 'string') chosen.push('--config', config);
  else if (config !== undefined) {
    const file = join(scratch, 'stage.json');
    writeFileSync(file, JSON.stringify(config));
    chosen.push('--config', file);
  }
  return [...chosen, ...(options.startArguments ?? [])];
}

/** The stage that `npm start` takes, on a chain that begins empty. */
function withoutDemoChain(): StageConfigInput {
  const file = join(PROJECT, 'config', 'local.json');
  return { ...(JSON.parse(readFileSync(file, 'utf8')) as StageConfigInput), demo: {} };
}

/** The very command of a script, without npm around it: a signal reaches the process itself. */
function spawnScript(
  name: string,
  scriptArguments: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): ChildProcess {
  const { scripts } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const [command = '', ...commandArguments] = scripts[name]?.split(' ') ?? [];
  const path = [join(PROJECT, 'node_modules', '.bin'), process.env.PATH].join(delimiter);
  return spawn(command, [...commandArguments, ...scriptArguments], {
    cwd: PROJECT,
    env: { ...process.env, PATH: path, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
    });
  }
  return printed;
}

function ready(child: ChildProcess, printed: { readonly stdout: string }): Promise<'ready'> {
  return new Promise((resolve) => {
    child.stdout?.on('data', () => {
      if (READY_LINE.test(printed.stdout)) resolve('ready');
    });
  });
}

/** Waits for a child's milestone; a child that is late is killed, and what was waited for is its end. */
async function within<Milestone>(
  milliseconds: number,
  milestone: Promise<Milestone>,
  child: ChildProcess,
): Promise<Milestone> {
  const timer = setTimeout(() => child.kill('SIGKILL'), milliseconds);
  try {
    return await milestone;
  } finally {
    clearTimeout(timer);
  }
}

function readLogs(folder: string): string {
  return readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('');
}
