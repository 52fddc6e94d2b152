import type { DexProtocol } from '../../shared/runtime/settings.ts';
import { EventReader } from './event-reader.ts';
import type { RawLog } from './raw-block.ts';
import type { LiquidityEvent, LogRows, LogSite, PoolRow, SwapEvent } from './rows.ts';
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

/** An exchange protocol: all that the code knows about it. A copy of one that keeps its events counts as that one. */
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

type Read<Said> = (event: EventReader) => Said;
type SaidSwap = Pick<SwapEvent, 'sender' | 'recipient' | 'amount0' | 'amount1'> & Partial<SwapEvent>;
type SaidPool = Pick<PoolRow, 'token0' | 'token1'> & Partial<PoolRow>;

const NO_STATE = { fee_pips: null, sqrt_price_x96: null, tick: null, liquidity: null };
const NOTHING_SAID = {
  owner: null,
  tick_lower: null,
  tick_upper: null,
  liquidity_delta: null,
  amount0: null,
  amount1: null,
  sqrt_price_x96: null,
};

/**
 * Makes decoders of a protocol's events from what the log of each says, by how many topics it has; a row has null for
 * what its log does not say.
 */
export function eventsOf(protocol: DexProtocol, emitter: Exchange['emitter']) {
  const poolOf = (log: RawLog, event: EventReader) => ({
    protocol,
    pool_id: emitter === 'pool' ? log.address : event.topic(1),
    emitter: log.address,
  });
  return {
    swap:
      (topics: number, read: Read<SaidSwap>): DecodeLog =>
      (log, site, rows, trader) => {
        const event = new EventReader(log, topics);
        rows.swap_events.push({ ...site, ...poolOf(log, event), ...NO_STATE, ...trader, ...read(event) });
      },
    liquidity:
      (kind: LiquidityEvent['kind'], topics: number, read: Read<Partial<LiquidityEvent>>): DecodeLog =>
      (log, site, rows) => {
        const event = new EventReader(log, topics);
        rows.liquidity_events.push({ ...site, ...poolOf(log, event), kind, ...NOTHING_SAID, ...read(event) });
      },
    creation: (
      place: Pick<PoolCreation, 'topic' | 'poolId'>,
      topics: number,
      read: Read<SaidPool>,
    ): PoolCreation => ({
      ...place,
      decode: (log, { block_number, log_index, block_time }, rows) => {
        const event = new EventReader(log, topics);
        const { poolId } = place;
        rows.dex_pools.push({
          pool_id: poolId === 'topic1' ? event.topic(1) : event.address(poolId.dataWord),
          protocol,
          factory: log.address,
          fee_pips: null,
          dynamic_fee: false,
          tick_spacing: null,
          hooks: null,
          created_block: block_number,
          updated_block: block_number,
          created_log_index: log_index,
          created_time: block_time,
          ...read(event),
        });
      },
    }),
  };
}
