import type { ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { hexDigits } from '../../shared/chain-database/hex.ts';
import { loadRows } from '../../shared/chain-database/load-rows.ts';
import { joinSql, sql, sqlName } from '../../shared/chain-database/sql.ts';
import { COUNTED_BLOCKS, PROVEN_PARTS } from '../../shared/verify/chain-proof.ts';
import type { BlockId, BlockProof, ProofLevel } from '../decode/raw-block.ts';
import type { BlockRows } from '../decode/rows.ts';

/** Letters by which the ring has the levels of a block: of its hash, then of each part. */
const AGREED = 'a';
const SINGLE = 's';
const LETTERS: Readonly<Record<ProofLevel, string>> = { computed: 'c', agreed: AGREED, told: 't' };

/** What is counted of a block beside itself: the letter at a place. All else is as one node says. */
const COUNTED: readonly (readonly [column: string, place: number, letter: string])[] = [
  ['hash_agreed', 0, AGREED],
  ...PROVEN_PARTS.flatMap((part, index) =>
    (['computed', 'agreed'] as const).map(
      (level) => [`${part}_${level}`, index + 1, LETTERS[level]] as const,
    ),
  ),
];
const COUNT_COLUMNS = ['blocks', ...COUNTED.map(([column]) => column)];

/** The levels of a block. */
export interface BlockLevels {
  readonly number: number;
  /** A letter of its hash, and one of each part. */
  readonly levels: string;
}

/** A block whose hash another node named than that it was read from, or of which one names another. */
export type NamedBlock = Pick<BlockId, 'number' | 'hash'>;

/** What other nodes said of hashes of the stored chain. */
export interface HashFindings {
  /** The highest block whose hash an independent node named. */
  readonly named?: NamedBlock;
  /** The lowest found of which one has another hash, where no third decides. */
  readonly contradicted?: NamedBlock;
}

/** Counts of {@link COUNT_COLUMNS}, by the first block of those that a row counts. */
export type LevelCounts = ReadonlyMap<number, readonly number[]>;

/** The levels of a block whose hash nobody has named yet. */
export function levelsOf({ block, proof }: Pick<BlockRows, 'block' | 'proof'>): BlockLevels {
  const letters = PROVEN_PARTS.map((part) => LETTERS[proof?.[part] ?? 'told']);
  return { number: block.number, levels: SINGLE + letters.join('') };
}

/** Whether the hash of a block names its parent: its header comes out of it, or two nodes have it. */
function isLinked(proof: BlockProof | undefined): boolean {
  return (proof?.header ?? 'told') !== 'told';
}

/**
 * The levels of blocks that follow each other, of which an independent node named the hash of the last: that of each one below is
 * named by the header above it, as far as these are proven.
 */
export function namedLevels(blocks: readonly Pick<BlockRows, 'block' | 'proof'>[]): BlockLevels[] {
  const told = blocks.findLastIndex(({ proof }) => !isLinked(proof));
  return blocks.map((block, index) => {
    const { number, levels } = levelsOf(block);
    return { number, levels: index >= told ? AGREED + levels.slice(1) : levels };
  });
}

/** Adds blocks to counts. */
export function countLevels(
  blocks: readonly BlockLevels[],
  counts: Map<number, number[]> = new Map(),
): Map<number, number[]> {
  for (const { number, levels } of blocks) {
    const from = number - (number % COUNTED_BLOCKS);
    const sums = counts.get(from) ?? [];
    const added = [true, ...COUNTED.map(([, place, letter]) => levels[place] === letter)];
    counts.set(
      from,
      added.map((isCounted, index) => (sums[index] ?? 0) + Number(isCounted)),
    );
  }
  return counts;
}

/** Adds what is counted to what is stored, in a transaction that holds the coverage. */
export async function addLevels(chain: ChainQueries, counts: LevelCounts): Promise<void> {
  const sums = COUNT_COLUMNS.map((name) => sqlName(name)).map(
    (name) => sql`${name} = counted.${name} + EXCLUDED.${name}`,
  );
  await loadRows(chain, {
    table: sql`{{schema}}.proof_levels AS counted`,
    columns: Object.fromEntries([
      ['from_block', 'bigint'] as const,
      ...COUNT_COLUMNS.map((name) => [name, 'integer'] as const),
    ]),
    rows: [...counts].toSorted(([a], [b]) => a - b).map(([from, numbers]) => [from, ...numbers]),
    onConflict: sql`(from_block) DO UPDATE SET ${joinSql(sums, ', ')}`,
  });
}

/** Notes what other nodes said of hashes; of a block that is not in the ring, nothing. */
export async function noteFindings(
  chain: ChainQueries,
  { named, contradicted }: HashFindings,
): Promise<void> {
  if (named !== undefined) await raiseNamed(chain, named);
  if (contradicted === undefined) return;
  await chain.query(
    sql`INSERT INTO {{schema}}.cursors (name, block_number, block_hash, block_time)
     SELECT 'contradicted', block_number, block_hash, block_time FROM {{schema}}.ring
     WHERE block_number = :number AND block_hash = decode(:hash, 'hex')
     ON CONFLICT (name) DO UPDATE SET block_number = EXCLUDED.block_number, block_hash = EXCLUDED.block_hash,
       block_time = EXCLUDED.block_time, updated_at = now()`,
    { number: contradicted.number, hash: hexDigits(contradicted.hash) },
  );
}

/** The block of which an independent node has another hash, as it was noted. */
export async function readContradicted(chain: ChainQueries): Promise<NamedBlock | undefined> {
  const { rows } = await chain.query(
    sql`SELECT block_number, encode(block_hash, 'hex') AS hash FROM {{schema}}.cursors WHERE name = 'contradicted'`,
  );
  const [row] = rows;
  return row && { number: Number(row.block_number), hash: `0x${row.hash}` };
}

/**
 * Notes that an independent node named a block of the ring: its hash is agreed, and so is that of each one below down to the last
 * that was named, as far as the headers between are proven. Of blocks below the ring that is known by 1,024.
 */
async function raiseNamed(chain: ChainQueries, { number, hash }: NamedBlock): Promise<void> {
  await chain.query(
    sql`WITH named AS (
       SELECT ring.block_number AS last, before.block_number AS before,
              (SELECT min(block_number) FROM {{schema}}.ring) AS lowest
       FROM {{schema}}.ring JOIN {{schema}}.cursors AS before ON before.name = 'agreed'
       WHERE ring.block_number = :number AND ring.block_hash = decode(:hash, 'hex') AND before.block_number < :number
     ), raised AS (
       SELECT last, greatest(before + 1,
         (SELECT max(block_number) FROM {{schema}}.ring WHERE block_number <= last AND levels LIKE '_t%'),
         (SELECT max(least(from_block + :counted, lowest)) FROM {{schema}}.proof_levels
          WHERE from_block < lowest AND from_block + :counted > before + 1
            AND header_computed + header_agreed < blocks)) AS first
       FROM named
     ), counted AS (
       UPDATE {{schema}}.proof_levels
       SET hash_agreed = hash_agreed + least(from_block + :counted - 1, last) - greatest(from_block, first) + 1
       FROM raised WHERE from_block > first - :counted AND from_block <= last
     ), marked AS (
       UPDATE {{schema}}.ring SET levels = 'a' || substr(levels, 2) FROM raised WHERE block_number BETWEEN first AND last
     ), settled AS (
       DELETE FROM {{schema}}.cursors WHERE name = 'contradicted' AND EXISTS (SELECT FROM raised)
     )
     UPDATE {{schema}}.cursors SET block_number = last, block_hash = decode(:hash, 'hex'), updated_at = now()
     FROM raised WHERE name = 'agreed'`,
    { number, hash: hexDigits(hash), counted: COUNTED_BLOCKS },
  );
}

/** Takes back what is counted of the blocks above one of the ring, to which the cursor has moved; the ring still has them. */
export async function rewindLevels(chain: ChainQueries, block: number): Promise<void> {
  const { rows } = await chain.query(
    sql`SELECT block_number, levels FROM {{schema}}.ring WHERE block_number > :block`,
    { block },
  );
  const counts = countLevels(
    rows.map(({ block_number, levels }) => ({ number: Number(block_number), levels: String(levels) })),
  );
  await addLevels(
    chain,
    new Map([...counts].map(([from, numbers]) => [from, numbers.map((number) => -number)])),
  );
  await chain.query(sql`DELETE FROM {{schema}}.proof_levels WHERE from_block > :block`, { block });
  await chain.query(
    sql`UPDATE {{schema}}.cursors AS named SET block_number = indexed.block_number, block_hash = indexed.block_hash
     FROM {{schema}}.cursors AS indexed
     WHERE named.name = 'agreed' AND indexed.name = 'indexed' AND named.block_number > indexed.block_number`,
  );
  await chain.query(
    sql`DELETE FROM {{schema}}.cursors WHERE name = 'contradicted' AND block_number > :block`,
    { block },
  );
}
