import pg from 'pg';
import { ServiceError } from '../processes/json-endpoint.ts';
import type { DataApiLimits } from './data-api-limits.ts';

/** Bytes around the values of a result, as PostgreSQL sends it. */
const ROW_BYTES = 2;
const VALUE_BYTES = 4;
/** How PostgreSQL refuses several statements in one. */
const SYNTAX_ERROR = '42601';
const SEVERAL_STATEMENTS = 'cannot insert multiple commands into a prepared statement';

/** Values come as PostgreSQL's own text. */
const TEXT_VALUES = { getTypeParser: () => (text: string) => text };

export interface Statement {
  readonly text: string;
  /** Name of the prepared statement in its session; undefined: it is not prepared. */
  readonly name?: string | undefined;
  readonly values: readonly (string | Buffer | null)[];
}

interface StatementColumn {
  readonly name: string;
  /** OID of its type. */
  readonly typeId: number;
}

export interface StatementResult {
  readonly columns: readonly StatementColumn[];
  readonly rows: readonly (readonly (string | null)[])[];
  /** Rows that a statement without columns changed. */
  readonly updated: number;
}

interface StatementRun {
  readonly client: pg.ClientBase;
  readonly statement: Statement;
  readonly limits: DataApiLimits;
  /** Whether it runs on when the call times out. */
  readonly continueAfterTimeout: boolean;
  /** Cancels what a client runs. */
  cancel(client: pg.ClientBase): Promise<void>;
}

/** Outcome of a call: the call may have timed out while its statement runs on. */
export interface RunningStatement {
  readonly result: Promise<StatementResult>;
  /** Resolves when the statement has ended: to whether the client may be used again, which what was cancelled may not. */
  readonly finished: Promise<boolean>;
}

/**
 * Runs one statement within the limits of the RDS Data API.
 * `result` rejects with a ServiceError that tells what PostgreSQL refused or which limit was passed.
 */
export function runStatement(run: StatementRun): RunningStatement {
  const { client, statement, limits } = run;
  let stopped: ServiceError | undefined;
  const stop = (reason: ServiceError) => {
    if (stopped !== undefined) return;
    stopped = reason;
    // A statement that cannot be cancelled is answered when it ends.
    run.cancel(client).catch(() => undefined);
  };
  const rows: (string | null)[][] = [];
  let bytes = 0;
  const query = new pg.Query({
    text: statement.text,
    name: statement.name,
    values: [...statement.values],
    rowMode: 'array',
    types: TEXT_VALUES,
    // The simple protocol, which takes several statements, is never used.
    queryMode: 'extended',
  } as pg.QueryArrayConfig);
  query.on('row', (row: (string | null)[]) => {
    if (stopped !== undefined) return;
    const valueBytes = row.reduce((sum, value) => sum + (value === null ? 0 : Buffer.byteLength(value)), 0);
    bytes += ROW_BYTES + VALUE_BYTES * row.length + valueBytes;
    if (valueBytes > limits.rowBytes) stop(rowTooLarge());
    else if (bytes > limits.resultBytes) stop(resultTooLarge());
    else rows.push(row);
  });
  const done = new Promise<StatementResult>((resolve, reject) => {
    query.on('error', (error) => reject(stopped ?? toServiceError(error)));
    query.on('end', (result) =>
      stopped === undefined ? resolve({ ...summary(result), rows }) : reject(stopped),
    );
  });
  client.query(query);
  const usable = () => stopped === undefined;
  return { result: withinTime(run, done, stop), finished: done.then(usable, usable) };
}

function withinTime(
  { limits, continueAfterTimeout }: StatementRun,
  done: Promise<StatementResult>,
  stop: (reason: ServiceError) => void,
): Promise<StatementResult> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const timeout = new ServiceError('StatementTimeoutException', 'Query timed out');
      if (continueAfterTimeout) reject(timeout);
      else stop(timeout);
    }, limits.statementTimeoutMs);
    done.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function summary({ fields, command, rowCount }: pg.ResultBuilder): Omit<StatementResult, 'rows'> {
  return {
    columns: fields.map(({ name, dataTypeID }) => ({ name, typeId: dataTypeID })),
    updated: fields.length > 0 || command === 'SELECT' ? 0 : (rowCount ?? 0),
  };
}

function resultTooLarge(): ServiceError {
  return new ServiceError('UnsupportedResultException', 'The result exceeds the size limit 1 MB.');
}

function rowTooLarge(): ServiceError {
  return new ServiceError('UnsupportedResultException', 'A row of the result exceeds the size limit 64 KB.');
}

/** An error of PostgreSQL in the words of the RDS Data API. */
export function toServiceError(error: Error): ServiceError {
  const { code, detail, hint, position } = error as pg.DatabaseError;
  if (code === SYNTAX_ERROR && error.message === SEVERAL_STATEMENTS)
    return new ServiceError('ValidationException', "Multistatements aren't supported.");
  if (code === undefined || !/^[0-9A-Z]{5}$/.test(code))
    return new ServiceError('DatabaseUnavailableException', error.message, 504);
  const parts = [
    `${(error as pg.DatabaseError).severity ?? 'ERROR'}: ${error.message}`,
    ...(detail === undefined ? [] : [`Detail: ${detail}`]),
    ...(hint === undefined ? [] : [`Hint: ${hint}`]),
    ...(position === undefined ? [] : [`Position: ${position}`]),
    `SQLState: ${code}`,
  ];
  return new ServiceError('DatabaseErrorException', parts.join('; '));
}
