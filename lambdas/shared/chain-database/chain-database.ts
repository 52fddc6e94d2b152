import type { ExecuteStatementRequest, ExecuteStatementResponse } from '@aws-sdk/client-rds-data';
import type { ClientConfig } from '../aws/client-settings.ts';
import type { ConnectRdsData } from '../aws/rds-data.ts';
import { type Sleep, sleep } from '../runtime/sleep.ts';
import { DatabaseResumingError, toDatabaseError } from './database-error.ts';
import { type DatabaseRow, toRow } from './decode-row.ts';
import { type SqlParameters, toSqlParameters } from './sql-parameters.ts';

const CONNECT_TIMEOUT_MS = 1_000;
/** A little more than the RDS Data API gives a statement, so that its own time-out is reported. */
const DEFAULT_TIMEOUT_MS = 48_000;
/** Waits between attempts while Aurora wakes: it takes ten to thirty seconds, longer after days of sleep. */
const RESUME_PAUSES_MS = [500, 1_000, 2_000, 4_000, 4_000, 4_000, 4_000, 8_000, 8_000, 8_000, 8_000];
const DEFAULT_RESUME_WAIT_MS = 10_000;

export interface ChainDatabaseOptions {
  /** ARN of the cluster. */
  readonly resourceArn: string;
  /** ARN of the secret with the role's name and password. */
  readonly secretArn: string;
  readonly database: string;
  /** Time for one call, its response included, in milliseconds. @default 48 seconds */
  readonly timeoutMs?: number;
  /** Most time to wait for a database that wakes from its pause, in milliseconds. @default 10 seconds */
  readonly resumeWaitMs?: number;
  /** Handed in: a function has the SDK in its layer, the operator's command has it installed. */
  readonly connect: ConnectRdsData;
  readonly clientConfig?: ClientConfig;
  /** @default the timer of this process */
  readonly pause?: Sleep;
  /** Called for each call that finds the database asleep, once. */
  readonly onAsleep?: () => void;
}

export interface QueryResult {
  /** The rows of a statement that returns some, else none. */
  readonly rows: readonly DatabaseRow[];
  /** Rows that a statement without rows inserted, changed or deleted. */
  readonly updated: number;
}

export interface QueryOptions {
  /**
   * Whether the database continues with the statement when the call times out, which is then all that is known of it. Not within
   * a transaction. @default false
   */
  readonly continueAfterTimeout?: boolean;
}

/** Runs single statements; those of one `Queries` see each other's effects. */
export interface Queries {
  /**
   * Runs one statement with named parameters (`:name`).
   * @throws {DatabaseError} or one of its kinds
   */
  query(sql: string, parameters?: SqlParameters): Promise<QueryResult>;
}

/** The chain database through the RDS Data API: each statement by itself, or several as one transaction. */
export interface ChainDatabase extends Queries {
  /** As {@link Queries} does. */
  query(sql: string, parameters?: SqlParameters, options?: QueryOptions): Promise<QueryResult>;
  /**
   * Runs `work` in a transaction, one statement after the other, and commits it. A failure rolls it back and is not
   * retried.
   */
  transaction<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result>;
}

/** Opens no connection before its first use. No call is repeated that may have had an effect. */
export function createChainDatabase(options: ChainDatabaseOptions): ChainDatabase {
  const { resourceArn, secretArn, database, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const rdsData = options.connect({
    config: options.clientConfig,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    timeoutMs,
  });
  const target = { resourceArn, secretArn };

  async function execute(
    sql: string,
    parameters: SqlParameters,
    how: Pick<ExecuteStatementRequest, 'transactionId' | 'continueAfterTimeout'>,
  ): Promise<QueryResult> {
    const input = {
      ...target,
      database,
      sql,
      parameters: toSqlParameters(parameters),
      includeResultMetadata: true,
      ...how,
    };
    return toResult(await rdsData.execute(input).catch(databaseError));
  }

  const query: ChainDatabase['query'] = (sql, parameters = {}, { continueAfterTimeout = false } = {}) =>
    onceAwake(() => execute(sql, parameters, continueAfterTimeout ? { continueAfterTimeout } : {}), options);

  return {
    query,
    async transaction(work) {
      const begin = () => rdsData.begin({ ...target, database }).catch(databaseError);
      const transactionId = await onceAwake(begin, options);
      const ending = { ...target, transactionId };
      try {
        const result = await work({
          query: (sql, parameters = {}) => execute(sql, parameters, { transactionId }),
        });
        await rdsData.commit(ending).catch(databaseError);
        return result;
      } catch (error) {
        // What failed may have ended the transaction; if not, the RDS Data API rolls it back when it has been idle.
        await rdsData.rollBack(ending).catch(() => undefined);
        throw error;
      }
    },
  };
}

/** A call that finds the database asleep has had no effect, and is tried again while that wakes. */
async function onceAwake<Output>(
  attempt: () => Promise<Output>,
  { resumeWaitMs = DEFAULT_RESUME_WAIT_MS, pause = sleep, onAsleep }: ChainDatabaseOptions,
): Promise<Output> {
  let waitedMs = 0;
  for (const pauseMs of RESUME_PAUSES_MS) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof DatabaseResumingError)) throw error;
      if (waitedMs === 0) onAsleep?.();
      if (waitedMs + pauseMs > resumeWaitMs) throw error;
    }
    await pause(pauseMs);
    waitedMs += pauseMs;
  }
  return attempt();
}

function databaseError(error: unknown): never {
  throw toDatabaseError(error);
}

function toResult(output: ExecuteStatementResponse): QueryResult {
  const names = (output.columnMetadata ?? []).map(({ label, name }) => label ?? name ?? '');
  return {
    rows: (output.records ?? []).map((record) => toRow(names, record)),
    updated: output.numberOfRecordsUpdated ?? 0,
  };
}
