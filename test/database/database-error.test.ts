import { RDSDataServiceException } from '@aws-sdk/client-rds-data';
import {
  DatabaseError,
  DatabaseResumingError,
  DatabaseUnavailableError,
  ResultTooLargeError,
  StatementTimeoutError,
  toDatabaseError,
} from '../../lambdas/shared/chain-database/database-error.ts';
import { UpstreamError } from '../../lambdas/shared/http/upstream-error.ts';

function answered(name: string, message = 'words', status = 400): RDSDataServiceException {
  return new RDSDataServiceException({
    name,
    message,
    $fault: status < 500 ? 'client' : 'server',
    $metadata: { httpStatusCode: status },
  });
}

const TOO_LARGE = 'Database returned more than the allowed response size limit';

test.each([
  [answered('DatabaseResumingException'), DatabaseResumingError],
  [answered('StatementTimeoutException'), StatementTimeoutError],
  [answered('BadRequestException', 'canceling statement; SQLState: 57014'), StatementTimeoutError],
  [answered('BadRequestException', 'too many clients; SQLState: 53300'), DatabaseUnavailableError],
  [answered('BadRequestException', 'shutting down; SQLState: 57P01'), DatabaseUnavailableError],
  [
    answered('BadRequestException', 'password authentication failed; SQLState: 28P01'),
    DatabaseUnavailableError,
  ],
  [answered('InvalidResourceStateException', 'is not available'), DatabaseUnavailableError],
  [answered('UnsupportedResultException', TOO_LARGE), ResultTooLargeError],
  [answered('BadRequestException', TOO_LARGE), ResultTooLargeError],
  [answered('DatabaseErrorException', TOO_LARGE), ResultTooLargeError],
  [answered('ServiceUnavailableError'), DatabaseUnavailableError],
  [answered('TransactionNotFoundException', 'is not found', 404), DatabaseUnavailableError],
  [answered('Unknown', '', 502), DatabaseUnavailableError],
  [
    new UpstreamError('closed', { sent: true, reusedSocket: true, code: 'ECONNRESET' }),
    DatabaseUnavailableError,
  ],
  [answered('BadRequestException', 'no such table; SQLState: 42P01'), DatabaseError],
  [answered('BadRequestException', 'index row exceeds size limit; SQLState: 54000'), DatabaseError],
])('%s', (error, kind) => {
  expect(toDatabaseError(error).constructor).toBe(kind);
});

test('tells the state that PostgreSQL gave', () => {
  expect(toDatabaseError(answered('BadRequestException', 'ERROR: x; SQLState: 42P01')).sqlState).toBe(
    '42P01',
  );
  expect(toDatabaseError(new Error('x')).sqlState).toBeUndefined();
});
