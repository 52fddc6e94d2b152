import { MIGRATIONS, type MigratedDatabase, startMigratedDatabase } from './migrated-database.ts';

const REWOUND = '033-rewound-snapshots';
const [SOUND, REORGANISED] = ['sound', 'reorganised'];

let database: MigratedDatabase;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
  await database.migrate(
    [SOUND, REORGANISED],
    MIGRATIONS.filter(({ name }) => name < REWOUND),
  );
});
afterAll(() => database?.close());

const run = (sql: string) => database.writer.query(sql);

test('an index that has another block than one of its snapshots loses them all; others lose nothing', async () => {
  for (const chain of [SOUND, REORGANISED]) {
    await run(`INSERT INTO "${chain}".blocks SELECT n, '\\x00', '\\x', now(), '\\x', 1, 1, NULL, '\\x', '\\x', '\\x', '\\x',
        0, 0, 0 FROM generate_series(0, 20) AS n`);
    await run(`INSERT INTO "${chain}".coverage VALUES ('balances', '{[0,21)}')`);
    await run(`INSERT INTO "${chain}".balance_snapshots (snapshot_id, block_number, block_hash, block_time, completed_at)
      SELECT n, 10 * n, '\\x00', now(), now() FROM generate_series(1, 2) AS n`);
  }
  await run(`UPDATE "${REORGANISED}".balance_snapshots SET block_hash = '\\x01' WHERE snapshot_id = 1`);
  await database.migrate([SOUND, REORGANISED]);
  const left = async (chain: string) =>
    (
      await run(`SELECT count(completed_at) AS complete, count(*) FILTER (WHERE rewound) AS rewound,
          (SELECT count(*) FROM "${chain}".coverage WHERE dataset = 'balances') AS covered
        FROM "${chain}".balance_snapshots`)
    ).rows;
  expect(await left(SOUND)).toEqual([{ complete: 2, rewound: 0, covered: 1 }]);
  expect(await left(REORGANISED)).toEqual([{ complete: 0, rewound: 2, covered: 0 }]);
});
