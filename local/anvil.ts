import { access, copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type EmbeddedProcess, requireExecutable, startEmbeddedProcess } from './embedded-process.ts';
import { installedPackageFolder } from './installed-package.ts';

const START_TIMEOUT_MS = 60_000;
/** Enough to write the chain's state on the way out. */
const STOP_TIMEOUT_MS = 15_000;
const PROBE_TIMEOUT_MS = 1_000;
/** The state is also written when anvil is asked to end; this bounds what a crash of anvil itself can lose. */
const STATE_INTERVAL_SECONDS = 120;
/** Blocks whose state is kept, in memory and over a restart: balances are read at the finalised block, 256 below the head. */
export const STATE_BLOCKS = 400;
/** Blocks whose transactions are kept. */
const TRANSACTION_BLOCKS = 10_000;
const EVM_MEMORY_BYTES = 512 * 1024 * 1024;
/**
 * What anvil says of a state file that was cut short: it writes the file in place, and the machine may go down
 * meanwhile. The copy of the last good start then takes its place.
 */
const UNREADABLE_STATE = /failed to parse json file/;

export interface AnvilOptions {
  /** The `{chain}` name, for messages. */
  readonly chain: string;
  readonly chainId: number;
  /** Where the chain's state is kept. */
  readonly folder: string;
}

/**
 * Starts the embedded node of one chain, which goes on where the last run of the same folder ended.
 * @throws LocalRunError when anvil is not installed or does not start.
 */
export async function startAnvil(options: AnvilOptions): Promise<EmbeddedProcess> {
  const command = await anvilBinary();
  await mkdir(options.folder, { recursive: true });
  const state = join(options.folder, 'state.json');
  const lastGoodState = join(options.folder, 'state.last-good.json');
  const start = () => launch(command, state, options);
  const node = await start().catch(async (error: unknown) => {
    if (!UNREADABLE_STATE.test(String(error)) || !(await exists(lastGoodState))) throw error;
    await copyFile(lastGoodState, state);
    return start();
  });
  if (await exists(state)) await copyFile(state, lastGoodState);
  return node;
}

function launch(command: string, state: string, options: AnvilOptions): Promise<EmbeddedProcess> {
  return startEmbeddedProcess({
    name: `anvil of chain ${options.chain}`,
    command,
    commandArguments: (port) => anvilArguments(port, options.chainId, state),
    cwd: options.folder,
    isReady: (port) => answersChainId(port, options.chainId),
    startTimeoutMs: START_TIMEOUT_MS,
    stopTimeoutMs: STOP_TIMEOUT_MS,
  });
}

function anvilArguments(port: number, chainId: number, state: string): string[] {
  return [
    ...['--host', '127.0.0.1', '--port', String(port), '--chain-id', String(chainId)],
    // The gateway has limits of its own, and a batch grows a little on its way to the node.
    ...['--quiet', '--no-cors', '--no-request-size-limit', '--disable-console-log'],
    ...['--state', state, '--state-interval', String(STATE_INTERVAL_SECONDS), '--preserve-historical-states'],
    ...[`--prune-history=${STATE_BLOCKS}`, '--transaction-block-keeper', String(TRANSACTION_BLOCKS)],
    // Without it debug_traceTransaction answers an empty list of steps.
    ...['--steps-tracing', '--memory-limit', String(EVM_MEMORY_BYTES)],
  ];
}

/** The native binary of this platform: npm installs only that one. */
async function anvilBinary(): Promise<string> {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const packageName = `@foundry-rs/anvil-${process.platform}-${architecture}`;
  const binary = join(installedPackageFolder(packageName), 'bin', 'anvil');
  await requireExecutable('anvil', binary);
  return binary;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function answersChainId(port: number, chainId: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
    signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
  });
  const answer = (await response.json()) as { readonly result?: string };
  return answer.result !== undefined && Number(answer.result) === chainId;
}
