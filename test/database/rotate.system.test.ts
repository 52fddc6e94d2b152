import { rotate } from '../../lambdas/migrate/rotate.ts';
import { connectRdsData } from '../../lambdas/shared/aws/rds-data.ts';
import { createChainDatabase } from '../../lambdas/shared/chain-database/chain-database.ts';
import { DatabaseUnavailableError } from '../../lambdas/shared/chain-database/database-error.ts';
import { localClientConfig } from '../../local/client-config.ts';
import { ACCESS_KEY_ID } from '../local/access-key.ts';
import { CLUSTER_ARN, DATABASE_NAME, SECRET_ARNS } from '../local/database/test-database.ts';
import { MADE_CHAINS, type MigratedDatabase, startMigratedDatabase } from './migrated-database.ts';

const SECRET_MEMORY_MS = 5 * 60_000;

const [CHAIN] = MADE_CHAINS;
const CURRENT_USER = 'SELECT session_user::text AS user';

let database: MigratedDatabase;
let now = 1_800_000_000_000;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database.close());

function rotateRole(role: 'writer' | 'reader', write?: (text: string) => Promise<void>): Promise<string> {
  const arn = SECRET_ARNS[role];
  const secret = {
    read: async () => database.secrets.get(arn) ?? '',
    write: write ?? (async (text: string) => void database.secrets.set(arn, text)),
  };
  return rotate(role, { database: database.admin, secret, clock: { now: () => now } });
}

/** A function whose RDS Data API has not read the secret before. */
function afresh(role: 'writer' | 'reader') {
  const secretArn = `fresh ${now} ${role}`;
  database.secrets.set(secretArn, database.secrets.get(SECRET_ARNS[role]) ?? '');
  return createChainDatabase({
    resourceArn: CLUSTER_ARN,
    secretArn,
    database: DATABASE_NAME,
    connect: connectRdsData,
    clientConfig: localClientConfig(database.dataApi.url, ACCESS_KEY_ID),
  });
}

test('a password is changed by turns, and a client with the previous secret goes on', async () => {
  expect((await database.reader.query(CURRENT_USER)).rows).toEqual([{ user: 'gateway_reader' }]);
  expect(await rotateRole('reader')).toBe('gateway_reader_b');
  expect((await database.reader.query(CURRENT_USER)).rows).toEqual([{ user: 'gateway_reader' }]);
  expect((await afresh('reader').query(CURRENT_USER)).rows).toEqual([{ user: 'gateway_reader_b' }]);
  await expect(rotateRole('reader')).rejects.toMatchObject({ name: 'RotatedRecentlyError' });
  now += SECRET_MEMORY_MS;
  expect(await rotateRole('reader')).toBe('gateway_reader');
  expect((await afresh('reader').query(CURRENT_USER)).rows).toEqual([{ user: 'gateway_reader' }]);
});

test('the second user has the rights of the first, and its bounds', async () => {
  now += SECRET_MEMORY_MS;
  await rotateRole('writer');
  await rotateRole('reader');
  const [writer, reader] = [afresh('writer'), afresh('reader')];
  await writer.query(`SELECT ${CHAIN}.lock_partitions()`);
  await writer.query(`INSERT INTO ${CHAIN}.ring VALUES (7, '\\x00', '\\x00', now())`);
  await expect(writer.query(`DROP TABLE ${CHAIN}.ring`)).rejects.toMatchObject({ sqlState: '42501' });
  expect((await reader.query(`SELECT block_number FROM ${CHAIN}.ring`)).rows).toEqual([{ block_number: 7 }]);
  expect((await reader.query('SHOW statement_timeout')).rows).toEqual([{ statement_timeout: '8s' }]);
  await expect(reader.query(`DELETE FROM ${CHAIN}.ring`)).rejects.toMatchObject({ sqlState: '25006' });
});

test('a secret that could not be written stays as it was, and what it says goes on working', async () => {
  now += SECRET_MEMORY_MS;
  const before = database.secrets.get(SECRET_ARNS.reader);
  const lost = () => Promise.reject(new Error('no answer'));
  await expect(rotateRole('reader', lost)).rejects.toThrow('no answer');
  expect(database.secrets.get(SECRET_ARNS.reader)).toBe(before);
  await afresh('reader').query(CURRENT_USER);
});

test('a deployment sets the password of the user in use', async () => {
  await expect(database.migrate([CHAIN])).resolves.toEqual([]);
});

test('a password that is not the role\u2019s is a database that is not available', async () => {
  database.secrets.set('wrong', JSON.stringify({ username: 'gateway_reader', password: 'wrong' }));
  const wrong = createChainDatabase({
    resourceArn: CLUSTER_ARN,
    secretArn: 'wrong',
    database: DATABASE_NAME,
    connect: connectRdsData,
    clientConfig: localClientConfig(database.dataApi.url, ACCESS_KEY_ID),
  });
  await expect(wrong.query(CURRENT_USER)).rejects.toThrow(DatabaseUnavailableError);
});
