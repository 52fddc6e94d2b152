/**
 * One chain in the layout of today and, row by row, in that of before its rows became slim (migration 030): what it takes, and
 * what lists read of it.
 */
import pg from 'pg';
import { decodeBlock } from '../../lambdas/chain-data/decode/decode-block.ts';
import { LOAD_COLUMNS } from '../../lambdas/chain-data/decode/load-columns.ts';
import { loadBlocks } from '../../lambdas/chain-data/store/load-blocks.ts';
import { findTransactions } from '../../lambdas/data/find-transactions.ts';
import { matchOperation } from '../../lambdas/data/operations/match-operation.ts';
import { renderCursor } from '../../lambdas/data/plan/cursor.ts';
import { createSeal } from '../../lambdas/data/plan/seal.ts';
import { type PlannedRequest, planRequest } from '../../lambdas/data/plan-request.ts';
import { TRACE_ADDRESS, TRACE_DEPTH } from '../../lambdas/data/resources/traces.ts';
import { readResponse } from '../../lambdas/data/response/read-response.ts';
import type { Queries } from '../../lambdas/shared/chain-database/chain-database.ts';
import { connectionTo } from '../../lambdas/shared/chain-database/chain-queries.ts';
import {
  MADE_CHAINS,
  MIGRATIONS,
  type MigratedDatabase,
  readerLogin,
  startMigratedDatabase,
} from '../../test/database/migrated-database.ts';
import { denseBlocks } from '../../test/operator/fill/dense-chain.ts';
import { bareQuery } from './data-statement.ts';

/** Chains with the same rows. */
export const [NOW] = MADE_CHAINS;
const BEFORE = 'before';
/** The migration that changed the layout, and the one that changes a function of it. */
const CHANGES: ReadonlySet<string> = new Set(['030-slim-rows', '032-inlined-places']);
const CHANGED_TABLES = ['transactions', 'logs', 'erc20_transfers', 'nft_transfers', 'traces'] as const;
/** Blocks that are stored at a time, as an indexer does that is behind. */
const PAGE_BLOCKS = 10;
const FINALITY_BLOCKS = 256;

/** What a table or an index takes in both layouts, in bytes. */
export interface RelationBytes {
  readonly table: string;
  /** Name of the index; `rows` for the table. */
  readonly relation: string;
  readonly now: number;
  readonly before: number;
}

/** What a page reads, and how long that takes. */
export interface PageReads {
  /** Pages of tables and indexes that the statement looked at. */
  readonly pages: number;
  readonly ms: number;
  /** Names of the indexes that it used, as those of the whole table. */
  readonly indexes: readonly string[];
  /** The rows of the response. */
  readonly rows: readonly unknown[];
}

/** A page of a list in both layouts. */
interface ComparedPage {
  readonly now: PageReads;
  readonly before: PageReads;
  readonly nextCursor: string | undefined;
}

export interface Layouts {
  readonly client: pg.Client;
  readonly database: MigratedDatabase;
  /** Runs a statement for both chains; `{schema}` stands for that of each. */
  run(sql: string): Promise<void>;
  /** What was added to an empty chain. */
  bytes(): Promise<RelationBytes[]>;
  /**
   * Asks for a page.
   * @param path below the chain, with its query
   * @param times that it is run in each layout, of which the quickest counts @default 1
   */
  compare(path: string, times?: number): Promise<ComparedPage>;
  close(): Promise<void>;
}

/** Starts a database with a dense chain of so many blocks in both layouts. */
export async function startLayouts(blocks: number): Promise<Layouts> {
  const database = await startMigratedDatabase([]);
  await database.migrate(
    [BEFORE],
    MIGRATIONS.filter(({ name }) => !CHANGES.has(name)),
  );
  const client = new pg.Client(database.postgres.superuser);
  await client.connect();
  const reader = new pg.Client(readerLogin(database.postgres.superuser));
  await reader.connect();
  const empty = await readBytes(client);
  await fill(database, client, blocks);
  const wholeIndexes = await readWholeIndexes(client);
  return {
    client,
    database,
    run: async (sql) => {
      for (const chain of [NOW, BEFORE]) await client.query(sql.replaceAll('{schema}', `"${chain}"`));
    },
    bytes: async () => beyond(empty, await readBytes(client)),
    compare: async (path, times = 1) => {
      const { statement, nextCursor } = await ask(database.reader, path);
      const statements = { now: statement, before: asBefore(statement) };
      const runs: { readonly now: PageReads; readonly before: PageReads }[] = [];
      // By turns, so that both have the same of what else the machine does.
      for (let run = 0; run < times; run += 1)
        runs.push({
          now: await reads(reader, statements.now, wholeIndexes),
          before: await reads(reader, statements.before, wholeIndexes),
        });
      const quickest = (side: 'now' | 'before') =>
        runs.map((run) => run[side]).reduce((best, one) => (one.ms < best.ms ? one : best));
      return { now: quickest('now'), before: quickest('before'), nextCursor };
    },
    close: async () => {
      await reader.end();
      await client.end();
      await database.close();
    },
  };
}

async function fill(database: MigratedDatabase, client: pg.Client, blocks: number): Promise<void> {
  const chain = connectionTo(database.writer, NOW);
  const all = denseBlocks(blocks);
  for (let from = 0; from < blocks; from += PAGE_BLOCKS) {
    const rows = all
      .slice(from, from + PAGE_BLOCKS)
      .map((block) => decodeBlock(block, { wrappedNative: new Set() }));
    await chain.transaction((queries) => loadBlocks(queries, rows));
    for (const table of CHANGED_TABLES) {
      const columns = Object.keys(LOAD_COLUMNS[table]);
      const values = columns.map((column) => (column === 'trace_address' ? TRACE_ADDRESS_BEFORE : column));
      await client.query(
        `INSERT INTO "${BEFORE}".${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM "${NOW}".${table} AS t
         WHERE block_number BETWEEN ${from} AND ${from + PAGE_BLOCKS - 1}`,
      );
    }
  }
  const head = blocks + FINALITY_BLOCKS;
  await client.query(`INSERT INTO "${NOW}".cursors (name, block_number, block_hash, block_time)
    VALUES ('indexed', ${head}, '\\x00', now())`);
  await client.query(`INSERT INTO "${NOW}".coverage SELECT name, int8multirange(int8range(0, ${head + 1}))
    FROM unnest(ARRAY['blocks', 'transactions', 'logs', 'erc20_transfers', 'nft_transfers', 'tokens', 'traces', 'withdrawals']) AS name`);
  await copyOthers(client);
  await client.query('VACUUM (ANALYZE)');
}

/** The tables that are alike in both layouts. A trigger fills the ledger of NFTs. */
async function copyOthers(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = '"${NOW}"'::regnamespace AND relkind IN ('r', 'p')
       AND NOT relispartition AND relname <> ALL ($1)`,
    [[...CHANGED_TABLES, 'nft_ledger']],
  );
  for (const { name } of rows)
    await client.query(`INSERT INTO "${BEFORE}".${name} SELECT * FROM "${NOW}".${name}`);
}

/** Names of the indexes of partitions, with those of the indexes that they are parts of. */
async function readWholeIndexes(client: pg.Client): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ part: string; whole: string }>(
    `SELECT part.relname AS part, whole.relname AS whole FROM pg_inherits
     JOIN pg_class AS part ON part.oid = inhrelid JOIN pg_class AS whole ON whole.oid = inhparent
     WHERE part.relkind = 'i'`,
  );
  return new Map(rows.map(({ part, whole }) => [part, whole]));
}

function beyond(empty: readonly RelationBytes[], filled: readonly RelationBytes[]): RelationBytes[] {
  return filled.map((one) => {
    const none = empty.find(({ table, relation }) => table === one.table && relation === one.relation);
    return { ...one, now: one.now - (none?.now ?? 0), before: one.before - (none?.before ?? 0) };
  });
}

/** What does not change takes as much in both: it was copied at once, which leaves less room in its pages. */
async function readBytes(client: pg.Client): Promise<RelationBytes[]> {
  const { rows } = await client.query<{
    chain: string;
    table: string;
    relation: string;
    bytes: string;
  }>(
    `SELECT named.nspname AS chain, coalesce(whole.relname, owner.relname) AS "table",
            CASE WHEN one.relkind = 'r' THEN 'rows' ELSE coalesce(whole_index.relname, one.relname) END AS relation,
            sum(pg_table_size(one.oid)) AS bytes
     FROM pg_class AS one JOIN pg_namespace AS named ON named.oid = one.relnamespace
     LEFT JOIN pg_index ON indexrelid = one.oid
     JOIN pg_class AS owner ON owner.oid = coalesce(indrelid, one.oid)
     LEFT JOIN pg_inherits AS piece ON piece.inhrelid = owner.oid LEFT JOIN pg_class AS whole ON whole.oid = piece.inhparent
     LEFT JOIN pg_inherits AS part ON part.inhrelid = one.oid AND one.relkind = 'i'
     LEFT JOIN pg_class AS whole_index ON whole_index.oid = part.inhparent
     WHERE named.nspname IN ('${NOW}', '${BEFORE}') AND one.relkind IN ('r', 'i')
     GROUP BY 1, 2, 3 ORDER BY 2, 3`,
  );
  const isChanged = (table: string) => CHANGED_TABLES.some((changed) => changed === table);
  const bytesOf = (chain: string) =>
    new Map(
      rows
        .filter((row) => row.chain === chain)
        .map(({ table, relation, bytes }) => [
          `${table} ${relation}`,
          { table, relation, bytes: Number(bytes) },
        ]),
    );
  const [now, before] = [bytesOf(NOW), bytesOf(BEFORE)];
  return [...new Set([...before.keys(), ...now.keys()])].map((key) => {
    const { table = '', relation = '' } = now.get(key) ?? before.get(key) ?? {};
    const bytes = now.get(key)?.bytes ?? 0;
    return { table, relation, now: bytes, before: isChanged(table) ? (before.get(key)?.bytes ?? 0) : bytes };
  });
}

type Statement = ReturnType<PlannedRequest['statement']>;

/** The statement of a request, and the cursor of its next page, as the function tells it. */
async function ask(
  reader: Queries,
  path: string,
): Promise<{ readonly statement: Statement; readonly nextCursor: string | undefined }> {
  const [route = '', query = ''] = path.split('?');
  const matched = matchOperation(route);
  if (matched === undefined) throw new Error(`no operation at ${path}`);
  const seal = createSeal('key');
  const planned = planRequest({
    account: 'a',
    chain: NOW,
    matched,
    query: Object.fromEntries([...new URLSearchParams(query)].map(([name, value]) => [name, [value]])),
    seal,
    seats: { keyId: 'k', count: 8 },
  });
  if (!planned.ok) throw new Error(`${path}: ${planned.failure.message}`);
  const statement = planned.statement(await findTransactions(reader, NOW, planned.hashes));
  const response = readResponse((await reader.query(...statement)).rows, planned);
  if (!response.ok) throw new Error(`${path}: ${response.failure.message}`);
  const { next } = response;
  return {
    statement,
    nextCursor: next === undefined ? undefined : renderCursor(next, planned.cursorScope, seal),
  };
}

/** The place of a call among others, which was an array. */
const TRACE_ADDRESS_BEFORE = "string_to_array(trace_address, ',')::integer[]";
const KEYED =
  /"[^"]+"\.index_key\((?<column>.+?)\) = "[^"]+"\.index_key\((?<value>.+?)\) AND nullif\(\k<column> = \k<value>, false\) IS NOT NULL/g;
const PLACE_IN_ORDER = /"[^"]+"\.call_place\((?<tx>[^,]+), (?<call>[^)]+)\)(?<direction> DESC)? FETCH/g;
const PLACE_OF_CURSOR = /\n\s*AND \(t\.block_number, "[^"]+"\.call_place\([^\n]*/g;

/** The statement of today as it was for the layout of before, with the parameters that it has left. */
function asBefore([sql, parameters = {}]: Statement): Statement {
  const former = sql
    .replace(KEYED, '$<column> = $<value>')
    .replace(PLACE_IN_ORDER, '$<tx>$<direction>, $<call>$<direction> FETCH')
    .replace(PLACE_OF_CURSOR, '')
    .replaceAll(TRACE_ADDRESS, 'to_json(t.trace_address)')
    .replaceAll(TRACE_DEPTH, 'cardinality(t.trace_address)')
    .replaceAll(`"${NOW}"`, `"${BEFORE}"`);
  if (/index_key|call_place/.test(former)) throw new Error(`not a statement of before: ${former}`);
  const left = Object.entries(parameters).filter(([name]) => new RegExp(`:${name}\\b`).test(former));
  return [former, Object.fromEntries(left)];
}

interface PlanNode {
  readonly 'Index Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

interface Explained {
  readonly 'Execution Time': number;
  readonly Plan: PlanNode & { readonly 'Shared Hit Blocks': number; readonly 'Shared Read Blocks': number };
}

async function reads(
  client: pg.Client,
  statement: Statement,
  wholeIndexes: ReadonlyMap<string, string>,
): Promise<PageReads> {
  const { text, values = [] } = bareQuery(statement);
  const { rows } = await client.query({ text, values });
  const { Plan: plan, 'Execution Time': ms } = await explain(client, text, values);
  const names = flatten(plan).flatMap(({ 'Index Name': name }) => name ?? []);
  return {
    pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
    ms,
    indexes: [...new Set(names.map((name) => wholeIndexes.get(name) ?? name))],
    rows,
  };
}

async function explain(client: pg.Client, text: string, values: unknown[]): Promise<Explained> {
  const { rows } = await client.query<{ 'QUERY PLAN': readonly Explained[] }>({
    text: `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${text}`,
    values,
  });
  const [explained] = rows[0]?.['QUERY PLAN'] ?? [];
  if (explained === undefined) throw new Error('no plan');
  return explained;
}

function flatten(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)];
}
