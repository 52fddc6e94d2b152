import { randomBytes } from 'node:crypto';
import type { Context } from '../../../bin/operator/context/command.ts';
import { createTableReader } from '../../../bin/operator/restore/table-reader.ts';
import { createDynamoStore } from '../../../lambdas/access/store/dynamo-store.ts';
import type { Store } from '../../../lambdas/access/store/store.ts';
import { TABLES, type Table } from '../../../lambdas/access/store/tables.ts';
import { EMULATORS } from '../../emulators/emulators.ts';
import { createMeteringTables, emulatorClientConfig } from '../../emulators/metering-tables.ts';
import type { Emulator } from '../../emulators/server-process.ts';
import { startThrottlingProxy, type ThrottlingProxy } from '../../emulators/throttling-proxy.ts';
import type { MemoryStore } from '../../simulation/stores/memory-store.ts';
import { passOn } from '../../simulation/stores/pass-on.ts';
import { repetitions } from '../../support/at-length.ts';
import { testAtLength } from '../../support/at-length-tests.ts';
import { BARE_CONTEXT } from '../bare-context.ts';
import { capturedRun } from '../captured-run.ts';
import { fillTable, inOrder, itemsOf, makeBooks, RESTORE_CLOCK } from './restored-books.ts';

/** A restore puts back what is missing, keeps what is newer and names what differs. */
export function testRestoreTable(): void {
  const ACCOUNTS = 20;
  const CREDITS = repetitions(1_500);
  const PATIENCE_MS = 120_000;
  const ALL_TABLES = Object.keys(TABLES) as Table[];

  let books: MemoryStore;
  beforeAll(async () => {
    books = await makeBooks(ACCOUNTS, CREDITS);
  });

  describe.each(EMULATORS)('on $name', ({ start }) => {
    let emulator: Emulator;
    let restored: Record<Table, string>;
    beforeAll(async () => {
      emulator = await start();
      restored = await createMeteringTables(emulator.endpoint, 'restored');
      for (const table of ALL_TABLES) await fillTable(emulator.endpoint, restored[table], books.items(table));
    });
    afterAll(() => emulator.close());

    /** An empty stage behind a proxy, and the operator's commands on it. */
    async function openStage() {
      const names = await createMeteringTables(emulator.endpoint, `stage-${randomBytes(4).toString('hex')}`);
      const proxy = await startThrottlingProxy(emulator.endpoint);
      const clientConfig = emulatorClientConfig(proxy.endpoint);
      const times = { connectTimeoutMs: PATIENCE_MS, requestTimeoutMs: PATIENCE_MS };
      const context: Context = {
        ...BARE_CONTEXT,
        store: createDynamoStore({ tableNames: names, clientConfig, ...times }),
        clock: RESTORE_CLOCK,
        openTables: async () => ({
          reader: createTableReader({
            config: clientConfig,
            connectTimeoutMs: PATIENCE_MS,
            timeoutMs: PATIENCE_MS,
          }),
          names,
        }),
      };
      const run = (line: string, on = context) => capturedRun([...line.split(' '), '--local'], on);
      const restore = async (table: Table, more = '', on = context) => {
        const line = `restore ${table} --from ${restored[table]}${more} --json`;
        const { exitCode, stdout, stderr } = await run(line, on);
        return { exitCode, stderr, ...(stdout === '' ? {} : JSON.parse(stdout)) };
      };
      return { names, proxy, context, run, restore };
    }

    /** Counts requests of a kind that pass a proxy, and lets every n-th of them be throttled. */
    function throttleEvery(proxy: ThrottlingProxy, nth: number, operation: string): () => number {
      let seen = 0;
      const matches = (request: { operation: string }) =>
        request.operation === operation && ++seen % nth === 0;
      proxy.throttle(matches);
      return () => seen;
    }

    test('every table comes back, also while a quarter of the writes are throttled; then the books balance', async () => {
      const { names, proxy, run, restore } = await openStage();
      try {
        const dry = await restore('ledger', ' --dry-run');
        const records = books.items('ledger').length;
        expect(dry).toMatchObject({ exitCode: 0, dry_run: true, read: records, absent: records, present: 0 });
        expect(await itemsOf(emulator.endpoint, 'ledger', names.ledger)).toEqual([]);

        const writes = throttleEvery(proxy, 4, 'PutItem');
        for (const table of ALL_TABLES) {
          const count = books.items(table).length;
          const outcome = await restore(table);
          expect(outcome).toMatchObject({ exitCode: 0, read: count, absent: count, differing: 0 });
          expect(await itemsOf(emulator.endpoint, table, names[table])).toEqual(
            inOrder(table, books.items(table)),
          );
        }
        expect(proxy.hits).toBeGreaterThan(CREDITS / 5);

        const before = writes();
        for (const table of ALL_TABLES) {
          const count = books.items(table).length;
          expect(await restore(table)).toMatchObject({ exitCode: 0, absent: 0, present: count });
        }
        expect(writes()).toBe(before);

        proxy.throttle(() => false);
        for (const command of ['account rebuild --all', 'settle', 'audit']) {
          const { exitCode, stderr } = await run(command);
          expect({ command, exitCode, stderr }).toEqual({ command, exitCode: 0, stderr: '' });
        }
      } finally {
        await proxy.close();
      }
    });

    testAtLength(
      'a table that is half there keeps what is newer, gets what is not, and names what differs',
      async () => {
        const { names, proxy, restore } = await openStage();
        const { endpoint } = emulator;
        try {
          const ledger = inOrder('ledger', books.items('ledger'));
          const half = ledger.filter((_, place) => place % 2 === 0);
          const [changed, ...rest] = half.filter(({ cu }) => cu === 1n);
          await fillTable(endpoint, names.ledger, [
            ...half.filter(({ cu }) => cu !== 1n),
            ...rest,
            { ...changed, cu: 9n },
          ]);
          const outcome = await restore('ledger');
          expect(outcome).toMatchObject({
            exitCode: 1,
            absent: ledger.length - half.length,
            present: half.length - 1,
            differing: 1,
            differences: [{ key: { account: 'account-0', record: changed?.record }, attributes: ['cu'] }],
          });
          expect(await itemsOf(endpoint, 'ledger', names.ledger)).toEqual(
            ledger.map((item) => (item.record === changed?.record ? { ...item, cu: 9n } : item)),
          );

          const [first, second, third] = inOrder('lanes', books.items('lanes'));
          const lower = { ...first, total: 1n };
          const higher = { ...second, total: 9_999n };
          await fillTable(endpoint, names.lanes, [lower, higher, { ...third, used: 'other' }] as never);
          expect(await restore('lanes')).toMatchObject({ exitCode: 1, older: 1, newer: 1, differing: 1 });
          const lanes = await itemsOf(endpoint, 'lanes', names.lanes);
          expect(lanes.slice(0, 3)).toEqual([first, higher, { ...third, used: 'other' }]);
        } finally {
          await proxy.close();
        }
      },
    );

    testAtLength(
      'a run that fails in the middle keeps what it put, and the next one puts the rest',
      async () => {
        const { names, proxy, context, restore } = await openStage();
        const records = books.items('ledger').length;
        try {
          let puts = 0;
          const failing: Store = {
            ...passOn(context.store),
            put: (put) => {
              puts += 1;
              return puts > records / 2
                ? Promise.reject(new Error('the table is gone'))
                : context.store.put(put);
            },
          };
          const failed = await restore('ledger', '', { ...context, store: failing });
          expect(failed).toEqual({ exitCode: 1, stderr: 'operator: the table is gone\n' });
          const kept = (await itemsOf(emulator.endpoint, 'ledger', names.ledger)).length;
          expect(kept).toBeGreaterThan(0);
          expect(await restore('ledger')).toMatchObject({
            exitCode: 0,
            read: records,
            absent: records - kept,
            present: kept,
          });
          expect(await itemsOf(emulator.endpoint, 'ledger', names.ledger)).toEqual(
            inOrder('ledger', books.items('ledger')),
          );
        } finally {
          await proxy.close();
        }
      },
    );

    test('a table that is no copy is refused before anything is read', async () => {
      const { names, proxy, run } = await openStage();
      try {
        const refusals: Readonly<Record<string, string>> = {
          [`ledger --from ${restored.lanes}`]: `${restored.lanes} is no copy of ledger: its key is account_shard, hour_lane, not account, record`,
          [`ledger --from ${names.ledger}`]: `${names.ledger} is the table of the stage itself`,
          'ledger --from nowhere': 'there is no table nowhere in this region',
          [`books --from ${restored.ledger}`]: 'unknown table books',
        };
        for (const [line, refusal] of Object.entries(refusals)) {
          const { exitCode, stderr } = await run(`restore ${line}`);
          expect({ line, exitCode, stderr }).toEqual({
            line,
            exitCode: 2,
            stderr: expect.stringContaining(refusal),
          });
        }
      } finally {
        await proxy.close();
      }
    });
  });
}
