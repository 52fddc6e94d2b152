import type { CacheStore } from 'gateway-access';
import type { BlockId } from '../chain-data/decode/raw-block.ts';
import { HEAD_KEY_PREFIX } from '../shared/aws/cache-table.ts';
import { chainRecord, readChainRecords } from '../shared/aws/chain-records.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import { errorField, log } from '../shared/runtime/log.ts';

const MILLISECONDS_PER_SECOND = 1_000;
/** Least time between two records of a chain that continues, in milliseconds. */
const RECORD_INTERVAL_MS = 1_000;
/** Longest time between two records of a chain that stands still, in milliseconds: a record shows that its node answered. */
const RENEW_INTERVAL_MS = 10_000;
/** A chain whose indexer has stood still for longer than this has no head, in milliseconds. */
const RECORD_LIFE_MS = 7 * 24 * 3_600_000;

/** The indexed head of a chain, as all functions can read it. */
export interface ChainHeadRecord {
  readonly block: number;
  /** Time of the block, in milliseconds since the epoch. */
  readonly timeMs: number;
  /** When its node last answered the indexer, in milliseconds since the epoch. */
  readonly heardAtMs: number;
  /** Nothing is stored any more until an operator has looked. @default false */
  readonly halted?: boolean;
}

/**
 * Keeps the indexed head of a chain on record: what it gets at most once a second, and once in ten seconds what stays,
 * so callers repeat a head that stays. A halt is recorded at once. That a record fails is logged, and no more than that.
 */
export function createHeadRecorder(
  records: CacheStore,
  chain: string,
  clock: Clock,
): (block: Pick<BlockId, 'number' | 'timestamp'>, halted?: boolean) => Promise<void> {
  let recordedAt = -Infinity;
  let recorded: { readonly number: number; readonly halted: boolean } | undefined;
  return async ({ number, timestamp }, halted = false) => {
    const now = clock.now();
    const interval = number === recorded?.number ? RENEW_INTERVAL_MS : RECORD_INTERVAL_MS;
    if (halted === (recorded?.halted ?? false) && now - recordedAt < interval) return;
    recordedAt = now;
    recorded = { number, halted };
    const timeMs = timestamp * MILLISECONDS_PER_SECOND;
    const record: ChainHeadRecord = { block: number, timeMs, heardAtMs: now, ...(halted && { halted }) };
    try {
      await records.write([chainRecord(HEAD_KEY_PREFIX, chain, record, now + RECORD_LIFE_MS)]);
    } catch (error) {
      recorded = undefined;
      log('warn', 'head_record_failed', { chain, error: errorField(error) });
    }
  };
}

/**
 * Reads the indexed heads of chains, by chain; those that have none are left out.
 * @throws where the store does not answer
 */
export function readHeadRecords(
  records: Pick<CacheStore, 'read'>,
  chains: readonly string[],
): Promise<ReadonlyMap<string, ChainHeadRecord>> {
  return readChainRecords(records, HEAD_KEY_PREFIX, chains);
}
