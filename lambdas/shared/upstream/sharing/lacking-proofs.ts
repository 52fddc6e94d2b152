import type { CacheStore } from '../../aws/cache-store.ts';
import { PROOFS_KEY_PREFIX } from '../../aws/cache-table.ts';

/** For how long it is known that nodes lacked proofs, in milliseconds: nodes fill up, plans change. */
const KNOWN_MS = 10 * 60_000;

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
  const body = Buffer.from(JSON.stringify({ blocks, at: now }));
  await store.write([{ key: recordKey(chain), body, expiresAt: now + KNOWN_MS }]);
}

/** What is known of chains from the last ten minutes; the others are left out. Rejects when the store does not answer. */
export async function readLackingProofs(
  store: Pick<CacheStore, 'read'>,
  chains: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, number>> {
  const chainOf = new Map(chains.map((chain) => [recordKey(chain), chain]));
  const found = await store.read([...chainOf.keys()]);
  return new Map(
    found.flatMap(({ key, body }) => {
      const chain = chainOf.get(key);
      const record = JSON.parse(Buffer.from(body).toString()) as {
        readonly blocks: number;
        readonly at: number;
      };
      return chain === undefined || now - record.at >= KNOWN_MS ? [] : [[chain, record.blocks] as const];
    }),
  );
}

function recordKey(chain: string): string {
  return PROOFS_KEY_PREFIX + chain;
}
