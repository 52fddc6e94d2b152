import { existsSync } from 'node:fs';
import { mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../lambdas/shared/runtime/clock.ts';
import { refuseOtherThanJsonRpc } from '../guard/refusal.ts';
import { earlierWriterEnded } from './earlier-writer.ts';
import {
  type Address,
  type EmbeddedProcess,
  PROPER_END,
  requireExecutable,
  startEmbeddedProcess,
} from './embedded-process.ts';
import { readGenesisTime, writeGenesisTime } from './genesis.ts';
import { type GuardedProcess, guarded } from './guarded.ts';
import { installedPackageFolder } from './installed-package.ts';
import { LocalRunError } from './local-run-error.ts';

/** Enough to write the chain's state on the way out: a demo chain of some thousand blocks has half a gigabyte. */
const STOP_TIMEOUT_MS = 60_000;
const CALL_TIMEOUT_MS = 10_000;
/** The state is also written when anvil is asked to end; this bounds what a crash of anvil itself can lose. */
const STATE_INTERVAL_SECONDS = 120;
/** Blocks whose state is kept, in memory and over a restart: balances are read at the finalized block, 256 below the head. */
export const STATE_BLOCKS = 400;
/** Blocks whose transactions are kept: more than the demo chain has. */
export const TRANSACTION_BLOCKS = 10_000;
const EVM_MEMORY_BYTES = 512 * 1024 * 1024;
/**
 * What anvil says of a state file that was cut short: it writes in place, and may be killed or the machine go down
 * meanwhile. It therefore never writes the file that it began with.
 */
const UNREADABLE_STATE = /failed to parse json file/;

export interface AnvilOptions {
  /** The `{chain}` name, for messages. */
  readonly chain: string;
  readonly chainId: number;
  /** Where the chain's state is kept. */
  readonly folder: string;
  /** Takes one line for people if the chain cannot go on where the last run ended, or not yet. */
  readonly tell: (line: string) => void;
}

/**
 * Starts the embedded node of one chain, which goes on where the last run of the same folder ended. If that run was
 * ended while it wrote the chain, it goes on with what was written before. The node of a run that was killed is waited for: it
 * still writes.
 * @throws LocalRunError when anvil is not installed or does not start.
 */
export async function startAnvil(options: AnvilOptions): Promise<GuardedProcess> {
  const command = await anvilBinary();
  await mkdir(options.folder, { recursive: true });
  const state = join(options.folder, 'state.json');
  const written = `${state}.new`;
  const { chain, tell } = options;
  await earlierWriterEnded(dumpArgument(written), {
    mostMs: STOP_TIMEOUT_MS,
    onWait: () => tell(`${chain}: waiting for the node of the last run, which still writes the chain`),
  });
  const genesisTime = await readGenesisTime(options.folder);
  const start = (begin: string | undefined) => launch(command, { begin, written, genesisTime }, options);
  const known = existsSync(state) ? state : undefined;
  let node: EmbeddedProcess;
  if (existsSync(written)) {
    try {
      node = await start(written);
      await rename(written, state);
    } catch (error) {
      if (!UNREADABLE_STATE.test(String(error)) || known === undefined) throw error;
      const { mtime } = await stat(known);
      const asOf = mtime.toISOString();
      tell(`${chain}: the last run ended while it wrote the chain; continuing with the state of ${asOf}`);
      node = await start(known);
    }
  } else node = await start(known);
  await keepTime(node.url, options.folder, genesisTime);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= stopWhole(node, written, state);
    return stopped;
  };
  return guarded({ ...node, stop }, refuseOtherThanJsonRpc);
}

/** A node that is told the time of its genesis block would go on from there: it is told that of today, too. */
async function keepTime(url: string, folder: string, genesisTime: number | undefined): Promise<void> {
  if (genesisTime !== undefined) {
    await call(url, 'evm_setTime', [Math.floor(systemClock.now() / 1_000)]);
    return;
  }
  const genesis = (await call(url, 'eth_getBlockByNumber', ['0x0', false])) as {
    readonly timestamp: string;
  };
  await writeGenesisTime(folder, Number(genesis.timestamp));
}

/** Stops a node; what it wrote takes the place of what it began with if it wrote all of it. */
async function stopWhole(node: EmbeddedProcess, written: string, state: string): Promise<void> {
  await node.stop();
  if ((await node.ended) === PROPER_END && existsSync(written)) await rename(written, state);
}

/** The state file that a node begins with, if any, the one that it writes, and when the chain began. */
interface StateFiles {
  readonly begin: string | undefined;
  readonly written: string;
  /** Unix seconds; undefined for a chain that begins now. */
  readonly genesisTime: number | undefined;
}

function launch(command: string, files: StateFiles, options: AnvilOptions): Promise<EmbeddedProcess> {
  return startEmbeddedProcess({
    name: `anvil of chain ${options.chain}`,
    command,
    commandArguments: (address) => anvilArguments(address, options.chainId, files),
    hidden: true,
    cwd: options.folder,
    isReady: ({ url }) => hasChainId(url, options.chainId),
    stopTimeoutMs: STOP_TIMEOUT_MS,
  });
}

/** Arguments of every anvil that serves a chain: where, which one, and nothing printed. */
export function nodeArguments({ host, port }: Address, chainId: number): string[] {
  return [
    `--host=${host}`,
    `--port=${port}`,
    `--chain-id=${chainId}`,
    '--quiet',
    '--no-cors',
    // The gateway has limits of its own, and a batch grows a little on its way to the node.
    '--no-request-size-limit',
    '--disable-console-log',
  ];
}

function anvilArguments(
  address: Address,
  chainId: number,
  { begin, written, genesisTime }: StateFiles,
): string[] {
  return [
    ...nodeArguments(address, chainId),
    ...(begin === undefined ? [] : [`--load-state=${begin}`]),
    ...(genesisTime === undefined ? [] : [`--timestamp=${genesisTime}`]),
    dumpArgument(written),
    `--state-interval=${STATE_INTERVAL_SECONDS}`,
    '--preserve-historical-states',
    `--prune-history=${STATE_BLOCKS}`,
    `--transaction-block-keeper=${TRANSACTION_BLOCKS}`,
    // Without it debug_traceTransaction answers an empty list of steps.
    '--steps-tracing',
    `--memory-limit=${EVM_MEMORY_BYTES}`,
  ];
}

function dumpArgument(written: string): string {
  return `--dump-state=${written}`;
}

/** The native binary of this platform: npm installs only that one. */
export async function anvilBinary(): Promise<string> {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const packageName = `@foundry-rs/anvil-${process.platform}-${architecture}`;
  const binary = join(installedPackageFolder(packageName), 'bin', 'anvil');
  await requireExecutable('anvil', binary);
  return binary;
}

async function hasChainId(url: string, chainId: number): Promise<boolean> {
  return Number(await call(url, 'eth_chainId', [])) === chainId;
}

/** @throws LocalRunError if the node answers with an error */
async function call(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
  });
  const body = (await response.json()) as {
    readonly result?: unknown;
    readonly error?: { readonly message: string };
  };
  if (body.error !== undefined) throw new LocalRunError(`anvil refuses ${method}: ${body.error.message}`);
  return body.result;
}
