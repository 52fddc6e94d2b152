import { existsSync } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../lambdas/shared/runtime/clock.ts';
import type { Sleep } from '../../lambdas/shared/runtime/sleep.ts';
import { refuseOtherThanJsonRpc } from '../guard/refusal.ts';
import {
  type Address,
  type EmbeddedProcess,
  PROPER_END,
  requireExecutable,
  startEmbeddedProcess,
} from './embedded-process.ts';
import { readGenesisTime, writeGenesisTime } from './genesis.ts';
import { type GuardedProcess, guarded } from './guarded.ts';
import { keptRunning } from './kept-running.ts';
import { anvilPath, earlierWriterEnded } from './machine.ts';
import { callNode, hasChainId } from './node-calls.ts';
import { keepChainSaved, unpackChain } from './saved-chain.ts';

/** Enough to write the chain's state on the way out: a demo chain of some thousand blocks has half a gigabyte. */
const STOP_TIMEOUT_MS = 60_000;
/** Ten years: anvil writes its state only as it ends. It has no other way not to write all of it again and again. */
const STATE_INTERVAL_SECONDS = 315_360_000;
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

interface AnvilOptions {
  /** The `{chain}` name, for messages. */
  readonly chain: string;
  readonly chainId: number;
  /** Where the chain's state is kept. */
  readonly folder: string;
  /** Takes one line for people if the chain cannot go on where the last run ended, or not yet. */
  readonly tell: (line: string) => void;
  /** How many blocks the run has made itself: their saving can wait. @default none */
  readonly ownBlocks?: () => number;
  /** Waits between two looks at whether the chain has to be saved. @default by the timers of this process */
  readonly pause?: Sleep;
}

/**
 * Starts the embedded node of one chain, which continues where the last run of the same folder ended. If that run was
 * ended while it wrote the chain, it continues with what was saved before. The node of a run that was killed is waited for: it
 * still writes. The chain is saved while it runs, too, soon after it has changed. A node that ends by itself is started again,
 * in the same way.
 * @throws LocalRunError when anvil is not installed or does not start.
 */
export async function startAnvil(options: AnvilOptions): Promise<GuardedProcess> {
  const { tell } = options;
  const node = await keptRunning({ start: (address) => startOnce(options, address), tell });
  return guarded(node, refuseOtherThanJsonRpc);
}

async function startOnce(options: AnvilOptions, address: Address | undefined): Promise<EmbeddedProcess> {
  const command = await anvilBinary();
  await mkdir(options.folder, { recursive: true });
  const state = join(options.folder, 'state.json');
  const written = `${state}.new`;
  const { chain, tell } = options;
  await earlierWriterEnded(dumpArgument(written), {
    mostMs: STOP_TIMEOUT_MS,
    onWait: () => tell(`${chain}: waiting for the node of the last run, which still writes the chain`),
  });
  const saved = `${state}.gz`;
  await unpackChain(saved, state);
  const genesisTime = await readGenesisTime(options.folder);
  const files = { state, written, genesisTime };
  const node = await startFrom(
    files,
    (begin) => launch(command, { begin, written, genesisTime }, options, address),
    options,
  );
  await keepTime(node.url, options.folder, genesisTime);
  const endSaving = await keepChainSaved({
    ...options,
    url: node.url,
    file: saved,
    isSaved: existsSync(state),
  });
  void node.ended.then(endSaving);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= endSaving().then(() => stopWhole(node, { written, state, saved }));
    return stopped;
  };
  return { ...node, stop };
}

/** Starts a node with what it wrote as it ended, or, if that is cut short, with what was saved before. */
async function startFrom(
  { state, written }: { readonly state: string; readonly written: string },
  start: (begin: string | undefined) => Promise<EmbeddedProcess>,
  { chain, tell }: AnvilOptions,
): Promise<EmbeddedProcess> {
  const known = existsSync(state) ? state : undefined;
  if (!existsSync(written)) return start(known);
  try {
    const node = await start(written);
    await rename(written, state);
    return node;
  } catch (error) {
    if (!UNREADABLE_STATE.test(String(error)) || known === undefined) throw error;
    const { mtime } = await stat(known);
    const asOf = mtime.toISOString();
    tell(`${chain}: the last run ended while it wrote the chain; continuing with the state of ${asOf}`);
    return start(known);
  }
}

/** A node with a set time of its genesis block would continue from there: it gets that of today, too. */
async function keepTime(url: string, folder: string, genesisTime: number | undefined): Promise<void> {
  if (genesisTime !== undefined) {
    await callNode(url, [{ method: 'evm_setTime', params: [Math.floor(systemClock.now() / 1_000)] }]);
    return;
  }
  const [genesis] = await callNode(url, [{ method: 'eth_getBlockByNumber', params: ['0x0', false] }]);
  await writeGenesisTime(folder, Number((genesis as { readonly timestamp: string }).timestamp));
}

/** Stops a node; what it wrote takes the place of what it began with, and of what was saved, if it wrote all of it. */
async function stopWhole(
  node: EmbeddedProcess,
  { written, state, saved }: { readonly written: string; readonly state: string; readonly saved: string },
): Promise<void> {
  await node.stop();
  if ((await node.ended) !== PROPER_END || !existsSync(written)) return;
  // First: what was saved would else be taken for the newer one.
  if (existsSync(saved)) await rm(saved);
  await rename(written, state);
}

/** The state file that a node begins with, if any, the one that it writes, and when the chain began. */
interface StateFiles {
  readonly begin: string | undefined;
  readonly written: string;
  /** Unix seconds; undefined for a chain that begins now. */
  readonly genesisTime: number | undefined;
}

function launch(
  command: string,
  files: StateFiles,
  options: AnvilOptions,
  address: Address | undefined,
): Promise<EmbeddedProcess> {
  return startEmbeddedProcess({
    address,
    name: `anvil of chain ${options.chain}`,
    command,
    commandArguments: (where) => anvilArguments(where, options.chainId, files),
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
    ...dumpArguments(written),
    `--prune-history=${STATE_BLOCKS}`,
    `--transaction-block-keeper=${TRANSACTION_BLOCKS}`,
    // Without it debug_traceTransaction answers an empty list of steps.
    '--steps-tracing',
    `--memory-limit=${EVM_MEMORY_BYTES}`,
  ];
}

/** Arguments of an anvil that writes its chain, with the state of old blocks, as it ends. */
export function dumpArguments(written: string): string[] {
  return [
    dumpArgument(written),
    `--state-interval=${STATE_INTERVAL_SECONDS}`,
    '--preserve-historical-states',
  ];
}

function dumpArgument(written: string): string {
  return `--dump-state=${written}`;
}

/** The native binary of this platform: npm installs only that one. */
export async function anvilBinary(): Promise<string> {
  const binary = anvilPath();
  await requireExecutable('anvil', binary);
  return binary;
}
