import { isRefusal, responseStatus } from '../aws/refusal.ts';

/** The five characters that PostgreSQL names an error by, as the RDS Data API tells them. */
const SQL_STATE = /SQLState: ([0-9A-Z]{5})/;
/** AWS says so under several names: `UnsupportedResultException`, `BadRequestException`, `DatabaseErrorException`. */
const RESULT_TOO_LARGE = /size limit/i;
/** Names of the errors by which Aurora says that it cannot serve now and may soon. */
const UNAVAILABLE_ERRORS: ReadonlySet<string> = new Set([
  'DatabaseUnavailableException',
  'InternalServerErrorException',
  // A cluster that is being made, changed or failed over.
  'InvalidResourceStateException',
  'ServiceUnavailableError',
  'ThrottlingException',
  // It went with the server that it was on.
  'TransactionNotFoundException',
]);

/** `query_canceled`: the role's own `statement_timeout` ended it. */
const CANCELLED_STATE = '57014';
/**
 * States of a server that goes down, comes up or has no connection left, and of a password that is not the role's: the RDS
 * Data API remembers secrets for some minutes, and so may come with an old one.
 */
const UNAVAILABLE_STATES: ReadonlySet<string> = new Set(['28P01', '53300', '57P01', '57P02', '57P03']);

/** A statement failed, or its outcome is unknown. */
export class DatabaseError extends Error {
  override readonly name: string = 'DatabaseError';
  /** SQLSTATE, if PostgreSQL itself refused the statement. */
  readonly sqlState: string | undefined;

  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.sqlState = SQL_STATE.exec(message)?.[1];
  }
}

/** The database wakes from its pause; the call had no effect. */
export class DatabaseResumingError extends DatabaseError {
  override readonly name = 'DatabaseResumingError';
}

/** The database could not be reached or did not answer in time; a write may have happened. */
export class DatabaseUnavailableError extends DatabaseError {
  override readonly name = 'DatabaseUnavailableError';
}

/** The statement took longer than it may. */
export class StatementTimeoutError extends DatabaseError {
  override readonly name = 'StatementTimeoutError';
}

/** The rows are more than the RDS Data API hands over; a transaction that asked for them is lost. */
export class ResultTooLargeError extends DatabaseError {
  override readonly name = 'ResultTooLargeError';
}

/** `lock_not_available`: a table was locked for longer than the statement waits. */
export const LOCKED = '55P03';
/** `deadlock_detected`: PostgreSQL ended one of several transactions that wait for each other. */
export const DEADLOCK = '40P01';

/** Whether PostgreSQL refused a statement with one of these states. */
export function hasState(error: unknown, ...states: readonly string[]): boolean {
  return error instanceof DatabaseError && states.includes(error.sqlState ?? '');
}

/** Whether a statement failed because the database was not there: it slept, was gone, or did not answer. */
export function isDatabaseAway(error: unknown): boolean {
  return error instanceof DatabaseResumingError || error instanceof DatabaseUnavailableError;
}

/** What a request to the RDS Data API ended in, as one of ours. */
export function toDatabaseError(error: unknown): DatabaseError {
  if (!(error instanceof Error)) return new DatabaseError(String(error), error);
  const message = `${error.name}: ${error.message}`;
  if (error.name === 'DatabaseResumingException') return new DatabaseResumingError(message, error);
  if (error.name === 'StatementTimeoutException') return new StatementTimeoutError(message, error);
  const state = SQL_STATE.exec(message)?.[1] ?? '';
  if (responseStatus(error) !== undefined && state === '' && RESULT_TOO_LARGE.test(error.message))
    return new ResultTooLargeError(message, error);
  if (state === CANCELLED_STATE) return new StatementTimeoutError(message, error);
  return UNAVAILABLE_ERRORS.has(error.name) || UNAVAILABLE_STATES.has(state) || !isRefusal(error)
    ? new DatabaseUnavailableError(message, error)
    : new DatabaseError(message, error);
}
