import type { Queries } from '../shared/chain-database/chain-database.ts';
import { chainSchema } from '../shared/chain-database/chain-schema.ts';
import {
  DatabaseError,
  isDatabaseAway,
  StatementTimeoutError,
} from '../shared/chain-database/database-error.ts';
import type { DatabaseRow } from '../shared/chain-database/decode-row.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import { errorField, log } from '../shared/runtime/log.ts';
import { type ReadNativeBalance, STATE_TIMEOUT_MS } from './address-state.ts';
import { findTransactions } from './find-transactions.ts';
import type { NativeBalance } from './plan/binder.ts';
import type { PlannedRequest } from './plan-request.ts';
import { type Failure, INTERNAL_ERROR, QUERY_TIMEOUT, UNAVAILABLE } from './response/failure.ts';

/** Who knows what an address has of the native coin. */
interface NativeParts {
  /** Asks the nodes. @default there are none */
  readonly readBalance?: ReadNativeBalance;
  readonly clock: Clock;
}

/** SQLSTATEs of a table, a view or a schema that is not there. */
const NOT_INSTALLED: ReadonlySet<string> = new Set(['42P01', '3F000']);

/** Rows of a request's statement: none of a block where the chain itself is not installed. */
export async function rowsOf(
  database: Queries,
  request: PlannedRequest,
  parts: NativeParts,
): Promise<readonly DatabaseRow[]> {
  const { plan, hashes, statement, cursorScope } = request;
  try {
    const places = await findTransactions(database, cursorScope.chain, hashes);
    const native = await findNative(database, request, parts);
    return (await database.query(...statement(places, native))).rows;
  } catch (error) {
    if (plan.isBlock === true && isNotInstalled(error)) return [];
    throw error;
  }
}

/**
 * What the address of a list has of the native coin: at the block of the list's snapshot, or where no node has that state at the
 * indexed head, both in the time of one. Its row is the first of the list, so further pages need none.
 */
async function findNative(
  database: Queries,
  { plan: { nativeOf }, after, cursorScope: { chain } }: PlannedRequest,
  { readBalance, clock }: NativeParts,
): Promise<NativeBalance | undefined> {
  if (readBalance === undefined || nativeOf === undefined || after !== undefined) return undefined;
  const schema = chainSchema(chain);
  const { rows } = await database.query(
    `(SELECT block_number FROM ${schema}.balance_snapshots WHERE completed_at IS NOT NULL ORDER BY snapshot_id DESC LIMIT 1)
     UNION (SELECT block_number FROM ${schema}.cursors WHERE name = 'indexed' AND block_number >= 0) ORDER BY block_number`,
  );
  const until = clock.now() + STATE_TIMEOUT_MS;
  for (const { block_number } of rows) {
    const block = Number(block_number);
    const amount = await readBalance(chain, nativeOf, block, until);
    if (amount !== null) return { amount, block };
  }
  return undefined;
}

function isNotInstalled(error: unknown): boolean {
  return error instanceof DatabaseError && NOT_INSTALLED.has(error.sqlState ?? '');
}

/** What a client sees of an error of the database. */
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
