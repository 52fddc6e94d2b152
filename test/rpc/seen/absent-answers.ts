import { hex, transactionOf } from '../../nodes/simulated-chain.ts';
import type { SharedNode, SimulatedProcesses } from '../../nodes/simulated-processes.ts';

const WAY_MS = 20;

/** What is asked about a block that a key got, by its hash or that of its transaction. */
export type ByHash = readonly [method: string, params: (block: Block) => readonly unknown[]];

interface Block {
  readonly number: string;
  readonly hash: string;
}

const transactionIn = ({ number }: Block) => [transactionOf(Number(number))];

export const BY_HASH: readonly ByHash[] = [
  ['eth_getBlockByHash', ({ hash }) => [hash, false]],
  ['eth_getLogs', ({ hash }) => [{ blockHash: hash }]],
  ['eth_getBlockReceipts', ({ hash }) => [hash]],
  ['eth_getTransactionReceipt', transactionIn],
  ['eth_getTransactionByHash', transactionIn],
];

/** Whether an answer says that there is nothing. */
export function isNothing({ body }: { readonly body: { readonly result?: unknown } }): boolean {
  const { result } = body;
  return result === undefined || result === null || (Array.isArray(result) && result.length === 0);
}

/** A hash that no block and no transaction has. */
export function nobodys(number: number): string {
  return `0x${'f'.repeat(48)}${hex(number).slice(2).padStart(16, 'f')}`;
}

/** Nodes of a chain with one block a second; the last is so many blocks behind. */
export function apart(count: number, lag = 0): SharedNode[] {
  return Array.from({ length: count }, (_, index) => ({
    latencyMs: WAY_MS,
    lag: index === count - 1 ? lag : 0,
  }));
}

/** Gets the newest block from a process. */
export async function newestOf(world: SimulatedProcesses, process = 0): Promise<Block> {
  const { body } = await world.asked(process, 'eth_getBlockByNumber', ['latest', false]);
  return body.result as Block;
}

/** A call of a batch. */
export function batched(method: string, params: readonly unknown[], id: number) {
  return { jsonrpc: '2.0', id, method, params };
}
