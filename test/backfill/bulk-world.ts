/** Fills of a chain by files that tests disturb: each begins with the newest blocks, and ends with what a fill by pages stores. */
import type { RawBlock } from '../../lambdas/chain-data/decode/raw-block.ts';
import { openChainIndex } from '../../lambdas/indexer/chain-index/chain-index.ts';
import { fillRange } from '../../lambdas/indexer/follow/fill-range.ts';
import type { ChainConnection } from '../../lambdas/shared/chain-database/chain-queries.ts';
import { PLAIN } from '../chain-data/decode/raw-blocks.ts';
import { untouchedSchema } from '../database/empty-schemas.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../database/migrated-database.ts';
import { decode, followAll, inTime } from '../indexer/bad-input/indexed-chain.ts';
import { contradictionsOf } from '../indexer/bad-input/sound-index.ts';
import { dumpIndex } from '../indexer/follow/dump-index.ts';
import { type ForkingChain, makeForkingChain } from '../indexer/follow/forking-chain.ts';
import { bulkFill, ImportedFolder, writerTo } from './bulk-fill.ts';

export const HEAD = 80;
export const FIRST = 60;
export const PAST = { from: 0, to: FIRST - 1 };
export const LONG_MS = 240_000;

export let database: MigratedDatabase;
export let folder: ImportedFolder;
export let chain: ForkingChain;
/** What a fill by pages stores of this chain. */
let expected: Awaited<ReturnType<typeof dump>>;

beforeAll(async () => {
  database = await startMigratedDatabase([]);
  chain = makeForkingChain(HEAD, 16);
  const paged = await begun();
  await fillRange({ ...paged, reader: chain.reader, decode, outOfTime: () => false }, PAST, inTime());
  await bulkFill({ ...paged, reader: chain.reader, bucket: await newBucket() }).parts.completeHistory();
  expected = await dump(paged.schema);
});
afterAll(async () => {
  folder?.close();
  await database?.close();
});
beforeEach(() => {
  chain = makeForkingChain(HEAD, 16);
});

export const dump = (schema: string) => dumpIndex(database.postgres.superuser, schema);

export async function newBucket() {
  folder?.close();
  folder = new ImportedFolder();
  return folder.open(database);
}

export async function begun() {
  const schema = await untouchedSchema(database);
  const connection = writerTo(database, schema);
  const index = openChainIndex(connection, PLAIN);
  await index.begin(chain.blocks[FIRST - 1] as RawBlock);
  await followAll({ reader: chain.reader, index, decode });
  return { schema, connection, index };
}

export async function expectWhole(schema: string) {
  expect(await contradictionsOf(database.postgres.superuser, schema)).toEqual([]);
  const found = await dump(schema);
  for (const table of Object.keys(expected))
    expect({ [table]: found[table] }).toEqual({ [table]: expected[table] });
}

/** A fill that has planned its partition. */
export async function planned(connection: ChainConnection) {
  const fill = bulkFill({ connection, reader: chain.reader, bucket: await newBucket() });
  fill.start(PAST.from, PAST.to);
  await fill.next();
  return fill;
}

/** Fills to the end. Resolves to why files were refused meanwhile. */
export async function collectRefusals(schema: string, fill: ReturnType<typeof bulkFill>): Promise<string[]> {
  await database.admin.query(`CREATE TABLE IF NOT EXISTS "${schema}".refusals (reason text)`);
  await database.admin.query(
    `CREATE OR REPLACE RULE note_refusals AS ON UPDATE TO "${schema}".bulk_files WHERE NEW.refused IS NOT NULL
     DO ALSO INSERT INTO "${schema}".refusals VALUES (NEW.refused)`,
  );
  await fill.untilDone();
  const { rows } = await database.admin.query(`SELECT reason FROM "${schema}".refusals`);
  return rows.map(({ reason }) => String(reason));
}
