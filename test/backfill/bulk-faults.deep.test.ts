/** A fill by files that fails anywhere stores every block once: further faults of the kinds in bulk-faults.system.test.ts. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StrangeBlocksError } from '../../lambdas/chain-data/store/neighbours.ts';
import type { ChainConnection } from '../../lambdas/shared/chain-database/chain-queries.ts';
import { DatabaseUnavailableError } from '../../lambdas/shared/chain-database/database-error.ts';
import { decode } from '../indexer/bad-input/indexed-chain.ts';
import { makeForkingChain } from '../indexer/follow/forking-chain.ts';
import { bulkFill } from './bulk-fill.ts';
import {
  begun,
  chain,
  collectRefusals,
  database,
  dump,
  expectWhole,
  FIRST,
  folder,
  HEAD,
  newBucket,
  PAST,
  planned,
} from './bulk-world.ts';

test('a fill whose messages are lost goes on when it is started again, with what was written and not imported', async () => {
  const { schema, connection } = await begun();
  const fill = await planned(connection);
  let imports = 0;
  const dying: ChainConnection = {
    ...connection,
    query: (statement, ...more) => {
      if (!statement.includes('bulk_import(')) return connection.query(statement, ...more);
      imports += 1;
      return imports < 3 ? connection.query(statement, ...more) : Promise.reject(new Error('gone'));
    },
  };
  const first = bulkFill({ ...fill.parts, connection: dying, waiting: fill.waiting });
  await expect(first.next()).rejects.toThrow('gone');
  fill.waiting.splice(0);
  fill.start(PAST.from, PAST.to);
  await fill.untilDone();
  await expectWhole(schema);
});

test('a block with 100,000 logs is a file by itself, and the fill has as many', async () => {
  const LOGS = 100_000;
  const HEAVY = 50;
  const { schema, connection } = await begun();
  const fill = await planned(connection);
  const heavy = bulkFill({
    ...{ connection, reader: chain.reader, bucket: fill.parts.bucket, waiting: fill.waiting },
    decode: (block) => {
      const rows = decode(block);
      const [log] = rows.logs;
      if (block.number !== HEAVY || log === undefined) return rows;
      const logs = Array.from({ length: LOGS }, (_, log_index) => ({ ...log, log_index }));
      return { ...rows, block: { ...rows.block, log_count: LOGS }, logs };
    },
  });
  await heavy.untilDone();
  const { rows } = await database.admin.query(
    `SELECT count(*)::int AS logs, count(DISTINCT log_index)::int AS places FROM "${schema}".logs WHERE block_number = ${HEAVY}`,
  );
  expect(rows).toEqual([{ logs: LOGS, places: LOGS }]);
  expect(folder.keys.filter((key) => /^[^/]+\/\d+-50\/1\/logs$/.test(key))).toHaveLength(1);
});

describe('a file is refused by name and written again', () => {
  test('that has a key twice', async () => {
    const { schema, connection } = await begun();
    const fill = await planned(connection);
    const doubling = bulkFill({
      ...{ connection, reader: chain.reader, bucket: fill.parts.bucket, waiting: fill.waiting },
      decode: (block) => {
        const rows = decode(block);
        const [first] = rows.nft_transfers;
        return first === undefined ||
          block.number > 60 ||
          written.has(block.number) ||
          !written.add(block.number)
          ? rows
          : { ...rows, nft_transfers: [...rows.nft_transfers, first] };
      },
    });
    const written = new Set<number>();
    const refused = await collectRefusals(schema, doubling);
    expect(refused.join()).toMatch(/a key of nft_transfers is there twice, in block \d+/);
    await expectWhole(schema);
  });

  /** A fill whose first run ended once its first file was written. */
  async function leftFile() {
    const { schema, connection } = await begun();
    const fill = await planned(connection);
    const dying: ChainConnection = {
      ...connection,
      query: (statement, ...more) =>
        statement.includes('bulk_import')
          ? Promise.reject(new DatabaseUnavailableError('gone', undefined))
          : connection.query(statement, ...more),
    };
    await expect(
      bulkFill({ ...fill.parts, connection: dying, waiting: fill.waiting }).next(),
    ).rejects.toThrow('gone');
    return { schema, fill };
  }

  test('that another run left, and that was changed since', async () => {
    const { schema, fill } = await leftFile();
    for (const key of folder.keys.filter((one) => one.endsWith('/logs')))
      await folder.put(key, Buffer.concat([(await folder.get(key)) ?? Buffer.alloc(0), Buffer.from([0])]));
    const refused = await collectRefusals(schema, fill);
    expect(refused.join()).toContain('copy data after EOF marker');
    await expectWhole(schema);
  });

  test('that another run left, longer ago than the bucket keeps it', async () => {
    const { schema, fill } = await leftFile();
    await database.admin.query(
      `UPDATE "${schema}".bulk_files SET written_at = written_at - interval '7 days'`,
    );
    expect((await collectRefusals(schema, fill)).join()).toBe('it is too old to be there still');
    await expectWhole(schema);
  });
});

describe('the database', () => {
  test('that fails over in the middle of an import has imported nothing of the file', async () => {
    const { schema, connection } = await begun();
    const fill = await planned(connection);
    const holder = new pg.Client(database.postgres.superuser);
    await holder.connect();
    await holder.query(`BEGIN; LOCK TABLE "${schema}".logs_b0 IN ACCESS EXCLUSIVE MODE`);
    const failing = expect(fill.next()).rejects.toThrow(DatabaseUnavailableError);
    await endWaiting();
    await failing;
    await holder.query('ROLLBACK');
    await holder.end();
    await fill.untilDone();
    await expectWhole(schema);
  });

  /** Ends the backend that waits for a lock, as a server that goes down does. */
  async function endWaiting() {
    for (let looks = 0; looks < 1_000; looks += 1) {
      const { rows } = await database.admin.query(
        `SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity
         WHERE wait_event_type = 'Lock' AND query LIKE '%bulk_import%' AND pid <> pg_backend_pid()`,
      );
      if (rows.length > 0) return;
      await sleep(20);
    }
    throw new Error('no import waits');
  }

  test('that sleeps is waited for', async () => {
    const { schema, connection } = await begun();
    const fill = await planned(connection);
    database.dataApi.pause(1);
    await fill.untilDone();
    await expectWhole(schema);
  });
});

describe('a reorganisation', () => {
  test('that the files do not know lets nothing of them in', async () => {
    const { schema, connection } = await begun();
    const before = await dump(schema);
    const past = makeForkingChain(HEAD, 16);
    // Far enough below, so that its own blocks have pools.
    past.fork(FIRST - 40, HEAD);
    const fill = bulkFill({ connection, reader: past.reader, bucket: await newBucket() });
    fill.start(PAST.from, PAST.to);
    await expect(fill.untilDone()).rejects.toThrow(StrangeBlocksError);
    expect(await dump(schema)).toEqual(before);
    fill.waiting.splice(0);
    fill.waiting.push({ chain: schema, ...PAST, bulk: 'drop' });
    await fill.untilDone();
    const again = bulkFill({ connection, reader: chain.reader, bucket: fill.parts.bucket });
    again.start(PAST.from, PAST.to);
    await again.untilDone();
    await expectWhole(schema);
  });
});
