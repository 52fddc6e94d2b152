import {
  DatabaseError,
  DatabaseResumingError,
  DatabaseUnavailableError,
  ResultTooLargeError,
  StatementTimeoutError,
  toDatabaseError,
} from '../../lambdas/chain-data/database-error.ts';

/** An error as the SDK makes it of an answer. */
function answered(name: string, message = 'words'): Error {
  return Object.assign(new Error(message), { name, $metadata: {}, $fault: 'client' });
}

test.each([
  [answered('DatabaseResumingException'), DatabaseResumingError],
  [answered('StatementTimeoutException'), StatementTimeoutError],
  [answered('BadRequestException', 'canceling statement; SQLState: 57014'), StatementTimeoutError],
  [answered('BadRequestException', 'too many clients; SQLState: 53300'), DatabaseUnavailableError],
  [answered('BadRequestException', 'shutting down; SQLState: 57P01'), DatabaseUnavailableError],
  [answered('UnsupportedResultException', 'over the size limit'), ResultTooLargeError],
  [answered('ServiceUnavailableError'), DatabaseUnavailableError],
  [new Error('socket hang up'), DatabaseUnavailableError],
  [answered('BadRequestException', 'no such table; SQLState: 42P01'), DatabaseError],
])('%s', (error, kind) => {
  expect(toDatabaseError(error).constructor).toBe(kind);
});

test('tells the state that PostgreSQL gave', () => {
  expect(toDatabaseError(answered('BadRequestException', 'ERROR: x; SQLState: 42P01')).sqlState).toBe(
    '42P01',
  );
  expect(toDatabaseError(new Error('x')).sqlState).toBeUndefined();
});
