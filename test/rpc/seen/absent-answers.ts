import { hex, transactionOf } from '../../nodes/simulated-chain.ts';
import { type SharedNode, SimulatedProcesses } from '../../nodes/simulated-processes.ts';
import { Random } from '../../simulation/random.ts';

const PROCESSES = 12;
const WAY_MS = 20;
/** Oldest view of a process, in milliseconds. */
const MAX_VIEW_MS = 1_500;
const ROUNDS = 36;

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

/** A stage whose last node is behind the others. */
export interface LateNode {
  readonly nodes: number;
  readonly lag: number;
  readonly blockMs: number;
}

export const LATE_NODES: readonly LateNode[] = [2, 3].flatMap((nodes) =>
  [1, 5].flatMap((lag) => [250, 1_000, 12_000].map((blockMs) => ({ nodes, lag, blockMs }))),
);

/** Whether an answer says that there is nothing. */
export function isNothing({ body }: { readonly body: { readonly result?: unknown } }): boolean {
  const { result } = body;
  return result === undefined || result === null || (Array.isArray(result) && result.length === 0);
}

/** How many look-ups of 36 miss what the key got from another process just before. */
export async function missing({ nodes, lag, blockMs }: LateNode, [method, params]: ByHash, seed: number) {
  const random = new Random(seed);
  const late: SharedNode[] = Array.from({ length: nodes }, (_, index) => ({
    latencyMs: WAY_MS,
    lag: index === nodes - 1 ? lag : 0,
  }));
  const world = new SimulatedProcesses(late, { processes: PROCESSES, blockMs, seed });
  for (let process = 0; process < PROCESSES; process++) {
    await world.asked(process, 'eth_getBalance', ['0x1', 'latest'], 'another');
    await world.clock.pass(random.integer(0, MAX_VIEW_MS / PROCESSES));
  }
  let wrong = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const [giving, asked] = [random.integer(0, PROCESSES - 1), random.integer(0, PROCESSES - 1)];
    const newest = await world.asked(giving, 'eth_getBlockByNumber', ['latest', false]);
    const answer = await world.asked(asked, method, params(newest.body.result as Block));
    if (isNothing(answer)) wrong += 1;
    await world.clock.pass(random.integer(0, MAX_VIEW_MS));
  }
  return wrong;
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
