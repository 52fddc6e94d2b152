import type { CacheStore } from 'gateway-access';
import type { Clock } from '../clock.ts';
import { type ChainHeadRecord, readHeadRecords } from '../indexer/chain-head-record.ts';
import { errorField, log } from '../log.ts';
import type { ReadHead } from './chain-status.ts';

/** Records are read again once they are this old: the endpoint is public. */
const RECORDS_MAX_AGE_MS = 2_000;

/** Reads the indexed heads of chains; of a chain that is not indexed, whatever else tells its head. */
export function createRecordedHeads(
  records: CacheStore,
  chains: readonly string[],
  otherwise: ReadHead,
  clock: Clock,
): ReadHead {
  let latest: Promise<ReadonlyMap<string, ChainHeadRecord>> = Promise.resolve(new Map());
  let readAt = Number.NEGATIVE_INFINITY;
  return async (chain) => {
    const now = clock.now();
    if (now - readAt >= RECORDS_MAX_AGE_MS) {
      readAt = now;
      latest = readHeadRecords(records, chains).catch((error: unknown) => {
        log('warn', 'head_records_unavailable', { error: errorField(error) });
        return new Map();
      });
    }
    return (await latest).get(chain.chain) ?? otherwise(chain);
  };
}
