import type { Queries } from '../shared/chain-database/chain-database.ts';
import { chainSchema } from '../shared/chain-database/chain-schema.ts';
import { hexList } from '../shared/chain-database/hex.ts';
import type { TransactionPlace } from './plan/binder.ts';

/** Statements of one look-up at most, each over 16 partitions: a chain of 64 TB has as many. */
const MAX_ROUNDS = 64;

/**
 * Where transactions are, looked for from the newest partition down: each statement opens at most 16 of them, three pages of
 * each for every hash.
 * @param hashes in lower case
 * @returns places by hash, of those that are stored
 * @throws {DatabaseError} as a query does
 */
export async function findTransactions(
  database: Queries,
  chain: string,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, TransactionPlace>> {
  const found = new Map<string, TransactionPlace>();
  let below = Number.MAX_SAFE_INTEGER;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const sought = hashes.filter((hash) => !found.has(hash));
    if (sought.length === 0) return found;
    const { rows } = await database.query(
      `SELECT '0x' || encode(hash, 'hex') AS hash, block_number, tx_index FROM ${chainSchema(chain)}.find_transactions(
        (SELECT array_agg(decode(digits, 'hex')) FROM unnest(:hashes::text::text[]) AS sought (digits)), :below)`,
      { hashes: hexList(sought), below },
    );
    for (const { hash, block_number, tx_index } of rows)
      if (hash !== null) found.set(String(hash), { block: Number(block_number), index: Number(tx_index) });
    const rest = rows.find(({ hash }) => hash === null);
    if (rest === undefined) return found;
    below = Number(rest.block_number);
  }
  throw new RangeError(`a transaction of ${chain} was not found in the newest ${MAX_ROUNDS * 16} partitions`);
}
