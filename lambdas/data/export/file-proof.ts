import type { Queries } from '../../shared/chain-database/chain-database.ts';
import { chainSchema } from '../../shared/chain-database/chain-schema.ts';
import { COUNTED_BLOCKS, PROVEN_PARTS } from '../../shared/verify/chain-proof.ts';

/** The least sure level of all blocks of a file: of their hashes, and of each part. */
export interface FileProof
  extends Readonly<Record<(typeof PROVEN_PARTS)[number], 'computed' | 'agreed' | 'told'>> {
  readonly hash: 'agreed' | 'single' | 'contradicted';
}

/** How far the last block of a count is above its first. */
const LAST_OF_COUNT = COUNTED_BLOCKS - 1;

/**
 * How sure the blocks of a range are, by the counts that have one of them.
 * @returns undefined where none is counted
 * @throws {DatabaseError} as a query does
 */
export async function fileProof(
  database: Queries,
  chain: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<FileProof | undefined> {
  const schema = chainSchema(chain);
  const least = PROVEN_PARTS.map(
    (part) => `CASE WHEN sum(blocks - ${part}_computed - ${part}_agreed) > 0 THEN 'told'
      WHEN sum(${part}_agreed) > 0 THEN 'agreed' ELSE 'computed' END AS ${part}`,
  );
  const { rows } = await database.query(
    `SELECT CASE WHEN min(other) <= :to THEN 'contradicted'
        WHEN :to > min(named) OR bool_or(blocks - hash_agreed >
          greatest(0, least(from_block + ${LAST_OF_COUNT}, indexed) - greatest(from_block - 1, named))) THEN 'single'
        ELSE 'agreed' END AS hash, ${least.join(', ')}
     FROM ${schema}.proof_levels, (
       SELECT max(block_number) FILTER (WHERE name = 'indexed') AS indexed,
              coalesce(max(block_number) FILTER (WHERE name = 'agreed'), -1) AS named,
              max(block_number) FILTER (WHERE name = 'contradicted') AS other
       FROM ${schema}.cursors
     ) AS heads WHERE from_block >= :from - ${LAST_OF_COUNT} AND from_block <= :to HAVING count(*) > 0`,
    { from, to },
  );
  return rows[0] as FileProof | undefined;
}
