import pg from 'pg';
import { sizeOfBlock } from '../../../bin/operator/fill/chain-sample.ts';
import { PLANNED_TABLES, type PlannedTable, ROW_SIZES } from '../../../bin/operator/fill/row-sizes.ts';
import { decodeBlock } from '../../../lambdas/chain-data/decode/decode-block.ts';
import type { BlockId } from '../../../lambdas/chain-data/decode/raw-block.ts';
import type { Cursor } from '../../../lambdas/chain-data/store/cursor.ts';
import { openChainIndex } from '../../../lambdas/indexer/chain-index/chain-index.ts';
import { connectionTo } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import { PLAIN } from '../../chain-data/decode/raw-blocks.ts';
import { newSchema } from '../../database/empty-schemas.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../../database/migrated-database.ts';
import { denseBlocks } from './dense-chain.ts';

/** A plan of a fill knows the size of the rows that are stored. */
export function testRowSizes(): void {
  const BLOCKS = 120;
  const PAGE = 20;
  /** Rows from which on a table's empty pages weigh little. */
  const ENOUGH_ROWS = 5_000;
  /** How far the indexes of one table may be off: those of few rows are fuller or emptier. */
  const TOLERANCE = 0.5;
  /** How far all tables together may be off. */
  const TOTAL_TOLERANCE = 0.2;
  /** What an NFT transfer has with it. */
  const WITH_IT: Partial<Record<PlannedTable, readonly string[]>> = {
    nft_transfers: ['nft_items', 'nft_owners'],
  };

  let database: MigratedDatabase;
  let client: pg.Client;
  let schema: string;
  const blocks = denseBlocks(BLOCKS).map((block) => ({ block, rows: decodeBlock(block, PLAIN) }));
  const sizes = blocks.map(({ rows }) => sizeOfBlock(rows));
  const rowsOf = (table: PlannedTable) => sizes.reduce((sum, { rows }) => sum + rows[table], 0);

  beforeAll(async () => {
    database = await startMigratedDatabase([]);
    schema = await newSchema(database);
    const index = openChainIndex(connectionTo(database.writer, schema));
    const [first] = blocks;
    await index.begin({ ...(first?.block as BlockId), number: -1 });
    for (let from = 0; from < BLOCKS; from += PAGE) {
      const page = blocks.slice(from, from + PAGE);
      const ids = page.map(({ block: { number, hash, parentHash, timestamp } }) => ({
        ...{ number, hash, parentHash, timestamp },
      }));
      await index.append((await index.cursor()) as Cursor, {
        ids,
        rows: page.map(({ rows }) => rows),
        head: ids.at(-1) as BlockId,
      });
    }
    client = new pg.Client(database.postgres.superuser);
    await client.connect();
  });
  afterAll(async () => {
    await client?.end();
    await database?.close();
  });

  /** A connection takes one query at a time. */
  async function inTurn<T>(tables: readonly string[], ask: (table: string) => Promise<T>): Promise<T[]> {
    const responses: T[] = [];
    for (const table of tables) responses.push(await ask(table));
    return responses;
  }

  /** Bytes of a table with its partitions. */
  async function bytesOf(table: string): Promise<{ table: number; indexes: number }> {
    const { rows } = await client.query(
      `SELECT sum(pg_table_size(relid))::float8 AS table, sum(pg_indexes_size(relid))::float8 AS indexes
     FROM (SELECT relid FROM pg_partition_tree($1) UNION SELECT $1::regclass) AS parts`,
      [`${schema}.${table}`],
    );
    return rows[0];
  }

  test('the rows that are planned are the rows that are stored', async () => {
    for (const table of PLANNED_TABLES) {
      const { rows } = await client.query(`SELECT count(*)::int AS count FROM ${schema}.${table}`);
      expect({ table, count: rows[0].count }).toEqual({ table, count: rowsOf(table) });
    }
  });

  test('a row takes as many bytes as a plan says', async () => {
    const compared: string[] = [];
    let [planned, found] = [sizes.reduce((sum, { dataBytes }) => sum + dataBytes, 0), 0];
    for (const table of PLANNED_TABLES) {
      const count = rowsOf(table);
      const parts = await inTurn([table, ...(WITH_IT[table] ?? [])], bytesOf);
      const indexes = parts.reduce((sum, part) => sum + part.indexes, 0);
      planned += count * (ROW_SIZES[table].bytes + ROW_SIZES[table].indexBytes);
      found += indexes + parts.reduce((sum, part) => sum + part.table, 0);
      if (count < ENOUGH_ROWS) continue;
      compared.push(table);
      const ratio = indexes / count / ROW_SIZES[table].indexBytes;
      expect({ table, ratio, isNear: Math.abs(ratio - 1) <= TOLERANCE }).toEqual({
        table,
        ratio,
        isNear: true,
      });
    }
    expect(compared).toEqual(['transactions', 'logs', 'erc20_transfers', 'traces']);
    expect(Math.abs(found / planned - 1)).toBeLessThan(TOTAL_TOLERANCE);
  });
}
