import { RDSDataServiceException } from '@aws-sdk/client-rds-data';
import { whenAvailable } from '../../lambdas/migrate/migrate.ts';
import { DatabaseError, toDatabaseError } from '../../lambdas/shared/chain-database/database-error.ts';

function answered(name: string, httpStatusCode: number): DatabaseError {
  const $fault = httpStatusCode < 500 ? 'client' : 'server';
  return toDatabaseError(
    new RDSDataServiceException({ name, message: '', $fault, $metadata: { httpStatusCode } }),
  );
}

const GATEWAY_TIMEOUT = answered('Unknown', 504);
const MADE = answered('InvalidResourceStateException', 400);
const RESUMING = answered('DatabaseResumingException', 400);

/** Work that ends in each of these in turn, and then well, on a clock that moves with the pauses. */
function run(failures: readonly Error[]) {
  let now = 0;
  let attempts = 0;
  const work = async () => {
    attempts += 1;
    const failure = failures[attempts - 1];
    if (failure !== undefined) throw failure;
    return attempts;
  };
  const pause = async (durationMs: number) => {
    now += durationMs;
  };
  const ended = whenAvailable(work, { clock: { now: () => now }, pause });
  return { ended, waitedMs: () => now };
}

test('a database that is new, wakes or fails over is tried again, whatever it says', async () => {
  await expect(run([GATEWAY_TIMEOUT, MADE, RESUMING]).ended).resolves.toBe(4);
});

test('for four minutes, which is longer than a lost transaction keeps its locks', async () => {
  const { ended, waitedMs } = run(Array.from({ length: 1_000 }, () => GATEWAY_TIMEOUT));
  await expect(ended).rejects.toBe(GATEWAY_TIMEOUT);
  expect(waitedMs()).toBeGreaterThanOrEqual(240_000);
  expect(waitedMs()).toBeLessThan(250_000);
});

test('a migration that is wrong is not', async () => {
  const wrong = new DatabaseError('SQLState: 42703', undefined);
  const { ended, waitedMs } = run([wrong]);
  await expect(ended).rejects.toBe(wrong);
  expect(waitedMs()).toBe(0);
});
