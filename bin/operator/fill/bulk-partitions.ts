import type { BlockRange } from '../../../lambdas/chain-data/store/block-range.ts';
import type { ChainQueries } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import { sql } from '../../../lambdas/shared/chain-database/sql.ts';

/** Partitions that are printed, the first ones. */
const MAX_PARTITIONS = 50;

/** A partition that is made by files: where it is, and why a file of it was refused last. */
export interface BulkState {
  readonly from_block: number;
  readonly to_block: number;
  /** `filling` until its blocks are covered, `deriving` until all that is derived from them is there. */
  readonly state: 'filling' | 'deriving';
  readonly imported_blocks: number;
  /** The step that was done last. */
  readonly last_step: string | null;
  readonly refused: string | null;
}

/** Partitions of a range that are not finished. */
export async function bulkPartitions(chain: ChainQueries, { from, to }: BlockRange): Promise<BulkState[]> {
  const { rows } = await chain.query(
    sql`SELECT part.from_block, part.to_block, part.attached_at IS NOT NULL AS attached, files.imported, files.refused,
            (SELECT step FROM {{schema}}.bulk_steps WHERE partition = part.from_block ORDER BY noted_at DESC LIMIT 1)
              AS last_step
     FROM {{schema}}.bulk_partitions AS part CROSS JOIN LATERAL (
       SELECT coalesce(sum(to_block - from_block + 1) FILTER (WHERE imported_at IS NOT NULL), 0)::bigint AS imported,
              max(refused) AS refused
       FROM {{schema}}.bulk_files WHERE partition = part.from_block
     ) AS files
     WHERE part.finished_at IS NULL AND part.from_block <= :to AND part.to_block >= :from
     ORDER BY 1 LIMIT ${MAX_PARTITIONS}`,
    { from, to },
  );
  return rows.map((row) => ({
    from_block: Number(row.from_block),
    to_block: Number(row.to_block),
    state: row.attached === true ? 'deriving' : 'filling',
    imported_blocks: Number(row.imported),
    last_step: row.last_step === null ? null : String(row.last_step),
    refused: row.refused === null ? null : String(row.refused),
  }));
}
