import { exportResponse } from '../../lambdas/data/export-response.ts';
import { type DataDependencies, type DataRequest, handleData } from '../../lambdas/data/handle-data.ts';
import { createSeal } from '../../lambdas/data/plan/seal.ts';
import type { DataHttpResponse } from '../../lambdas/data/response/data-http-response.ts';
import type { ChainDatabase, Queries } from '../../lambdas/shared/chain-database/chain-database.ts';
import { emptySchema } from '../database/empty-schemas.ts';
import { MADE_CHAINS, type MigratedDatabase, startMigratedDatabase } from '../database/migrated-database.ts';
import { admittingMeter } from '../support/admitting-meter.ts';
import { UNLIMITED } from '../support/data-limits.ts';

export const [CHAIN] = MADE_CHAINS;
/** The indexed head of the seeded chain. */
export const HEAD = 600;
export const FINALIZED = HEAD - 256;

/** Address with these digits at its end. */
export const address = (digits: string) => `0x${digits.padStart(40, '0')}`;

/** A Data API on a chain with blocks, and whatever rows a test adds. */
export interface SeededChain {
  readonly database: MigratedDatabase;
  /** Rows into the tables of the chain; `{schema}` stands for its schema. */
  insert(sql: string): Promise<void>;
  /** Compute units charged so far. */
  charged(): number;
  /** Compute units drawn from the bucket so far. */
  drawn(): number;
  /** Statements that reached the database so far. */
  statements(): readonly string[];
  get(path: string, options?: GetOptions): Promise<Answered>;
  close(): Promise<void>;
}

export interface GetOptions {
  readonly keyId?: string;
  readonly account?: string;
  readonly ifNoneMatch?: string;
  /** Undefined: the stage has none. @default the seeded one */
  readonly database?: Queries | undefined;
  /** What the nodes tell. @default nothing */
  readonly readState?: DataDependencies['readState'];
  readonly readBalance?: DataDependencies['readBalance'];
  /** What the nodes say is left of approvals. @default nothing */
  readonly readAllowances?: DataDependencies['readAllowances'];
  /** How the nodes' blocks prove a transaction. @default they do not */
  readonly readProof?: DataDependencies['readProof'];
  /** @default those of ERC-4337 */
  readonly entryPoints?: readonly string[];
  /** @default there are always more */
  readonly limits?: DataDependencies['limits'];
  readonly exportPlaces?: DataDependencies['exportPlaces'];
  readonly onFileEnd?: DataRequest['onFileEnd'];
}

export interface Answered extends DataHttpResponse {
  readonly json: {
    readonly data: readonly Record<string, unknown>[] & Record<string, unknown>;
    readonly next_cursor?: string;
    readonly meta: Readonly<Record<string, unknown>>;
    readonly error?: { readonly code: string; readonly message: string };
  };
}

/** The database of a test file, once a subject of it has asked. */
let shared: Promise<MigratedDatabase> | undefined;
afterAll(async () => {
  const database = await shared;
  shared = undefined;
  await database?.close();
});

/**
 * A chain with blocks 0 to {@link HEAD}, ten seconds apart, and every data set covered. The subjects of a test file have it
 * one after the other: what one closes is empty when the next begins.
 */
export async function startSeededChain(): Promise<SeededChain> {
  shared ??= startMigratedDatabase([]);
  const database = await shared;
  const schema = `"${CHAIN}"`;
  let [charged, drawn] = [0, 0];
  const statements: string[] = [];
  const reader: Queries = {
    query: (sql, parameters) => {
      statements.push(sql);
      return database.reader.query(sql, parameters);
    },
  };
  const meter: DataDependencies['meter'] = {
    ...admittingMeter((cu) => {
      charged += cu;
    }),
    admit: async (_, { cu }) => {
      drawn += cu;
      return { admitted: true, balanceCu: 1n, limits: [] };
    },
  };
  const insert = async (sql: string) => {
    await insertInto(database.writer, sql.replaceAll('{schema}', schema));
    if (TOKEN_TABLES.test(sql)) await insertInto(database.writer, tokensOf(schema));
  };
  await insert(`INSERT INTO {schema}.cursors (name, block_number, block_hash, block_time)
    SELECT 'indexed', ${HEAD}, '\\x00', '2026-01-01T00:00:00Z'::timestamptz + ${HEAD} * interval '10 seconds'`);
  await insert(`INSERT INTO {schema}.blocks SELECT n, decode(lpad(to_hex(n), 64, '0'), 'hex'),
      decode(lpad(to_hex(greatest(n - 1, 0)), 64, '0'), 'hex'), '2026-01-01T00:00:00Z'::timestamptz + n * interval '10 seconds',
      decode(repeat('00', 20), 'hex'), 30000000, 21000, 7, decode(repeat('01', 32), 'hex'), decode(repeat('02', 32), 'hex'),
      decode(repeat('03', 32), 'hex'), '\\x', 1, 1, 500, NULL, NULL, NULL, '{}'
    FROM generate_series(0, ${HEAD}) AS n`);
  await insert(`INSERT INTO {schema}.coverage SELECT name, int8multirange(int8range(0, ${HEAD + 1}))
    FROM unnest(ARRAY['blocks','transactions','logs','erc20_transfers','nft_transfers','tokens','nft_owners','dex_pools',
      'dex_swaps','dex_liquidity_events','stock_multipliers','traces']) AS name`);
  return {
    database,
    insert,
    charged: () => charged,
    drawn: () => drawn,
    statements: () => statements,
    get: async (path, options = {}) => {
      const {
        keyId = 'k',
        account = 'acme',
        ifNoneMatch,
        readState,
        readBalance,
        readAllowances,
        readProof,
        entryPoints,
        limits,
        exportPlaces,
        onFileEnd,
      } = options;
      const [route = '', query = ''] = path.split('?');
      const sent = Map.groupBy(new URLSearchParams(query), ([name]) => name);
      const values = Object.fromEntries(
        [...sent].map(([name, pairs]) => [name, pairs.map(([, value]) => value)]),
      );
      const response = await handleData(
        {
          holder: { keyId, account },
          chain: CHAIN,
          path: route,
          query: values,
          ifNoneMatch,
          requestId: 'r',
          ...(onFileEnd !== undefined && { onFileEnd }),
        },
        {
          meter,
          chains: [{ chain: CHAIN, chainId: 1, isDefault: true, entryPoints }],
          database: 'database' in options ? options.database : reader,
          clock: { now: Date.now },
          seal: createSeal('key of the tests'),
          respondWithExport: exportResponse,
          ...UNLIMITED,
          ...(limits !== undefined && { limits }),
          ...(exportPlaces !== undefined && { exportPlaces }),
          ...(readState !== undefined && { readState }),
          ...(readBalance !== undefined && { readBalance }),
          ...(readAllowances !== undefined && { readAllowances }),
          ...(readProof !== undefined && { readProof }),
        },
      );
      const body = String(response.body);
      return { ...response, json: body === '' ? {} : JSON.parse(body) } as Answered;
    },
    close: async () => {
      if (shared !== undefined) await emptySchema(database, CHAIN);
    },
  };
}

const TOKEN_TABLES =
  /INSERT INTO \{schema\}\.(erc20_transfers|nft_transfers|nft_owners|nft_items|balances|candles|dex_swaps)\b/;

/** Makes the tokens known that rows are of, as the indexer does. */
function tokensOf(schema: string): string {
  const fungible = ['erc20_transfers', 'balances'].map((table) => `SELECT token, 20 FROM ${schema}.${table}`);
  const unique = ['nft_transfers', 'nft_owners', 'nft_items'].map(
    (table) => `SELECT token, 721 FROM ${schema}.${table}`,
  );
  const traded = [
    `SELECT subject, 20 FROM ${schema}.candles WHERE subject_kind = 'token'`,
    `SELECT token_in, 20 FROM ${schema}.dex_swaps`,
    `SELECT token_out, 20 FROM ${schema}.dex_swaps`,
  ];
  return `INSERT INTO ${schema}.tokens (address, standard, first_seen_block, updated_block)
    SELECT token, max(standard), 0, 0 FROM (${[...fungible, ...unique, ...traded].join(' UNION ALL ')}) AS seen (token, standard)
    GROUP BY token ON CONFLICT DO NOTHING`;
}

async function insertInto(writer: ChainDatabase, sql: string): Promise<void> {
  await writer.query(sql);
}
