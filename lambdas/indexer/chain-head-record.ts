import type { CacheStore } from 'gateway-access';
import type { BlockId } from '../chain-data/store/block-id.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import { errorField, log } from '../shared/runtime/log.ts';

const MILLISECONDS_PER_SECOND = 1_000;
/** Least time between two records of a chain that goes on, in milliseconds. */
const RECORD_INTERVAL_MS = 1_000;
/** A chain whose indexer has stood still for longer than this has no head, in milliseconds. */
const RECORD_LIFE_MS = 7 * 24 * 3_600_000;

/** The indexed head of a chain, as all functions can read it. */
export interface ChainHeadRecord {
  readonly block: number;
  /** Time of the block, in milliseconds since the epoch. */
  readonly timeMs: number;
}

/**
 * Keeps the indexed head of a chain on record: what it is told at most once a second, so it has to be told again of a
 * head that stays. That a record fails is logged, and no more than that.
 */
export function createHeadRecorder(
  records: CacheStore,
  chain: string,
  clock: Clock,
): (block: Pick<BlockId, 'number' | 'timestamp'>) => Promise<void> {
  let recordedAt = Number.NEGATIVE_INFINITY;
  let recorded: number | undefined;
  return async ({ number, timestamp }) => {
    const now = clock.now();
    if (number === recorded || now - recordedAt < RECORD_INTERVAL_MS) return;
    recordedAt = now;
    recorded = number;
    const record: ChainHeadRecord = { block: number, timeMs: timestamp * MILLISECONDS_PER_SECOND };
    const body = Buffer.from(JSON.stringify(record));
    try {
      await records.write([{ key: recordKey(chain), body, expiresAt: now + RECORD_LIFE_MS }]);
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
export async function readHeadRecords(
  records: Pick<CacheStore, 'read'>,
  chains: readonly string[],
): Promise<ReadonlyMap<string, ChainHeadRecord>> {
  const chainOf = new Map(chains.map((chain) => [recordKey(chain), chain]));
  const found = await records.read([...chainOf.keys()]);
  return new Map(
    found.flatMap(({ key, body }) => {
      const chain = chainOf.get(key);
      return chain === undefined
        ? []
        : [[chain, JSON.parse(Buffer.from(body).toString()) as ChainHeadRecord]];
    }),
  );
}

/** No key of an answer has this sign. */
function recordKey(chain: string): string {
  return `head#${chain}`;
}
