import { expect } from '@jest/globals';
import pg from 'pg';
import { type DataRequest, handleData } from '../../../lambdas/data/handle-data.ts';
import { createSeal } from '../../../lambdas/data/plan/seal.ts';
import type { Queries } from '../../../lambdas/shared/chain-database/chain-database.ts';
import { type MigratedDatabase, readerLogin } from '../../database/migrated-database.ts';
import { admittingMeter } from '../../support/admitting-meter.ts';
import { UNLIMITED } from '../../support/data-limits.ts';
import { bareQuery } from './sampled-requests.ts';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** What a statement did with a table or an index. */
export interface Scan {
  /** Name of the index, as that of the whole table; undefined: the table was read without one. */
  readonly index: string | undefined;
  readonly table: string | undefined;
  readonly isWholeTable: boolean;
  /** Rows that it looked at, those that it left out included. */
  readonly rows: number;
}

/** A request as it was carried out. */
export interface ExplainedRequest {
  readonly scans: readonly Scan[];
  readonly nextCursor: string | undefined;
}

/** What nodes would say. */
const PROOF = {
  hash: 'single',
  key: '0x80',
  header: '0xc0',
  transaction_path: [],
  receipt_path: [],
  log_place: null,
} as const;

type Path = Pick<DataRequest, 'path' | 'query'>;

/** Requests of a chain with the plans of their statements, as PostgreSQL makes them for the role of the Data API. */
export class ExplainedRequests {
  readonly #database: MigratedDatabase;
  readonly #chain: string;
  readonly #reader: pg.Client;
  #wholeIndexes: ReadonlyMap<string, string> = new Map();

  private constructor(database: MigratedDatabase, chain: string) {
    this.#database = database;
    this.#chain = chain;
    this.#reader = new pg.Client(readerLogin(database.postgres.superuser));
  }

  static async open(database: MigratedDatabase, chain: string): Promise<ExplainedRequests> {
    const opened = new ExplainedRequests(database, chain);
    await opened.#reader.connect();
    await opened.#readWholeIndexes();
    return opened;
  }

  async close(): Promise<void> {
    await this.#reader.end();
  }

  /** Sends a request, which has to succeed. */
  async send({ path, query }: Path): Promise<ExplainedRequest> {
    let plan: PlanNode | undefined;
    const explaining: Queries = {
      query: async (sql, parameters = {}) => {
        plan = await this.#explain(sql, parameters);
        return this.#database.reader.query(sql, parameters);
      },
    };
    const { body, statusCode } = await handleData(
      {
        holder: { keyId: 'k', account: 'a' },
        chain: this.#chain,
        path,
        query,
        ifNoneMatch: undefined,
        requestId: 'r',
      },
      {
        meter: admittingMeter(),
        chains: [{ chain: this.#chain, chainId: 1, isDefault: true }],
        database: explaining,
        seal: createSeal('key'),
        clock: { now: Date.now },
        readProof: async () => PROOF,
        ...UNLIMITED,
      },
    );
    if (plan === undefined) throw new Error(`no statement: ${body}`);
    expect({ statusCode, body: statusCode === 200 ? '' : body }).toEqual({ statusCode: 200, body: '' });
    const { next_cursor: nextCursor } = JSON.parse(String(body)) as { readonly next_cursor?: string };
    return { scans: flatten(plan).flatMap((node) => this.#scanOf(node)), nextCursor };
  }

  async #explain(...[sql, parameters = {}]: Parameters<Queries['query']>): Promise<PlanNode | undefined> {
    const { rows } = await this.#reader.query<{
      readonly 'QUERY PLAN': readonly { readonly Plan: PlanNode }[];
    }>(bareQuery([`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`, parameters]));
    return rows[0]?.['QUERY PLAN'][0]?.Plan;
  }

  /** Nodes with an index alone, below a bitmap, name no table. */
  #scanOf(node: PlanNode): Scan[] {
    const { 'Index Name': index, 'Relation Name': table } = node;
    if (index === undefined && table === undefined) return [];
    return [
      {
        index: index === undefined ? undefined : (this.#wholeIndexes.get(index) ?? index),
        table,
        isWholeTable: node['Node Type'] === 'Seq Scan',
        rows: table === undefined ? 0 : rowsRead(node),
      },
    ];
  }

  /** Indexes of partitions, with those that they are parts of. */
  async #readWholeIndexes(): Promise<void> {
    const { rows } = await this.#reader.query<{ part: string; whole: string }>(
      `SELECT part.relname AS part, whole.relname AS whole FROM pg_inherits
       JOIN pg_class AS part ON part.oid = inhrelid JOIN pg_class AS whole ON whole.oid = inhparent
       WHERE part.relkind = 'i' AND part.relnamespace = '"${this.#chain}"'::regnamespace`,
    );
    this.#wholeIndexes = new Map(rows.map(({ part, whole }) => [part, whole]));
  }
}

function rowsRead(node: PlanNode): number {
  const each =
    (node['Actual Rows'] ?? 0) +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0);
  return each * (node['Actual Loops'] ?? 1);
}

function flatten(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)];
}
