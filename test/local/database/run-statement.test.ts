import type pg from 'pg';
import { AWS_LIMITS } from '../../../local/database/data-api-limits.ts';
import { runStatement } from '../../../local/database/run-statement.ts';

test('a statement that cannot be cancelled is answered when it ends', async () => {
  const begun = Promise.withResolvers<pg.Query>();
  const client = { query: begun.resolve } as unknown as pg.ClientBase;
  const cancelled = Promise.withResolvers<void>();
  const { result, finished } = runStatement({
    client,
    statement: { text: 'SELECT 1', values: [] },
    limits: { ...AWS_LIMITS, statementTimeoutMs: 1 },
    continueAfterTimeout: false,
    cancel: () => {
      cancelled.resolve();
      return Promise.reject(new Error('no connection'));
    },
  });
  await cancelled.promise;
  (await begun.promise).emit('end', { fields: [], rows: [], command: 'SELECT', rowCount: 0, oid: 0 });
  await expect(result).rejects.toMatchObject({ name: 'StatementTimeoutException' });
  expect(await finished).toBe(false);
});
