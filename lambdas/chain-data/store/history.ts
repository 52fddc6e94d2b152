import type { ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { hexDigits } from '../../shared/chain-database/hex.ts';
import { sql } from '../../shared/chain-database/sql.ts';
import { POOL_EVENT_TOPICS } from '../decode/exchanges.ts';
import type { BlockRows } from '../decode/rows.ts';
import { type BlockRange, rangeIn } from './block-range.ts';
import { cover, DATASETS_OF_HISTORY, isCovered, lockCoverage } from './coverage.ts';
import { OvertakenError } from './cursor.ts';
import { insertRows, resolveEvents } from './load-blocks.ts';
import { requireSettled } from './pool-claims.ts';
import { RESTORE_POOLS } from './pools.ts';

/** Blocks that one step looks at, and those that it reads again: what a transaction has room for. */
const MAX_STEP_BLOCKS = 2_000;
const MAX_READ_BLOCKS = 200;

/**
 * The next blocks whose history is complete now, but was not when they were stored: events of pools that
 * were not known then are among their logs only. Undefined if there are none. A partition of the bulk path that is not
 * finished is left to it.
 * @returns the blocks, and which of them have to be read again
 */
export async function findHistoryStep(chain: ChainQueries) {
  const { rows } = await chain.query(
    sql`SELECT lower(part) AS from_block,
            least(upper(part) - 1, lower(part) + ${MAX_STEP_BLOCKS - 1}) AS to_block
     FROM {{schema}}.coverage AS stored, unnest(stored.covered) AS whole,
          unnest(int8multirange(whole) - coalesce(
            (SELECT covered FROM {{schema}}.coverage WHERE dataset = 'dex_liquidity_events'), '{}') - coalesce(
            (SELECT range_agg(int8range(from_block, to_block, '[]')) FROM {{schema}}.bulk_partitions
             WHERE finished_at IS NULL), '{}')) AS part
     WHERE stored.dataset = 'blocks' AND whole @> 0::bigint ORDER BY 1 LIMIT 1`,
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const range = rangeIn(row);
  const read = await blocksToRead(chain, range);
  return { ...range, to: read[MAX_READ_BLOCKS - 1] ?? range.to, read };
}

/** Blocks with events of pools that are known now, but have no rows; as many as one step reads. */
async function blocksToRead(chain: ChainQueries, { from, to }: BlockRange): Promise<number[]> {
  const topics = POOL_EVENT_TOPICS.map((topic) => hexDigits(topic));
  const { rows } = await chain.query(
    sql`WITH known AS (SELECT decode(digits, 'hex') AS topic FROM unnest(:topics::text::text[]) AS listed (digits))
     SELECT DISTINCT log.block_number FROM {{schema}}.logs AS log
     WHERE log.block_number BETWEEN :from AND :to
       AND {{schema}}.index_key(log.topic0) IN (SELECT {{schema}}.index_key(topic) FROM known)
       AND log.topic0 IN (SELECT topic FROM known)
       AND EXISTS (SELECT FROM {{schema}}.dex_pools WHERE pool_id IN (log.address, log.topic1))
       AND NOT EXISTS (SELECT FROM {{schema}}.dex_swaps AS event
                       WHERE (event.block_number, event.log_index) = (log.block_number, log.log_index))
       AND NOT EXISTS (SELECT FROM {{schema}}.dex_liquidity_events AS event
                       WHERE (event.block_number, event.log_index) = (log.block_number, log.log_index))
     ORDER BY 1 LIMIT ${MAX_READ_BLOCKS}`,
    { from, to, topics: `{${topics.join(',')}}` },
  );
  return rows.map(({ block_number }) => Number(block_number));
}

/**
 * Stores the events of pools of blocks that are stored without, and notes that the history of a range is
 * whole.
 * @throws {OvertakenError} if that is not so any more
 */
export async function storeHistory(
  chain: ChainQueries,
  { from, to }: BlockRange,
  blocks: readonly BlockRows[],
): Promise<void> {
  if (!(await isCovered(chain, { from: 0, to })))
    throw new OvertakenError(`not all blocks up to ${to} are stored any more`);
  const { rows, pools } = await resolveEvents(chain, blocks, []);
  await insertRows(chain, 'dex_swaps', rows.dex_swaps);
  await insertRows(chain, 'dex_liquidity_events', rows.dex_liquidity_events);
  for (const statement of RESTORE_POOLS) await chain.query(statement, { from, to });
  await lockCoverage(chain);
  await requireSettled(chain, pools);
  await cover(chain, DATASETS_OF_HISTORY, [{ from, to }]);
}
