import { setTimeout as sleep } from 'node:timers/promises';
import { BeginTransactionCommand, ExecuteStatementCommand, RDSDataClient } from '@aws-sdk/client-rds-data';
import { localClientConfig } from '../../../local/client-config.ts';
import { startDataApiEndpoint } from '../../../local/database/data-api-endpoint.ts';
import { ACCESS_KEY_ID } from '../access-key.ts';
import {
  CLUSTER_ARN,
  DATABASE_NAME,
  SECRET_ARNS,
  startTestDatabase,
  type TestDatabase,
} from './test-database.ts';

type DataApiEndpoint = Awaited<ReturnType<typeof startDataApiEndpoint>>;

/** The RDS Data API of a local run ends statements and transactions that take too long. */
export function testDataApiTimes(): void {
  const TARGET = { resourceArn: CLUSTER_ARN, secretArn: SECRET_ARNS.admin, database: DATABASE_NAME };
  const POLL_MS = 20;
  const POLL_ATTEMPTS = 500;

  /** Statements that are to take too long go there; all others have the time that AWS gives them. */
  const IMPATIENT = { statementTimeoutMs: 200 };

  let database: TestDatabase;
  let impatient: DataApiEndpoint;
  let impatientClient: RDSDataClient;
  beforeAll(async () => {
    database = await startTestDatabase({ transactionIdleMs: 3_000 });
    const { superuser } = database.postgres;
    const clusters = new Set([CLUSTER_ARN]);
    impatient = await startDataApiEndpoint({
      accessKeyId: ACCESS_KEY_ID,
      superuser,
      clusters,
      secrets: database.secrets,
      limits: IMPATIENT,
    });
    impatientClient = new RDSDataClient({
      ...localClientConfig(impatient.url, ACCESS_KEY_ID),
      maxAttempts: 1,
    });
  });
  afterAll(async () => {
    impatientClient?.destroy();
    await impatient?.close();
    await database?.close();
  });

  const execute = (sql: string, input: object = {}, client = database.client) =>
    client.send(new ExecuteStatementCommand({ ...TARGET, sql, ...input }));
  const executeImpatiently = (sql: string, input: object = {}) => execute(sql, input, impatientClient);
  const begin = async (client = database.client) =>
    (await client.send(new BeginTransactionCommand(TARGET))).transactionId ?? '';

  /** Asks again until the response is as wanted. */
  async function until<Answer>(
    ask: () => Promise<Answer>,
    wanted: (answer: Answer) => boolean,
  ): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await ask();
      if (wanted(answer) || attempt === POLL_ATTEMPTS) return answer;
      await sleep(POLL_MS);
    }
  }

  const TIMED_OUT = { name: 'StatementTimeoutException' };
  const running = async (mark: string) =>
    (
      await execute(
        `SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%${mark}' AND state = 'active' AND pid <> pg_backend_pid()`,
      )
    ).records?.[0]?.[0]?.longValue;

  test('a statement that takes too long is cancelled', async () => {
    await expect(executeImpatiently('SELECT pg_sleep(60)::text -- slow')).rejects.toMatchObject(TIMED_OUT);
    expect(
      await until(
        () => running('-- slow'),
        (count) => count === 0,
      ),
    ).toBe(0);
  });

  test('or runs on, if that is asked for', async () => {
    await execute('CREATE TABLE patience (n bigint)');
    await expect(
      executeImpatiently('INSERT INTO patience SELECT 1 FROM pg_sleep(1)', { continueAfterTimeout: true }),
    ).rejects.toMatchObject(TIMED_OUT);
    const count = async () => (await execute('SELECT count(*) FROM patience')).records?.[0]?.[0]?.longValue;
    expect(await until(count, (rows) => rows === 1)).toBe(1);
  });

  test('a transaction is lost with a statement that takes too long', async () => {
    const transactionId = await begin(impatientClient);
    await expect(executeImpatiently('SELECT pg_sleep(60)::text', { transactionId })).rejects.toMatchObject(
      TIMED_OUT,
    );
    await expect(executeImpatiently('SELECT 1', { transactionId })).rejects.toMatchObject({
      name: 'TransactionNotFoundException',
    });
  });

  test('an unused transaction is rolled back', async () => {
    await execute('CREATE TABLE idle (n bigint)');
    const unused = await begin();
    const transactionId = await begin();
    await execute('INSERT INTO idle VALUES (1)', { transactionId });
    const locks = async () =>
      (await execute("SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'"))
        .records?.[0]?.[0]?.longValue;
    expect(await until(locks, (count) => count === 0)).toBe(0);
    for (const id of [unused, transactionId])
      await expect(execute('SELECT 1', { transactionId: id })).rejects.toMatchObject({
        name: 'TransactionNotFoundException',
      });
    expect((await execute('SELECT count(*) FROM idle')).records).toEqual([[{ longValue: 0 }]]);
  });
}
