import { EventReader } from './event-reader.ts';
import { isoTime } from './iso-time.ts';
import { MalformedLog } from './malformed-log.ts';
import type { RawLog } from './raw-block.ts';
import type { LogRows, LogSite } from './rows.ts';

/** The last second of the year 9999: a later time is none. */
const MAX_TIME_SECONDS = 253_402_300_799n;

/** `UIMultiplierUpdated` of ERC-8056: announces a multiplier. No log tells when it takes effect. */
export function decodeMultiplierUpdate(log: RawLog, site: LogSite, rows: LogRows): void {
  const event = new EventReader(log, 1);
  rows.stock_multipliers.push({
    token: log.address,
    block_number: site.block_number,
    log_index: site.log_index,
    tx_hash: site.tx_hash,
    block_time: site.block_time,
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
