import type { Queries } from '../shared/chain-database/chain-database.ts';
import {
  DatabaseError,
  isDatabaseAway,
  StatementTimeoutError,
} from '../shared/chain-database/database-error.ts';
import type { DatabaseRow } from '../shared/chain-database/decode-row.ts';
import { errorField, log } from '../shared/runtime/log.ts';
import { findTransactions } from './find-transactions.ts';
import type { PlannedRequest } from './plan-request.ts';
import { type Failure, INTERNAL_ERROR, QUERY_TIMEOUT, UNAVAILABLE } from './response/failure.ts';

/** SQLSTATEs of a table, a view or a schema that is not there. */
const NOT_INSTALLED: ReadonlySet<string> = new Set(['42P01', '3F000']);
/** Rows of a request's statement: none of a block where the chain itself is not installed. */
export async function rowsOf(
  database: Queries,
  { plan, hashes, statement, cursorScope }: PlannedRequest,
): Promise<readonly DatabaseRow[]> {
  try {
    const places = await findTransactions(database, cursorScope.chain, hashes);
    return (await database.query(...statement(places))).rows;
  } catch (error) {
    if (plan.isBlock === true && isNotInstalled(error)) return [];
    throw error;
  }
}

function isNotInstalled(error: unknown): boolean {
  return error instanceof DatabaseError && NOT_INSTALLED.has(error.sqlState ?? '');
}

/** What a client is told of an error of the database. */
export function failureOf(error: unknown, requestId: string): Failure {
  if (error instanceof StatementTimeoutError) {
    log('warn', 'query_timeout', { requestId, error: errorField(error) });
    return QUERY_TIMEOUT;
  }
  if (isDatabaseAway(error)) {
    log('warn', 'chain_database_unavailable', { requestId, error: errorField(error) });
    return UNAVAILABLE;
  }
  if (isNotInstalled(error)) {
    const message = 'this dataset is not installed in this environment';
    return { statusCode: 422, code: 'dataset_not_installed', message };
  }
  log('error', 'data_request_failed', { requestId, error: errorField(error) });
  return INTERNAL_ERROR;
}
