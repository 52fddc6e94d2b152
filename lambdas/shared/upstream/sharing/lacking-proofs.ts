import type { CacheStore } from '../../aws/cache-store.ts';
import { PROOFS_KEY_PREFIX } from '../../aws/cache-table.ts';
import { chainRecord, readChainRecords } from '../../aws/chain-records.ts';

/** For how long it is known that nodes lacked proofs, in milliseconds: nodes fill up, plans change. */
const KNOWN_MS = 10 * 60_000;

interface LackingProofs {
  readonly blocks: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/**
 * Tells all instances how many of the newest blocks of a chain its nodes prove the state of, as they refused older ones; 0: none
 * has the method. The least number stands until it expires. Rejects when the store does not answer.
 */
export async function tellLackingProofs(
  store: CacheStore,
  chain: string,
  blocks: number,
  now: number,
): Promise<void> {
  // Of two that read at once the last one stands: the other tells again a minute later.
  const known = (await readLackingProofs(store, [chain], now)).get(chain);
  if (known !== undefined && known < blocks) return;
  const told: LackingProofs = { blocks, at: now };
  await store.write([chainRecord(PROOFS_KEY_PREFIX, chain, told, now + KNOWN_MS)]);
}

/** What is known of chains from the last ten minutes; the others are left out. Rejects when the store does not answer. */
export async function readLackingProofs(
  store: Pick<CacheStore, 'read'>,
  chains: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, number>> {
  const told = await readChainRecords<LackingProofs>(store, PROOFS_KEY_PREFIX, chains);
  return new Map(
    [...told].flatMap(([chain, { blocks, at }]) => (now - at < KNOWN_MS ? [[chain, blocks]] : [])),
  );
}
