import {
  decodeConsecutiveTransfer,
  decodeTransfer,
  decodeTransferBatch,
  decodeTransferSingle,
  decodeUri,
} from './decode-transfers.ts';
import { wrappingDecoder } from './decode-wrapping.ts';
import { EventReader, MalformedLog } from './event-reader.ts';
import { EXCHANGES } from './exchanges.ts';
import { isoTime } from './iso-time.ts';
import type { DecodeLog } from './pool-events.ts';
import type { Hex, RawLog } from './raw-block.ts';
import type { LogRows, LogSite } from './rows.ts';
import { TOPICS } from './topics.ts';
import type { Trader } from './traders.ts';

/** The last second of the year 9999: a later time is none. */
const MAX_TIME_SECONDS = 253_402_300_799n;

/** What a chain's decoding needs to know. Addresses are in lower case. */
export interface DecodeOptions {
  /** Wrapped native tokens: only theirs are `Deposit` and `Withdrawal` logs that move a token. */
  readonly wrappedNative: ReadonlySet<Hex>;
  /** Contracts whose user operations say who trades. @default those of ERC-4337 */
  readonly entryPoints?: readonly string[] | undefined;
}

/** Events that mean something of a wrapped native token only. */
const OF_WRAPPED: ReadonlySet<string> = new Set([TOPICS.deposit, TOPICS.withdrawal]);
const DECODERS: ReadonlyMap<string, DecodeLog> = new Map<string, DecodeLog>([
  [TOPICS.transfer, decodeTransfer],
  [TOPICS.transferSingle, decodeTransferSingle],
  [TOPICS.transferBatch, decodeTransferBatch],
  [TOPICS.consecutiveTransfer, decodeConsecutiveTransfer],
  [TOPICS.uri, decodeUri],
  [TOPICS.deposit, wrappingDecoder('wrap')],
  [TOPICS.withdrawal, wrappingDecoder('unwrap')],
  // An event of a pool that makes it, too, is one decoder.
  ...Object.values(EXCHANGES).flatMap(({ creation, events }) => [
    [creation.topic, creation.decode] as const,
    ...events,
  ]),
  [TOPICS.uiMultiplierUpdated, decodeMultiplierUpdate],
]);

/** Rows that are still to be filled. */
export function emptyLogRows(): LogRows {
  return {
    erc20_transfers: [],
    nft_transfers: [],
    nft_uris: [],
    dex_pools: [],
    swap_events: [],
    liquidity_events: [],
    stock_multipliers: [],
    undecodable_logs: [],
  };
}

/**
 * Adds what a log says to `rows`. Never throws: a log without the shape of its event is added to the undecodable
 * ones, and to nothing else.
 */
export function decodeLog(
  log: RawLog,
  site: LogSite,
  decoding: DecodeOptions & { readonly traderOf: (log: RawLog) => Trader },
  rows: LogRows,
): void {
  const [topic0] = log.topics;
  if (topic0 === undefined) return;
  const decode = DECODERS.get(topic0);
  if (decode === undefined || (OF_WRAPPED.has(topic0) && !decoding.wrappedNative.has(log.address))) return;
  try {
    decode(log, site, rows, decoding.traderOf(log));
  } catch (error) {
    if (!(error instanceof MalformedLog)) throw error;
    rows.undecodable_logs.push({
      block_number: site.block_number,
      log_index: log.logIndex,
      address: log.address,
      topic0,
      reason: error.message,
    });
  }
}

/** `UIMultiplierUpdated` of ERC-8056: announces a multiplier. No log tells when it takes effect. */
function decodeMultiplierUpdate(
  log: RawLog,
  { block_number, log_index, tx_hash, block_time }: LogSite,
  rows: LogRows,
): void {
  const event = new EventReader(log, 1);
  rows.stock_multipliers.push({
    token: log.address,
    block_number,
    log_index,
    tx_hash,
    block_time,
    old_multiplier: event.uint(0),
    new_multiplier: event.uint(1),
    set_at: timeOf(event.uint(2)),
    effective_at: timeOf(event.uint(3)),
  });
}

function timeOf(seconds: bigint): string {
  if (seconds > MAX_TIME_SECONDS) throw new MalformedLog('not a time');
  return isoTime(Number(seconds));
}

/** The dataset whose rows are derived again where the rule for them has changed. */
export const DERIVED_DATASET = 'erc20_transfers';
/** To be raised whenever a log becomes another transfer of ERC-20 than before, or none. */
const VERSION = 2;

/** What the transfers of ERC-20 depend on beside the logs, as one text: rows of equal rules are equal. */
export function transferRule({ wrappedNative }: DecodeOptions): string {
  return `${VERSION} wrapped ${[...wrappedNative].sort().join(' ')}`.trim();
}
