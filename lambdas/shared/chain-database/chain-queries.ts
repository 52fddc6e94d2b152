import type { ChainDatabase, Queries, QueryOptions, QueryResult } from './chain-database.ts';
import { chainSchema } from './chain-schema.ts';
import { onSchema, type Sql } from './sql.ts';
import type { SqlParameters } from './sql-parameters.ts';

/** The tables of one chain: single statements, or those of one transaction, which see each other's effects. */
export interface ChainQueries {
  /** Name of the chain. */
  readonly name: string;
  /**
   * Runs one statement with named parameters (`:name`) on the chain's schema.
   * @throws {DatabaseError} or one of its kinds
   */
  query(statement: Sql, parameters?: SqlParameters): Promise<QueryResult>;
}

/** The tables of one chain, each statement by itself, or several as one transaction. */
export interface ChainConnection extends ChainQueries {
  /** As {@link ChainQueries} does. */
  query(statement: Sql, parameters?: SqlParameters, options?: QueryOptions): Promise<QueryResult>;
  /** As {@link ChainDatabase} does. */
  transaction<Result>(work: (chain: ChainQueries) => Promise<Result>): Promise<Result>;
}

/**
 * The tables of a chain, whose schema must be there.
 * @throws Error for a name that no schema can have
 */
export function connectionTo(database: ChainDatabase, name: string): ChainConnection {
  const schema = chainSchema(name);
  const on = (queries: Queries): ChainQueries => ({
    name,
    query: (statement, parameters) => queries.query(onSchema(statement, schema), parameters),
  });
  return {
    name,
    query: (statement, parameters, options) =>
      database.query(onSchema(statement, schema), parameters, options),
    transaction: (work) => database.transaction((queries) => work(on(queries))),
  };
}
