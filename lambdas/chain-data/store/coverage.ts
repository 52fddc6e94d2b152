import type { ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { runOnRows } from '../../shared/chain-database/load-rows.ts';
import { type Sql, sql, sqlText } from '../../shared/chain-database/sql.ts';
import { DERIVED_DATASET } from '../decode/decode-logs.ts';
import { type BlockRange, multirange, rangeIn } from './block-range.ts';
import { OvertakenError } from './cursor.ts';

/** Datasets whose rows come out of the block that they belong to, and of nothing else. */
const DATASETS_OF_ROWS = ['logs', 'nft_transfers', 'transactions'];
/** Datasets of tables that have a row for what many blocks say. */
const DATASETS_OF_SUMS = ['dex_pools', 'stock_multipliers', 'stock_tokens', 'tokens'];
/** Of blocks of which all was stored that a node tells: files of cryo have less. */
const DATASET_OF_WHOLE_BLOCKS = 'withdrawals';

const ADDED = sql`ON CONFLICT (dataset) DO UPDATE SET covered = coverage.covered + EXCLUDED.covered, updated_at = now()`;
/** Datasets that are complete only where all of the chain before is indexed. */
export const DATASETS_OF_HISTORY = ['dex_liquidity_events', 'dex_swaps', 'nft_owners'];

/**
 * Notes that blocks are stored. A transaction does it last, but for what no other may change meanwhile: until
 * it ends, all others that store blocks wait here.
 * @param whole those that have their traces, and those of which all else is stored that a node tells
 * @param rule what their transfers were derived by: while another rule is in force, they are not covered
 * @throws {OvertakenError} if one of the blocks was stored before
 */
export async function coverBlocks(
  chain: ChainQueries,
  range: BlockRange,
  { traced, told }: Readonly<Record<'traced' | 'told', readonly BlockRange[]>>,
  rule: string,
): Promise<void> {
  await coverNew(chain, range);
  const { whole, inForce } = await stateBelow(chain, range.to, rule);
  const datasets = [
    ...DATASETS_OF_ROWS,
    ...DATASETS_OF_SUMS,
    ...(inForce ? [DERIVED_DATASET] : []),
    ...(whole ? DATASETS_OF_HISTORY : []),
  ];
  await addCoverage(chain, [
    ...datasets.map((dataset) => [dataset, [range]] as const),
    ['traces', traced],
    [DATASET_OF_WHOLE_BLOCKS, told],
  ]);
}

/**
 * Notes that the rows of blocks are stored, and nothing yet that is added up of them; traces but for the recorded gaps. As
 * {@link coverBlocks} otherwise.
 */
export async function coverRows(chain: ChainQueries, range: BlockRange, rule: string): Promise<void> {
  await coverNew(chain, range);
  const { inForce } = await stateBelow(chain, range.to, rule);
  const datasets = [...DATASETS_OF_ROWS, DATASET_OF_WHOLE_BLOCKS, ...(inForce ? [DERIVED_DATASET] : [])];
  await cover(chain, datasets, [range]);
  await chain.query(
    sql`INSERT INTO {{schema}}.coverage AS coverage (dataset, covered)
     SELECT 'traces', traced.covered FROM (
       SELECT :range::text::int8multirange - coalesce(range_agg(int8range(from_block, to_block, '[]')), '{}') AS covered
       FROM {{schema}}._trace_gaps
     ) AS traced WHERE NOT isempty(traced.covered)
     ${ADDED}`,
    { range: multirange([range]) },
  );
}

/** Notes that all that is added up of blocks has them, once {@link coverRows} has noted their rows. */
export async function coverSums(chain: ChainQueries, range: BlockRange): Promise<void> {
  await lockCoverage(chain);
  const isWhole = await isCovered(chain, { from: 0, to: range.to });
  const datasets = [...DATASETS_OF_SUMS, ...(isWhole ? DATASETS_OF_HISTORY : [])];
  await cover(chain, datasets, [range]);
}

async function coverNew(chain: ChainQueries, range: BlockRange): Promise<void> {
  const added = await chain.query(
    sql`INSERT INTO {{schema}}.coverage AS coverage (dataset, covered) VALUES ('blocks', :range::text::int8multirange)
     ${ADDED}
     WHERE NOT coverage.covered && EXCLUDED.covered`,
    { range: multirange([range]) },
  );
  if (added.updated !== 1)
    throw new OvertakenError(`some of blocks ${range.from} to ${range.to} are stored already`);
}

/** Whether all blocks up to one are stored, and no other rule for transfers is in force than this. */
async function stateBelow(chain: ChainQueries, to: number, rule: string) {
  const { rows } = await chain.query(
    sql`SELECT covered @> :range::text::int8multirange AS whole,
            NOT EXISTS (SELECT FROM {{schema}}.derivations
                        WHERE dataset = ${sqlText(DERIVED_DATASET)} AND rule <> :rule) AS in_force
     FROM {{schema}}.coverage WHERE dataset = 'blocks'`,
    { range: multirange([{ from: 0, to }]), rule },
  );
  return { whole: rows[0]?.whole === true, inForce: rows[0]?.in_force === true };
}

/** Notes that datasets have blocks; but for those of the transfers' rule in a transaction that holds {@link lockCoverage}. */
export async function cover(
  chain: ChainQueries,
  datasets: readonly string[],
  ranges: readonly BlockRange[],
): Promise<void> {
  await addCoverage(
    chain,
    datasets.map((dataset) => [dataset, ranges]),
  );
}

/** Always in the order of the datasets, so that no two transactions wait for each other. */
async function addCoverage(
  chain: ChainQueries,
  added: readonly (readonly [dataset: string, ranges: readonly BlockRange[]])[],
): Promise<void> {
  const covered = added.filter(([, ranges]) => ranges.length > 0);
  await runOnRows(
    chain,
    {
      columns: { dataset: 'text', covered: 'text' },
      rows: covered.map(([dataset, ranges]) => [dataset, multirange(ranges)]),
    },
    (rows) => sql`INSERT INTO {{schema}}.coverage AS coverage (dataset, covered)
     SELECT dataset, covered::int8multirange FROM (${rows}) AS added ORDER BY dataset
     ${ADDED}`,
  );
}

/** Keeps all others that store blocks waiting until the transaction ends. */
export const LOCK_COVERAGE: Sql = sql`SELECT true AS locked FROM {{schema}}.coverage WHERE dataset = 'blocks' FOR UPDATE`;

/** As {@link LOCK_COVERAGE}. */
export async function lockCoverage(chain: ChainQueries): Promise<void> {
  await chain.query(LOCK_COVERAGE);
}

/** Whether all blocks of a range are stored. */
export async function isCovered(chain: ChainQueries, range: BlockRange): Promise<boolean> {
  const { rows } = await chain.query(
    sql`SELECT covered @> :range::text::int8multirange AS whole FROM {{schema}}.coverage WHERE dataset = 'blocks'`,
    { range: multirange([range]) },
  );
  return rows[0]?.whole === true;
}

/**
 * The parts of a range that are not stored, in ascending order.
 * @param stored SQL that selects what is, as a multirange @default blocks of the tables
 */
export async function missingRanges(
  chain: ChainQueries,
  range: BlockRange,
  stored: Sql = sql`SELECT covered FROM {{schema}}.coverage WHERE dataset = 'blocks'`,
): Promise<BlockRange[]> {
  const { rows } = await chain.query(
    sql`SELECT lower(missing) AS from_block, upper(missing) - 1 AS to_block
     FROM unnest(:range::text::int8multirange - coalesce((${stored}), '{}')) AS missing ORDER BY 1`,
    { range: multirange([range]) },
  );
  return rows.map(rangeIn);
}

/** Forgets the blocks above one in every dataset. */
export async function uncoverAbove(chain: ChainQueries, block: number): Promise<void> {
  await lockCoverage(chain);
  await chain.query(
    sql`UPDATE {{schema}}.coverage
     SET covered = covered * int8multirange(int8range(NULL, :block, '[]')), updated_at = now()
     WHERE upper(covered) > :block + 1`,
    { block },
  );
}

/** Forgets from a block on that trades are complete, in a transaction that holds {@link lockCoverage}. */
export async function uncoverTrades(chain: ChainQueries, from: number): Promise<void> {
  await chain.query(
    sql`UPDATE {{schema}}.coverage SET covered = covered * int8multirange(int8range(NULL, :from)), updated_at = now()
     WHERE dataset IN ('dex_liquidity_events', 'dex_swaps') AND upper(covered) > :from`,
    { from },
  );
}
