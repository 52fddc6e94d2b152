/** A fill by files that fails anywhere stores every block once: one fault of each kind, and at length the others. */
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import pg from 'pg';
import { BulkFileWriter } from '../../lambdas/backfill/bulk/bulk-file.ts';
import { runBulk } from '../../lambdas/backfill/bulk/run-bulk.ts';
import { StrangeBlocksError } from '../../lambdas/chain-data/store/neighbours.ts';
import type { BackfillMessage } from '../../lambdas/indexer/backfill-message.ts';
import { fillRange } from '../../lambdas/indexer/follow/fill-range.ts';
import type { WorkQueue } from '../../lambdas/shared/aws/work-queue.ts';
import type { ChainConnection, ChainQueries } from '../../lambdas/shared/chain-database/chain-queries.ts';
import {
  DatabaseUnavailableError,
  StatementTimeoutError,
} from '../../lambdas/shared/chain-database/database-error.ts';
import { decode, followAll, inTime } from '../indexer/bad-input/indexed-chain.ts';
import { contradictionsOf } from '../indexer/bad-input/sound-index.ts';
import { makeForkingChain } from '../indexer/follow/forking-chain.ts';
import { BARE_CONTEXT } from '../operator/bare-context.ts';
import { capturedRun } from '../operator/captured-run.ts';
import { isAtLength } from '../support/at-length.ts';
import { testAtLength } from '../support/at-length-tests.ts';
import { MemoryObjects } from '../support/memory/objects.ts';
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
  LONG_MS,
  newBucket,
  PAST,
  planned,
} from './bulk-world.ts';

/** Runs that are cut short at least, and more runs than a fill takes. */
const LEAST_CUTS = isAtLength ? 40 : 8;
const MAX_RUNS = 2_000;
/** Calls between those at which a run is cut short. */
const CUT_STEP = isAtLength ? 1 : 5;

afterEach(() => jest.restoreAllMocks());

/** Every call of a connection, those within transactions too. */
function withCalls(
  connection: ChainConnection,
  call: <Result>(work: () => Promise<Result>) => Promise<Result>,
): ChainConnection {
  return {
    ...connection,
    query: (...query) => call(() => connection.query(...query)),
    transaction: (work) =>
      call(() =>
        connection.transaction((queries: ChainQueries) =>
          work({ ...queries, query: (...query) => call(() => queries.query(...query)) }),
        ),
      ),
  };
}

test.each((['before', 'after'] as const).slice(0, isAtLength ? 2 : 1))(
  'a fill that is cut short %s every one of its calls, again and again, stores every block once',
  async (moment) => {
    // No slice is seen to be slow: how many there are does not depend on the machine.
    jest.spyOn(performance, 'now').mockReturnValue(0);
    const { schema, connection } = await begun();
    let calls = 0;
    let cutAt = 0;
    let underWay: Promise<unknown>[] = [];
    const cut = withCalls(connection, async (work) => {
      calls += 1;
      // A function that has ended calls nobody.
      if (calls > cutAt || (calls === cutAt && moment === 'before'))
        throw new DatabaseUnavailableError('cut', undefined);
      const isCut = calls === cutAt;
      const working = work();
      underWay.push(working.catch(() => undefined));
      const result = await working;
      if (isCut) throw new DatabaseUnavailableError('cut', undefined);
      return result;
    });
    const fill = await planned(connection);
    const cutting = bulkFill({ ...fill.parts, connection: cut, waiting: fill.waiting });
    let cuts = 0;
    // Each run of a kind of message ends some calls later than the one before, until one comes to its end.
    const reached = new Map<string, number>();
    for (let run = 0; fill.waiting.length > 0 && run < MAX_RUNS; run += 1) {
      const kind = String(fill.waiting[0]?.bulk);
      calls = 0;
      cutAt = (reached.get(kind) ?? 0) + CUT_STEP;
      await cutting.next().then(
        () => reached.set(kind, 0),
        (error) => {
          expect(String(error)).toContain('cut');
          reached.set(kind, cutAt);
          cuts += 1;
        },
      );
      // What it had called continues to its end.
      await Promise.all(underWay);
      underWay = [];
      if (run % 10 === 0) expect(await contradictionsOf(database.postgres.superuser, schema)).toEqual([]);
    }
    expect(fill.waiting).toEqual([]);
    expect(cuts).toBeGreaterThan(LEAST_CUTS);
    await expectWhole(schema);
  },
  LONG_MS,
);

test('a partition that is not done is looked at again soon, and then less and less often', async () => {
  const { connection } = await begun();
  const { parts, waiting } = await planned(connection);
  let finish = waiting.find(({ bulk }) => bulk === 'finish') as BackfillMessage;
  const pauses: (number | undefined)[] = [];
  const queue: WorkQueue = {
    send: async (work, seconds) => {
      finish = work as BackfillMessage;
      pauses.push(seconds);
    },
  };
  for (let look = 0; look < 5; look += 1) await runBulk({ ...parts, queue }, finish, inTime());
  expect(pauses).toEqual([2, 4, 8, 15, 15]);
});

test('the operator is told of the partitions as they are once the command ends', async () => {
  const { schema, connection } = await begun();
  const fill = bulkFill({ connection, reader: chain.reader, bucket: await newBucket() });
  const backfill: WorkQueue = {
    send: async (work) => {
      fill.waiting.push(work as BackfillMessage);
      await fill.next();
    },
  };
  const { stdout, stderr } = await capturedRun(
    ['backfill', schema, '--to', String(PAST.to), '--start', '--bulk', '--json', '--local'],
    {
      ...BARE_CONTEXT,
      cache: { ...BARE_CONTEXT.cache, chains: [schema] },
      openIndexing: async () => ({ database: database.writer, backfill, blockFiles: new MemoryObjects() }),
    },
  );
  expect(stderr).toBe('');
  expect(JSON.parse(stdout).bulk_partitions).toMatchObject([
    { from_block: PAST.from, to_block: PAST.to, state: 'filling', imported_blocks: 0 },
  ]);
});

testAtLength('no more indexes are made at a time than there are places, however long one takes', async () => {
  const { schema, connection } = await begun();
  const fill = await planned(connection);
  const building = new Set<Promise<unknown>>();
  let most = 0;
  const slow: ChainConnection = {
    ...connection,
    async query(statement, ...more) {
      if (!statement.includes('bulk_build(')) return connection.query(statement, ...more);
      const work = connection.query(statement, ...more);
      building.add(work);
      most = Math.max(most, building.size);
      throw new StatementTimeoutError('Query timed out', undefined);
    },
  };
  while (fill.waiting[0]?.bulk !== 'finish') await fill.next();
  const finishing = bulkFill({ ...fill.parts, connection: slow, waiting: fill.waiting });
  while (fill.waiting.length > 0) {
    await finishing.next();
    await Promise.all(building);
    building.clear();
  }
  expect(most).toBe(8);
  await expectWhole(schema);
});

testAtLength(
  'a fill each of whose steps times out once stores the same, and no step is done twice',
  async () => {
    const { schema, connection } = await begun();
    const running = new Set<Promise<unknown>>();
    const asked = new Map<string, number>();
    const impatient: ChainConnection = {
      ...connection,
      async query(statement, parameters = {}, options = {}) {
        const work = connection.query(statement, parameters, options);
        if (options.continueAfterTimeout !== true) return work;
        const step = JSON.stringify([statement, parameters]);
        asked.set(step, (asked.get(step) ?? 0) + 1);
        if (asked.get(step) !== 1) return work;
        running.add(work.catch(() => undefined));
        throw new StatementTimeoutError('Query timed out', undefined);
      },
    };
    const fill = await planned(connection);
    const slow = bulkFill({ ...fill.parts, connection: impatient, waiting: fill.waiting });
    await slow.untilDone();
    await Promise.all(running);
    // Imports, indexes, the check, what is derived, the end: all of them are asked for again.
    expect(running.size).toBeGreaterThan(40);
    await expectWhole(schema);
  },
);

testAtLength('many functions fill one range as one does', async () => {
  const { schema, connection } = await begun();
  const fill = await planned(connection);
  const lanes = Array.from({ length: 4 }, () => bulkFill({ ...fill.parts, waiting: fill.waiting }));
  fill.waiting.push(
    ...fill.waiting.map((message) => ({ ...message })),
    ...fill.waiting.map((one) => ({ ...one })),
  );
  const work = async (lane: (typeof lanes)[number]) => {
    while (fill.waiting.length > 0) await lane.next();
  };
  await Promise.all(lanes.map(work));
  await expectWhole(schema);
});

/** Runs a fill until its n-th import, at which its function dies. */
async function dieAtImport({ parts, waiting }: ReturnType<typeof bulkFill>, nth: number): Promise<void> {
  let imports = 0;
  const dying: ChainConnection = {
    ...parts.connection,
    query: (statement, ...more) => {
      if (statement.includes('bulk_import(')) imports += 1;
      return imports < nth ? parts.connection.query(statement, ...more) : Promise.reject(new Error('gone'));
    },
  };
  await expect(bulkFill({ ...parts, connection: dying, waiting }).next()).rejects.toThrow('gone');
}

testAtLength(
  'a fill whose messages are lost goes on when it is started again, with what was written and not imported',
  async () => {
    const { schema, connection } = await begun();
    const fill = await planned(connection);
    await dieAtImport(fill, 3);
    fill.waiting.splice(0);
    fill.start(PAST.from, PAST.to);
    await fill.untilDone();
    await expectWhole(schema);
  },
);

testAtLength('a block with 100,000 logs is a file by itself, and the fill has as many', async () => {
  const LOGS = 100_000;
  const HEAVY = 50;
  const { schema, connection } = await begun();
  const fill = await planned(connection);
  const heavy = bulkFill({
    ...fill.parts,
    waiting: fill.waiting,
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
  const CUT = (body: Buffer) => body.subarray(0, body.length - 40);
  const DAMAGES: readonly (readonly [string, string, (body: Buffer) => Buffer])[] = [
    ['that is cut', 'logs', CUT],
    ['that is cut at a row', 'withdrawals or logs', CUT],
    ['that is doubled', 'transactions', (body) => Buffer.concat([body, body])],
    ['that is empty', 'blocks', () => Buffer.alloc(0)],
    ['that is no file of PostgreSQL', 'erc20_transfers', (body) => Buffer.from(body.toString('hex'))],
  ];
  test.each(isAtLength ? DAMAGES : DAMAGES.slice(0, 1))('%s: %s', async (_, table, damage) => {
    const { schema, connection } = await begun();
    const fill = await planned(connection);
    folder.damage = (key, body) =>
      /\/1\/(\w+)$/.test(key) && table.includes(key.split('/').at(-1) ?? '') ? damage(body) : body;
    const refused = await collectRefusals(schema, fill);
    expect(refused.length).toBeGreaterThan(0);
    await expectWhole(schema);
  });

  const OTHERS = ['of another chain', 'of other blocks than its name says'];
  test.each(isAtLength ? OTHERS : OTHERS.slice(0, 1))('%s', async (which) => {
    const other = makeForkingChain(HEAD, 16);
    if (which === 'of another chain') other.fork(0, HEAD);
    const shift = which === 'of another chain' ? 0 : 2;
    const { schema, connection } = await begun();
    const fill = await planned(connection);
    folder.damage = (key, body) => {
      const [, from = '', to = ''] = /\/(\d+)-(\d+)\/1\/blocks$/.exec(key) ?? [];
      if (from === '' || from === '0') return body;
      const writer = new BulkFileWriter(schema);
      for (const block of other.blocks.slice(Number(from) - shift, Number(to) + 1 - shift))
        writer.add(decode(block));
      return writer.finish(1).objects[0] ?? body;
    };
    const refused = await collectRefusals(schema, fill);
    expect(refused.join()).toMatch(/does not hold the blocks of its name|duplicate key|partition_bounds/);
    await expectWhole(schema);
  });

  test('but not for ever', async () => {
    const { schema, connection } = await begun();
    const fill = await planned(connection);
    folder.damage = (key, body) => (key.endsWith('/blocks') ? CUT(body) : body);
    await expect(fill.next()).rejects.toThrow(/file \d+-\d+ is refused/);
    expect((await dump(schema)).coverage?.join()).not.toContain('[0,');
  });

  testAtLength('that has a key twice', async () => {
    const { schema, connection } = await begun();
    const fill = await planned(connection);
    const doubling = bulkFill({
      ...fill.parts,
      waiting: fill.waiting,
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
    await dieAtImport(fill, 1);
    return { schema, fill };
  }

  testAtLength('that another run left, and that was changed since', async () => {
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
  /** Lets the next imports end so. */
  async function failImports(state: string) {
    await database.admin.query(
      'ALTER FUNCTION aws_s3.table_import_from_s3(text,text,text,text,text,text) RENAME TO kept',
    );
    await database.admin.query(
      `CREATE FUNCTION aws_s3.table_import_from_s3(text,text,text,text,text,text) RETURNS text LANGUAGE plpgsql AS
       $f$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '${state}'; END $f$`,
    );
    return async () => {
      await database.admin.query('DROP FUNCTION aws_s3.table_import_from_s3(text,text,text,text,text,text)');
      await database.admin.query(
        'ALTER FUNCTION aws_s3.kept(text,text,text,text,text,text) RENAME TO table_import_from_s3',
      );
    };
  }

  test('that is full in the middle of an import has refused no file, and goes on when there is room', async () => {
    const { schema, connection } = await begun();
    const fill = await planned(connection);
    const mend = await failImports('53100');
    await expect(fill.next()).rejects.toThrow('53100');
    const { rows } = await database.admin.query(
      `SELECT count(*) AS refused FROM "${schema}".bulk_files WHERE refused IS NOT NULL`,
    );
    expect(rows).toEqual([{ refused: 0 }]);
    await mend();
    await fill.untilDone();
    await expectWhole(schema);
  });

  test(
    'with a reader that holds its transaction open lets the partition wait, and readers read on',
    async () => {
      const { schema, connection } = await begun();
      const fill = await planned(connection);
      const reader = new pg.Client(database.postgres.superuser);
      await reader.connect();
      await reader.query(`BEGIN; SELECT count(*) FROM "${schema}".logs`);
      while (fill.waiting.length > 1) await fill.next();
      await fill.next();
      expect(fill.waiting).toHaveLength(1);
      expect((await dump(schema)).blocks).toHaveLength(HEAD - FIRST + 1);
      await reader.query('COMMIT');
      await reader.end();
      await fill.untilDone();
      await expectWhole(schema);
    },
    LONG_MS,
  );

  testAtLength('that fails over in the middle of an import has imported nothing of the file', async () => {
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

  testAtLength('that sleeps is waited for', async () => {
    const { schema, connection } = await begun();
    const fill = await planned(connection);
    database.dataApi.pause(1);
    await fill.untilDone();
    await expectWhole(schema);
  });
});

describe('a reorganisation', () => {
  testAtLength('while the partition is attached is done before it, or after it', async () => {
    const { schema, connection, index } = await begun();
    const fill = await planned(connection);
    while (fill.waiting.length > 1) await fill.next();
    chain.fork(FIRST + 2, HEAD + 3);
    const follow = () => followAll({ reader: chain.reader, index, decode });
    await Promise.all([fill.untilDone(), follow()]);
    await follow();
    const paged = await begun();
    await fillRange({ ...paged, reader: chain.reader, decode, outOfTime: () => false }, PAST, inTime());
    await fill.parts.completeHistory();
    await bulkFill({ ...fill.parts, ...paged }).parts.completeHistory();
    expect(await contradictionsOf(database.postgres.superuser, schema)).toEqual([]);
    const [one, other] = [await dump(schema), await dump(paged.schema)];
    for (const table of Object.keys(one)) expect({ [table]: one[table] }).toEqual({ [table]: other[table] });
  });

  testAtLength('that the files do not know lets nothing of them in', async () => {
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
