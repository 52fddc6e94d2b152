import { createHash } from 'node:crypto';
import type { Call } from '../../lambdas/shared/jsonrpc/calls.ts';

const HEAD = 1_000_000;
/** Blocks that pass while the mix is asked. */
const GROWTH_BLOCKS = 600;

/** A call of the mix, and how many blocks the chain has when it is asked. */
interface MixedCall {
  readonly call: Call;
  readonly head: number;
}

type Draw = (below: number) => number;

/** One kind of client: how many of a thousand calls are its, and what it asks when the head is where it is. */
interface Client {
  readonly share: number;
  readonly ask: (draw: Draw, head: number) => readonly [method: string, ...params: readonly unknown[]];
}

/**
 * Clients as public reports describe them, made up and not recorded: wallets and bots at the head, explorers around
 * popular blocks and transactions, indexers that follow or catch up, two of them over the same history.
 */
const CLIENTS: readonly Client[] = [
  {
    share: 340,
    ask: (draw) => ['eth_call', { to: word(`contract ${draw(200)}`, 40), data: word(draw(50), 8) }, 'latest'],
  },
  { share: 90, ask: () => ['eth_blockNumber'] },
  { share: 60, ask: () => ['eth_chainId'] },
  { share: 90, ask: (draw) => ['eth_getBalance', word(`wallet ${draw(5_000)}`, 40), 'latest'] },
  { share: 60, ask: (_, head) => ['eth_getBlockByNumber', quantity(head), true] },
  {
    share: 60,
    ask: (_, head) => ['eth_getLogs', { fromBlock: quantity(head - 5), toBlock: quantity(head) }],
  },
  { share: 80, ask: (draw) => ['eth_getTransactionReceipt', transaction(HEAD - skewed(draw, 20_000))] },
  { share: 50, ask: (draw, head) => ['eth_getTransactionReceipt', transaction(head - draw(100))] },
  { share: 90, ask: (draw) => ['eth_getBlockByNumber', quantity(HEAD - 5_000 - skewed(draw, 20_000)), true] },
  { share: 50, ask: (draw) => logsOf(HEAD - 10_000 - skewed(draw, 2_000) * 100) },
  { share: 20, ask: (draw) => ['debug_traceBlockByNumber', quantity(HEAD - 5_000 - skewed(draw, 5_000))] },
  { share: 10, ask: (draw) => ['eth_sendRawTransaction', word(draw(1e9), 220)] },
];

/** The same calls every time, in an order that a seed makes. */
export function mixedCalls(count: number): MixedCall[] {
  const draw = drawing(1);
  const total = CLIENTS.reduce((sum, { share }) => sum + share, 0);
  return Array.from({ length: count }, (_, index) => {
    const head = HEAD + Math.floor((index / count) * GROWTH_BLOCKS);
    let left = draw(total);
    const client = CLIENTS.find(({ share }) => {
      left -= share;
      return left < 0;
    }) as Client;
    const [method, ...params] = client.ask(draw, head);
    return { head, call: { id: Buffer.from('1'), method, params: Buffer.from(JSON.stringify(params)) } };
  });
}

/** Number of the block that a transaction of the mix is in. */
export function blockOfTransaction(hash: string): number {
  return Number.parseInt(hash.slice(-8), 16);
}

/** Few are asked for often, many rarely. */
function skewed(draw: Draw, range: number): number {
  return Math.floor(range * (draw(1e6) / 1e6) ** 4);
}

function logsOf(from: number): readonly [string, unknown] {
  return ['eth_getLogs', { fromBlock: quantity(from), toBlock: quantity(from + 99) }];
}

function transaction(block: number): string {
  return `${word(`tx of ${block}`, 56)}${block.toString(16).padStart(8, '0')}`;
}

function word(seed: string | number, digits: number): string {
  const hash = createHash('sha256').update(String(seed)).digest('hex');
  return `0x${hash.repeat(Math.ceil(digits / hash.length)).slice(0, digits)}`;
}

function quantity(number: number): string {
  return `0x${number.toString(16)}`;
}

/** A small generator of numbers, the same for the same seed. */
function drawing(seed: number): Draw {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
