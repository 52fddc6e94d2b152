import { type BlockRange, rangeIn } from '../../chain-data/store/block-range.ts';
import { missingRanges } from '../../chain-data/store/coverage.ts';
import type { LevelCounts } from '../../chain-data/store/proof-levels.ts';
import type { ChainConnection, ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { hasState, StatementTimeoutError } from '../../shared/chain-database/database-error.ts';
import { hexDigits } from '../../shared/chain-database/hex.ts';
import { type Sql, sql, sqlName } from '../../shared/chain-database/sql.ts';
import type { SqlParameters } from '../../shared/chain-database/sql-parameters.ts';
import type { WrittenFile } from './bulk-file.ts';

/** `unique_violation` and `exclusion_violation`: a file with some of these blocks is there. */
const TAKEN = ['23505', '23P01'];
const REFUSED = 'refused: ';
/** Files that were left by a run that ended, imported before anything is written. */
const MAX_LEFT_FILES = 20;

/** A partition that is made by files. */
export interface BulkPartition extends BlockRange {
  readonly transferRule: string;
  readonly attached: boolean;
  readonly finished: boolean;
}

/**
 * What a step came to: it is done, it is to be asked for again after a while, or it has taken a file out, which is to be
 * written anew.
 */
export type BulkOutcome = 'done' | 'waits' | 'refused';

/**
 * Runs one step in the database, which continues with it when the call times out. That says nothing of how it ends: the same
 * call again is told `running` while it does, and `done` once it is; if it has failed, it is begun anew.
 * @param statement a select of the step's answer as `said`
 */
export async function runStep(
  chain: ChainConnection,
  statement: Sql,
  parameters: SqlParameters,
): Promise<BulkOutcome> {
  try {
    const { rows } = await chain.query(statement, parameters, { continueAfterTimeout: true });
    const said = String(rows[0]?.said);
    if (said.startsWith(REFUSED)) return 'refused';
    return said === 'done' || said === 'attached' ? 'done' : 'waits';
  } catch (error) {
    if (error instanceof StatementTimeoutError) return 'waits';
    throw error;
  }
}

/** Runs the step of a partition that a function of the database is. */
export function runOn(chain: ChainConnection, name: string, partition: number): Promise<BulkOutcome> {
  return runStep(chain, sql`SELECT {{schema}}.${sqlName(name)}(:partition) AS said`, { partition });
}

/** The partition that begins at a block, or the one that holds it. */
export async function findPartition(chain: ChainQueries, block: number): Promise<BulkPartition | undefined> {
  const { rows } = await chain.query(
    sql`SELECT from_block, to_block, transfer_rule, attached_at IS NOT NULL AS attached,
            finished_at IS NOT NULL AS finished
     FROM {{schema}}.bulk_partitions WHERE :block BETWEEN from_block AND to_block`,
    { block },
  );
  const [row] = rows;
  return (
    row && {
      ...rangeIn(row),
      transferRule: String(row.transfer_rule),
      attached: row.attached === true,
      finished: row.finished === true,
    }
  );
}

/**
 * The blocks of a range that are to be written: those that no file of the manifest has, or one that was refused; how often they
 * were written, and why they were refused, if they were.
 */
export async function unwritten(chain: ChainQueries, { from, to }: BlockRange) {
  const { rows } = await chain.query(
    sql`SELECT lower(part) AS from_block, upper(part) - 1 AS to_block, coalesce(refused.attempts, 0) AS attempts,
            coalesce(refused.reason, '') AS reason
     FROM unnest(int8multirange(int8range(:from, :to, '[]')) - coalesce(
       (SELECT range_agg(int8range(from_block, to_block, '[]')) FROM {{schema}}.bulk_files WHERE refused IS NULL), '{}')) AS part
     CROSS JOIN LATERAL (
       SELECT max(attempt) AS attempts, max(refused) AS reason FROM {{schema}}.bulk_files
       WHERE refused IS NOT NULL AND int8range(from_block, to_block, '[]') && part
     ) AS refused ORDER BY 1`,
    { from, to },
  );
  return rows.map((row) => ({
    ...rangeIn(row),
    attempts: Number(row.attempts),
    reason: String(row.reason),
  }));
}

/** The blocks of a range that are not imported, whether a file has them or none. */
export function notImported(chain: ChainQueries, range: BlockRange): Promise<BlockRange[]> {
  return missingRanges(
    chain,
    range,
    sql`SELECT range_agg(int8range(from_block, to_block, '[]')) FROM {{schema}}.bulk_files WHERE imported_at IS NOT NULL`,
  );
}

/**
 * Adds a file to the manifest, in place of those of its blocks that were refused.
 * @returns whether it is; else another has written some of the blocks
 */
export async function noteFile(
  chain: ChainConnection,
  partition: number,
  { file, levels }: Pick<WrittenFile, 'file' | 'levels'>,
): Promise<boolean> {
  const range = { from: file.from, to: file.to };
  try {
    await chain.transaction(async (queries) => {
      await queries.query(
        sql`DELETE FROM {{schema}}.bulk_files WHERE refused IS NOT NULL AND imported_at IS NULL
         AND int8range(from_block, to_block, '[]') && int8range(:from, :to, '[]')`,
        range,
      );
      await queries.query(
        sql`INSERT INTO {{schema}}.bulk_files (from_block, to_block, partition, parts, first_hash, last_hash, attempt, levels)
         VALUES (:from, :to, :partition, :parts::text::jsonb, decode(:first, 'hex'), decode(:last, 'hex'), :attempt, :levels::text::jsonb)`,
        {
          ...range,
          partition,
          parts: JSON.stringify(file.parts),
          first: hexDigits(file.firstHash),
          last: hexDigits(file.lastHash),
          attempt: file.attempt,
          levels: JSON.stringify([...levels]),
        },
      );
    });
    return true;
  } catch (error) {
    if (hasState(error, ...TAKEN)) return false;
    throw error;
  }
}

/** Files of a range that are written and not imported, in the order of the chain; at most a few. */
export async function unimported(chain: ChainQueries, { from, to }: BlockRange): Promise<BlockRange[]> {
  const { rows } = await chain.query(
    sql`SELECT from_block, to_block FROM {{schema}}.bulk_files
     WHERE refused IS NULL AND imported_at IS NULL AND from_block BETWEEN :from AND :to
     ORDER BY from_block LIMIT ${MAX_LEFT_FILES}`,
    { from, to },
  );
  return rows.map(rangeIn);
}

/** Up to which block a step of a partition is done; the block below the partition before it has begun. */
export async function doneTo(chain: ChainQueries, partition: number, step: string): Promise<number> {
  const { rows } = await chain.query(
    sql`SELECT done_to FROM {{schema}}.bulk_steps WHERE partition = :partition AND step = :step`,
    { partition, step },
  );
  return rows[0] === undefined ? partition - 1 : Number(rows[0].done_to);
}

/** Whether a partition of earlier blocks is still being made: what is derived goes in the order of the chain. */
export async function hasEarlier(chain: ChainQueries, partition: number): Promise<boolean> {
  const { rows } = await chain.query(
    sql`SELECT count(*) AS earlier FROM {{schema}}.bulk_partitions WHERE from_block < :partition AND finished_at IS NULL`,
    { partition },
  );
  return Number(rows[0]?.earlier) > 0;
}

/** Notes that a step is done as a whole. */
export async function noteStep(chain: ChainQueries, { from, to }: BlockRange, step: string): Promise<void> {
  await chain.query(
    sql`INSERT INTO {{schema}}.bulk_steps (partition, step, done_to) VALUES (:from, :step, :to) ON CONFLICT DO NOTHING`,
    { from, to, step },
  );
}

/**
 * Opens a partition of blocks that are not stored, unless one begins there already.
 * @returns its last block; undefined if the blocks lie between stored ones of one partition, so that they cannot be one
 */
export async function openPartition(
  chain: ChainQueries,
  { from, to }: BlockRange,
  transferRule: string,
): Promise<number | undefined> {
  const { rows } = await chain.query(sql`SELECT {{schema}}.bulk_open(:from, :to, :transferRule) AS last`, {
    from,
    to,
    transferRule,
  });
  const last = rows[0]?.last ?? null;
  return last === null ? undefined : Number(last);
}

/** Partitions of a range that are not attached, by their first blocks. */
export async function openPartitions(chain: ChainQueries, { from, to }: BlockRange): Promise<number[]> {
  const { rows } = await chain.query(
    sql`SELECT from_block FROM {{schema}}.bulk_partitions
     WHERE attached_at IS NULL AND from_block <= :to AND to_block >= :from ORDER BY 1`,
    { from, to },
  );
  return rows.map(({ from_block }) => Number(from_block));
}

/** How sure the blocks of a partition's files are, added up. */
export async function levelsOfFiles(chain: ChainQueries, partition: number): Promise<LevelCounts> {
  const { rows } = await chain.query(
    sql`SELECT levels::text AS levels FROM {{schema}}.bulk_files WHERE partition = :partition AND refused IS NULL`,
    { partition },
  );
  const sums = new Map<number, readonly number[]>();
  for (const { levels } of rows)
    for (const [from, counts] of JSON.parse(String(levels)) as [number, number[]][])
      sums.set(
        from,
        counts.map((count, index) => count + (sums.get(from)?.[index] ?? 0)),
      );
  return sums;
}
