import type { CacheStore, StoredResponse } from './cache-store.ts';

/**
 * The records of chains in the shared table whose keys begin so, by chain; those that have none are left out.
 * @throws where the store does not answer
 */
export async function readChainRecords<Value>(
  records: Pick<CacheStore, 'read'>,
  prefix: string,
  chains: readonly string[],
): Promise<ReadonlyMap<string, Value>> {
  const found = await records.read(chains.map((chain) => prefix + chain));
  return new Map(
    found.map(({ key, body }) => [
      key.slice(prefix.length),
      JSON.parse(Buffer.from(body).toString()) as Value,
    ]),
  );
}

/** A record of a chain as {@link readChainRecords} reads it. @param expiresAt milliseconds since the epoch */
export function chainRecord(
  prefix: string,
  chain: string,
  value: unknown,
  expiresAt: number,
): StoredResponse {
  return { key: prefix + chain, body: Buffer.from(JSON.stringify(value)), expiresAt };
}
