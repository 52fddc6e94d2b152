import { mkdir } from 'node:fs/promises';
import { anvilBinary, dumpArguments, nodeArguments, TRANSACTION_BLOCKS } from '../processes/anvil.ts';
import { type Address, type EmbeddedProcess, startEmbeddedProcess } from '../processes/embedded-process.ts';
import { hasChainId } from '../processes/node-calls.ts';

/** Enough to write the chain's state on the way out. */
const STOP_TIMEOUT_MS = 60_000;
const STATE_BLOCKS = 128;

interface DemoNodeOptions {
  readonly chainId: number;
  readonly folder: string;
  /** Time of block 0, in seconds since the epoch. */
  readonly genesisTime: number;
  /** Blocks whose state is kept, and so can be traced. @default 128 */
  readonly stateBlocks?: number;
  /** Where the chain is written when the node is stopped; absent: nowhere. */
  readonly stateFile?: string;
}

/**
 * Starts an anvil to play the demo chain on. Unlike the one that then serves the chain it keeps no steps of its
 * transactions, which would take gigabytes.
 * @throws LocalRunError when anvil is not installed or does not start
 */
export async function startDemoNode(options: DemoNodeOptions): Promise<EmbeddedProcess> {
  const { chainId, folder } = options;
  const command = await anvilBinary();
  await mkdir(folder, { recursive: true });
  return startEmbeddedProcess({
    name: 'anvil of the demo chain',
    command,
    commandArguments: (address) => demoArguments(address, options),
    hidden: true,
    cwd: folder,
    isReady: ({ url }) => hasChainId(url, chainId),
    stopTimeoutMs: STOP_TIMEOUT_MS,
  });
}

function demoArguments(address: Address, options: DemoNodeOptions): string[] {
  const { chainId, genesisTime, stateBlocks = STATE_BLOCKS, stateFile } = options;
  return [
    ...nodeArguments(address, chainId),
    `--timestamp=${genesisTime}`,
    `--transaction-block-keeper=${TRANSACTION_BLOCKS}`,
    `--prune-history=${stateBlocks}`,
    ...(stateFile === undefined ? [] : dumpArguments(stateFile)),
  ];
}
