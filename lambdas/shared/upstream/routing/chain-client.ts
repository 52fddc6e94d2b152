import type { ChainUpstreams } from '../chain-upstreams.ts';
import type { HeadReports } from '../head/head-reports.ts';
import { LateTurns } from '../health/late-turns.ts';
import { type ChainSharing, NO_SHARING } from '../sharing/share-chain.ts';
import { type Bulkhead, NO_BULKHEAD } from './bulkhead.ts';
import { createHeadTracker, type HeadTracker } from './head-tracker.ts';

/** Ways to ask for the newest block that are told apart. */
const MAX_FORMS = 4;
/** Largest block that is kept, in bytes. */
const MAX_BLOCK_BYTES = 256 * 1024;
/** How long a kept block stands for the newest, in milliseconds. */
const MAX_AGE_MS = 15_000;
interface NewestBlock {
  readonly number: bigint;
  readonly result: Uint8Array;
  readonly keptAt: number;
}
/** The newest block as it was last given to a client, for each form in which it is asked for. */
class NewestBlocks {
  readonly #blocks = new Map<string, NewestBlock>();

  /** Keeps a copy of a block that is given to a client. `params`: raw JSON of the call's. */
  keep(params: string, number: bigint, result: Uint8Array, now: number): void {
    this.#blocks.delete(params);
    if (result.length > MAX_BLOCK_BYTES) return;
    this.#blocks.set(params, { number, result: new Uint8Array(result), keptAt: now });
    const [oldest] = this.#blocks.keys();
    if (this.#blocks.size > MAX_FORMS && oldest !== undefined) this.#blocks.delete(oldest);
  }

  /** The kept block, if it is neither older than what clients were told nor newer than what is left of the chain. */
  find(
    params: string,
    { served, head = 0n }: Pick<HeadReports, 'served' | 'head'>,
    now: number,
  ): Uint8Array | undefined {
    const kept = this.#blocks.get(params);
    if (kept === undefined || now - kept.keptAt > MAX_AGE_MS) return undefined;
    return served <= kept.number && kept.number <= head ? kept.result : undefined;
  }
}

/** Serves the JSON-RPC calls of one chain: its upstreams, and this instance's memory of their responses. */
export interface ChainClient extends ChainUpstreams {
  readonly head: HeadTracker;
  readonly bulkhead: Bulkhead;
  readonly newestBlocks: NewestBlocks;
  /** Of groups of calls that are to be hedged. */
  readonly lateGroups: LateTurns;
}

/** Makes the node of a chain out of its upstreams. `bulkhead`: absent, any request may wait for it; `sharing`: absent, it has none. */
export function createChainClient(
  upstreams: ChainUpstreams,
  bulkhead: Bulkhead = NO_BULKHEAD,
  sharing: ChainSharing = NO_SHARING,
): ChainClient {
  return {
    ...upstreams,
    head: createHeadTracker(upstreams, bulkhead, sharing),
    bulkhead,
    newestBlocks: new NewestBlocks(),
    lateGroups: new LateTurns(upstreams),
  };
}
