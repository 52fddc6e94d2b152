import { createHash } from 'node:crypto';
import type { RawResponse, ReceivedCall } from './replies.ts';
import { hex } from './simulated-chain.ts';

const BLOCK_MS = 1_000;
const MS_PER_SECOND = 1_000;

/** A block as nodes show it. */
export interface ShownBlock {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
}

/** A chain that can lose its newest blocks and grow others in their place. */
export class ForkedChain {
  readonly #blocks: ShownBlock[] = [];
  #fork = 0;

  /** `head`: number of its newest block, made at `now`, in milliseconds since the epoch. */
  constructor(head: number, now: number) {
    for (let number = 0; number <= head; number++) this.#append(now - (head - number) * BLOCK_MS);
  }

  get head(): number {
    return this.#blocks.length - 1;
  }

  block(number: number): ShownBlock | undefined {
    return this.#blocks[number];
  }

  /** Adds blocks of the present. */
  grow(count: number, now: number): void {
    for (let added = 0; added < count; added++) this.#append(now);
  }

  /** Loses the newest blocks but the first one of all; those that grow later are others. Returns how many it lost. */
  rollBack(count: number): number {
    this.#fork += 1;
    return this.#blocks.splice(Math.max(1, this.#blocks.length - count)).length;
  }

  /** The chain as it is now: later changes leave it alone. */
  copy(): ForkedChain {
    const copy = new ForkedChain(-1, 0);
    copy.#blocks.push(...this.#blocks);
    copy.#fork = this.#fork;
    return copy;
  }

  /** The response of a node that is `lag` blocks behind. */
  answer({ method, params = [] }: ReceivedCall, lag = 0): RawResponse {
    const head = Math.max(0, this.head - lag);
    const at = (block: unknown) => (block === 'latest' ? head : Number(block));
    const shown = (number: number) => (number > head ? undefined : this.#blocks[number]);
    switch (method) {
      case 'eth_syncing':
        return { result: 'false' };
      case 'eth_blockNumber':
        return { result: JSON.stringify(hex(head)) };
      case 'eth_getBlockByNumber':
        return { result: JSON.stringify(shown(at(params[0])) ?? null) };
      case 'eth_getBlockByHash': {
        const found = this.#blocks.findIndex(({ hash }) => hash === params[0]);
        return { result: JSON.stringify(found < 0 ? null : (shown(found) ?? null)) };
      }
      case 'eth_getBalance': {
        const block = shown(at(params[1] ?? 'latest'));
        return block === undefined
          ? { error: '{"code":-32000,"message":"header not found"}' }
          : { result: JSON.stringify(block.hash) };
      }
      default:
        return { error: '{"code":-32601,"message":"method not found"}' };
    }
  }

  #append(timeMs: number): void {
    const number = this.#blocks.length;
    const parentHash = this.#blocks[number - 1]?.hash ?? `0x${'0'.repeat(64)}`;
    const digest = createHash('sha256').update(`${parentHash} ${number} ${this.#fork}`).digest('hex');
    const timestamp = hex(Math.floor(timeMs / MS_PER_SECOND));
    this.#blocks.push({ number: hex(number), hash: `0x${digest}`, parentHash, timestamp });
  }
}
