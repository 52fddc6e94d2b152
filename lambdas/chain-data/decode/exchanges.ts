import type { DexProtocol } from '../../shared/runtime/settings.ts';
import {
  decodePairCreated,
  decodeSync,
  decodeV2Burn,
  decodeV2Mint,
  decodeV2Swap,
} from './decode-uniswap-v2.ts';
import {
  decodePoolCreated,
  decodeV3Burn,
  decodeV3Collect,
  decodeV3Initialize,
  decodeV3Mint,
  decodeV3Swap,
} from './decode-uniswap-v3.ts';
import {
  decodeDonate,
  decodeModifyLiquidity,
  decodeV4Initialize,
  decodeV4Swap,
} from './decode-uniswap-v4.ts';
import type { RawLog } from './raw-block.ts';
import type { LogRows, LogSite } from './rows.ts';
import { TOPICS } from './topics.ts';
import type { Trader } from './traders.ts';

/** Adds the rows of a log. @throws MalformedLog if it does not have the shape of its event */
export type DecodeLog = (log: RawLog, site: LogSite, rows: LogRows, trader: Trader) => void;

/** The event by which a factory makes a pool. */
export interface PoolCreation {
  readonly topic: string;
  readonly decode: (log: RawLog, site: LogSite, rows: LogRows) => void;
  /** Where the log has the id of the pool: its first topic, or the address in a word of its data, counted from 0. */
  readonly poolId: 'topic1' | { readonly dataWord: number };
}

/** An exchange protocol: all that the code is told about it. A copy of one that keeps its events counts as that one. */
export interface Exchange {
  readonly creation: PoolCreation;
  /** Decoders of the events of a pool, which mean something only if the pool is known, by `topic0`. */
  readonly events: ReadonlyMap<string, DecodeLog>;
  /** The contract that logs the events of a pool: the pool itself, or the factory for all of them. */
  readonly emitter: 'pool' | 'factory';
  /**
   * What a price follows from: reserves that are logged after each change, or a price that swaps log, beside
   * liquidity in ranges of ticks.
   */
  readonly pricing: 'reserves' | 'ticks';
}

export const EXCHANGES: Readonly<Record<DexProtocol, Exchange>> = {
  uniswap_v2: {
    creation: { topic: TOPICS.v2PairCreated, decode: decodePairCreated, poolId: { dataWord: 0 } },
    events: new Map([
      [TOPICS.v2Swap, decodeV2Swap],
      [TOPICS.v2Sync, decodeSync],
      [TOPICS.v2Mint, decodeV2Mint],
      [TOPICS.v2Burn, decodeV2Burn],
    ]),
    emitter: 'pool',
    pricing: 'reserves',
  },
  uniswap_v3: {
    creation: { topic: TOPICS.v3PoolCreated, decode: decodePoolCreated, poolId: { dataWord: 1 } },
    events: new Map([
      [TOPICS.v3Initialize, decodeV3Initialize],
      [TOPICS.v3Swap, decodeV3Swap],
      [TOPICS.v3PancakeSwap, decodeV3Swap],
      [TOPICS.v3Mint, decodeV3Mint],
      [TOPICS.v3Burn, decodeV3Burn],
      [TOPICS.v3Collect, decodeV3Collect],
    ]),
    emitter: 'pool',
    pricing: 'ticks',
  },
  uniswap_v4: {
    creation: { topic: TOPICS.v4Initialize, decode: decodeV4Initialize, poolId: 'topic1' },
    // The creation is the event of the pool, too, which tells its first price.
    events: new Map([
      [TOPICS.v4Initialize, decodeV4Initialize],
      [TOPICS.v4Swap, decodeV4Swap],
      [TOPICS.v4ModifyLiquidity, decodeModifyLiquidity],
      [TOPICS.v4Donate, decodeDonate],
    ]),
    emitter: 'factory',
    pricing: 'ticks',
  },
};

/** Protocols whose pools are priced by their reserves. */
export const RESERVE_PROTOCOLS: readonly string[] = Object.entries(EXCHANGES).flatMap(
  ([protocol, { pricing }]) => (pricing === 'reserves' ? [protocol] : []),
);

/** `topic0` of the events that only mean something if their pool is known. */
export const POOL_EVENT_TOPICS: readonly string[] = Object.values(EXCHANGES).flatMap(({ events }) => [
  ...events.keys(),
]);
