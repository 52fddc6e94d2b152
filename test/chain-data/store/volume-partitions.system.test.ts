import { FIRST_BLOCKS, LEAD_BLOCKS } from '../../../lambdas/chain-data/store/partition-bounds.ts';
import { Partitions } from '../../../lambdas/chain-data/store/partitions.ts';
import { openChainIndex } from '../../../lambdas/indexer/chain-index/chain-index.ts';
import { connectionTo } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import { untouchedSchema } from '../../database/empty-schemas.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../../database/migrated-database.ts';
import { append, cursorOf, linkedBlock } from './linked-blocks.ts';

/** The last block of the partition that a chain begins with, and the last one whose append needs no other. */
const LAST = FIRST_BLOCKS - 1;
const CALM = LAST - LEAD_BLOCKS;

let database: MigratedDatabase;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database?.close());

async function boundsOf(schema: string) {
  const { rows } = await database.reader.query(
    `SELECT from_block, to_block FROM "${schema}".partitions ORDER BY 1`,
  );
  return rows.map(({ from_block, to_block }) => [from_block, to_block]);
}

/** A chain whose newest blocks are these. */
async function chainAt(first: number, last: number) {
  const schema = await untouchedSchema(database);
  const index = openChainIndex(connectionTo(database.writer, schema));
  await index.begin(linkedBlock(first - 1, []));
  await append(index, range(first, last));
  return { schema, index };
}

/** Blocks of a branch that follow each other; the block below them is of the branch `below`. */
function range(first: number, last: number, branch = 0, below = 0) {
  return Array.from({ length: last - first + 1 }, (_, place) =>
    linkedBlock(first + place, [], branch, place === 0 ? below : branch),
  );
}

test('the next partition is as wide as the stored bytes ask for, and not above what they do', async () => {
  const schema = await untouchedSchema(database);
  const stored = 4_000;
  await database.writer.query(`INSERT INTO "${schema}".coverage VALUES ('blocks', '{[0,${stored})}')`);
  await database.writer.query(`INSERT INTO "${schema}".blocks SELECT n, sha256(int8send(n)), sha256(int8send(n - 1)), now(),
      '\\x00', 1, 1, 7, '\\x00', '\\x00', '\\x00', '\\x00', 0, 0, 500 FROM generate_series(0, ${stored - 1}) AS n`);
  const { rows } = await database.reader.query(
    `SELECT sum(pg_total_relation_size(oid))::bigint AS bytes FROM pg_class
     WHERE relnamespace = '"${schema}"'::regnamespace AND relkind = 'r' AND relname LIKE '%\\_r0'`,
  );
  const blockBytes = Number(rows[0]?.bytes) / stored;
  const width = 50_000;
  const partitions = new Partitions(connectionTo(database.writer, schema), width * blockBytes + 1);
  await partitions.ensure({ from: LAST, to: LAST }, LEAD_BLOCKS);
  expect(await boundsOf(schema)).toEqual([
    [0, FIRST_BLOCKS],
    [FIRST_BLOCKS, FIRST_BLOCKS + width],
  ]);
});

test('it is there a thousand blocks before it is needed', async () => {
  const { schema, index } = await chainAt(CALM, CALM);
  expect(await boundsOf(schema)).toEqual([[0, FIRST_BLOCKS]]);
  await append(index, [linkedBlock(CALM + 1, [])]);
  expect(await boundsOf(schema)).toEqual([
    [0, FIRST_BLOCKS],
    [FIRST_BLOCKS, 2 * FIRST_BLOCKS],
  ]);
});

test('a table that stays locked holds up no block that has its place, and the partition is made later', async () => {
  const { schema, index } = await chainAt(CALM, CALM);
  await database.admin.transaction(async (change) => {
    await change.query(`LOCK TABLE "${schema}".withdrawals IN SHARE UPDATE EXCLUSIVE MODE`);
    await append(index, [linkedBlock(CALM + 1, [])]);
    expect((await cursorOf(index)).number).toBe(CALM + 1);
    expect(await boundsOf(schema)).toHaveLength(1);
  });
  await append(index, [linkedBlock(CALM + 2, [])]);
  expect(await boundsOf(schema)).toHaveLength(2);
});

test('a reorganisation while the last partition is attached ends well, and so does the next across it', async () => {
  const { schema, index } = await chainAt(CALM - 9, CALM);
  const below = await index.cursor();
  await database.writer.transaction(async (making) => {
    const bounds = { from: FIRST_BLOCKS, end: FIRST_BLOCKS + 7, suffix: '_r1' };
    await making.query(`SELECT "${schema}".create_partition(:from, :end, :suffix)`, bounds);
    await making.query(`SELECT "${schema}".attach_partition(:from, :end, :suffix)`, bounds);
    if (below === undefined) throw new Error('no cursor');
    await index.rollBack(below, linkedBlock(CALM - 5, []));
  });
  await append(index, range(CALM - 4, LAST + 5, 1));
  const across = await index.cursor();
  if (across === undefined) throw new Error('no cursor');
  await index.rollBack(across, linkedBlock(LAST - 3, [], 1));
  await append(index, range(LAST - 2, LAST + 9, 2, 1));
  const { rows } = await database.reader.query(
    `SELECT count(*)::int AS blocks, max(number) AS last, count(*) FILTER (WHERE number >= ${FIRST_BLOCKS})::int AS above
     FROM "${schema}".blocks`,
  );
  expect(rows).toEqual([{ blocks: LAST + 9 - (CALM - 9) + 1, last: LAST + 9, above: 9 }]);
});

test('blocks go into a new partition while a reader that began before keeps its transaction open', async () => {
  const { schema, index } = await chainAt(CALM, CALM);
  const newest = `SELECT max(number) AS number FROM "${schema}".blocks`;
  await database.reader.transaction(async (open) => {
    await open.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    expect((await open.query(newest)).rows).toEqual([{ number: CALM }]);
    await append(index, range(CALM + 1, LAST + 1));
    expect((await open.query(newest)).rows).toEqual([{ number: CALM }]);
    expect((await database.reader.query(newest)).rows).toEqual([{ number: LAST + 1 }]);
  });
});
