import type { RawBlock } from '../../lambdas/chain-data/decode/raw-block.ts';
import type { BlockRows } from '../../lambdas/chain-data/decode/rows.ts';
import { openChainIndex } from '../../lambdas/indexer/chain-index/chain-index.ts';
import { fillRange } from '../../lambdas/indexer/follow/fill-range.ts';
import { PLAIN } from '../chain-data/decode/raw-blocks.ts';
import { untouchedSchema } from '../database/empty-schemas.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../database/migrated-database.ts';
import { followAll, inTime } from '../indexer/bad-input/indexed-chain.ts';
import { contradictionsOf } from '../indexer/bad-input/sound-index.ts';
import { dumpIndex } from '../indexer/follow/dump-index.ts';
import { type ForkingChain, makeForkingChain } from '../indexer/follow/forking-chain.ts';
import { bulkFill, ImportedFolder, writerTo } from './bulk-fill.ts';
import { decodeRich, LISTED_FACTORY } from './rich-chain.ts';

const HEAD = 2_100;
const FIRST = 2_000;
const PAST = { from: 0, to: FIRST - 1 };
/** Two thousand blocks by two paths, on a machine that does other things. */
const LONG_MS = 240_000;

let database: MigratedDatabase;
let folder: ImportedFolder;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
  folder = new ImportedFolder();
});
afterAll(async () => {
  folder?.close();
  await database?.close();
});

/** An index that began in the midst of a chain and is at its head, with one factory that counts before others. */
async function begun(chain: ForkingChain, decode: (block: RawBlock) => BlockRows) {
  const schema = await untouchedSchema(database);
  const connection = writerTo(database, schema);
  const index = openChainIndex(connection, PLAIN);
  await database.admin.query(
    `INSERT INTO "${schema}".dex_factories VALUES ('uniswap_v3', '\\x${LISTED_FACTORY.slice(2)}')`,
  );
  await index.begin(chain.blocks[FIRST - 1] as RawBlock);
  await followAll({ reader: chain.reader, index, decode });
  return { schema, connection, index, reader: chain.reader, decode };
}

test(
  'a past that is filled by files is, row by row, the past that is filled page by page, its tail reorganised',
  async () => {
    const chain = makeForkingChain(HEAD, 100);
    const [bulk, paged] = [await begun(chain, decodeRich), await begun(chain, decodeRich)];
    const fill = bulkFill({ ...bulk, bucket: await folder.open(database) });
    fill.start(PAST.from, PAST.to);
    await fill.untilDone();
    await fillRange({ ...paged, outOfTime: () => false }, PAST, inTime());
    await bulkFill({ ...paged, bucket: await folder.open(database) }).parts.completeHistory();
    chain.fork(HEAD - 60, HEAD + 5);
    for (const { reader, index, decode } of [bulk, paged]) await followAll({ reader, index, decode });
    expect(await contradictionsOf(database.postgres.superuser, bulk.schema)).toEqual([]);
    const [one, other] = [
      await dumpIndex(database.postgres.superuser, bulk.schema),
      await dumpIndex(database.postgres.superuser, paged.schema),
    ];
    // Each table has something to compare.
    expect(Object.entries(other).filter(([, rows]) => rows.length === 0)).toEqual([]);
    for (const table of Object.keys(one)) expect({ [table]: one[table] }).toEqual({ [table]: other[table] });
  },
  LONG_MS,
);
