import { createDynamoStore } from '../../lambdas/access/store/dynamo-store.ts';
import type { Store } from '../../lambdas/access/store/store.ts';
import type { Table } from '../../lambdas/access/store/tables.ts';
import { auditAccounts } from '../../lambdas/audit/audit.ts';
import { EMULATORS } from '../emulators/emulators.ts';
import { createMeteringTables, emulatorClientConfig } from '../emulators/metering-tables.ts';
import type { Emulator } from '../emulators/server-process.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';
import { PROXY_FAULTS, type ProxyFault, startFaultProxy } from './fault-proxy.ts';
import { admitAnew, Cell, WRITE_SITES, type WriteSite } from './write-sites.ts';

/** What the code under test waits for an answer. An emulator that takes longer only adds another fault. */
const TIMEOUT_MS = 800;
/** What preparations and checks wait. */
const PATIENCE_MS = 120_000;
const FAULTS_AT_ONCE = 7;
/** Most of the time a site waits for an answer that does not come. */
const SITES_AT_ONCE = 2;
const NAME_WIDTH = 34;
const CELL_WIDTH = 3;
/** Later than everything that the accounts have seen. */
const AUDIT_CLOCK = { now: () => Date.UTC(2026, 10, 25) };
const SIGNS: Readonly<Record<string, string>> = {
  'at once': '1',
  'attempt 2': '2',
  admitted: 'A',
  billing_unavailable: 'U',
  stored: 'S',
  queued: 'Q',
};

describe.each(EMULATORS)('on $name', ({ name, start }) => {
  const outcomes = new Map<string, string>();
  let emulator: Emulator;
  let tableNames: Record<Table, string>;
  let stored: Store;
  const sites = WRITE_SITES.map(() => Promise.withResolvers<void>());
  let running: Promise<unknown> | undefined;

  beforeAll(async () => {
    emulator = await start();
    tableNames = await createMeteringTables(emulator.endpoint, 'matrix');
    stored = openStore(emulator.endpoint, PATIENCE_MS);
    running = runSites();
  });
  afterAll(async () => {
    await running;
    process.stdout.write(`${matrix(name, outcomes).join('\n')}\n`);
    await emulator.close();
  });

  function openStore(endpoint: string, timeoutMs: number): Store {
    return createDynamoStore({
      tableNames,
      clientConfig: emulatorClientConfig(endpoint),
      connectTimeoutMs: timeoutMs,
      requestTimeoutMs: timeoutMs,
    });
  }

  /** Runs all of them, some at once; what becomes of each is for its test to say. */
  function runSites(): Promise<unknown> {
    const waiting = [...WRITE_SITES.entries()];
    const runNext = async (): Promise<void> => {
      const [place, site] = waiting.shift() ?? [];
      if (place === undefined || site === undefined) return;
      await runSite(site, place).then(sites[place]?.resolve, sites[place]?.reject);
      return runNext();
    };
    for (const { promise } of sites) promise.catch(() => {});
    return Promise.all(Array.from({ length: SITES_AT_ONCE }, runNext));
  }

  async function runSite(site: WriteSite, place: number): Promise<void> {
    for (let first = 0; first < PROXY_FAULTS.length; first += FAULTS_AT_ONCE) {
      const faults = PROXY_FAULTS.slice(first, first + FAULTS_AT_ONCE);
      await Promise.all(faults.map((fault) => runCell(site, place, fault)));
    }
  }

  async function runCell(site: WriteSite, siteNumber: number, fault: ProxyFault): Promise<void> {
    const proxy = await startFaultProxy(emulator.endpoint);
    try {
      const account = `site${siteNumber}-fault${PROXY_FAULTS.indexOf(fault)}`;
      const cell = new Cell(account, stored, openStore(proxy.endpoint, TIMEOUT_MS));
      await site.prepare(cell);
      proxy.inject(fault, site.matches, site.times ?? 1);
      const outcome = await site.run(cell);
      expect(proxy.hits).toBeGreaterThanOrEqual(1);
      await proxy.settled();
      await site.check(cell, outcome);
      outcomes.set(`${site.name} ${fault}`, outcome);
    } catch (error) {
      throw new Error(`${site.name}, ${fault}`, { cause: error });
    } finally {
      await proxy.close();
    }
  }

  test.each(WRITE_SITES.map(({ name: site }, place) => ({ site, place })))(
    '$site: every fault leaves the right state',
    async ({ place }) => {
      await sites[place]?.promise;
    },
  );

  test.each<ProxyFault>(['reset before forwarding', 'reset after applying', 'failed'])(
    '%s, once in ten requests, is seen by no client',
    async (fault) => {
      const proxy = await startFaultProxy(emulator.endpoint);
      try {
        const cell = new Cell(
          `unseen-${PROXY_FAULTS.indexOf(fault)}`,
          stored,
          openStore(proxy.endpoint, PATIENCE_MS),
        );
        await cell.open();
        let requests = 0;
        proxy.inject(fault, () => ++requests % 10 === 0, Number.POSITIVE_INFINITY);
        const outcomes = new Set<string>();
        // Each by an instance that remembers nothing, so that everything is read.
        for (let request = 0; request < 20; request += 1) outcomes.add(await admitAnew(cell));
        expect([...outcomes]).toEqual(['admitted']);
        expect(proxy.hits).toBeGreaterThan(3);
      } finally {
        await proxy.close();
      }
    },
  );

  test('the audit finds no fault with any account', async () => {
    const books = {
      store: stored,
      clock: AUDIT_CLOCK,
      pause: async () => {},
      telemetry: new RecordedTelemetry(),
    };
    const report = await auditAccounts(books, undefined, { accountsAtOnce: 8, outOfTime: () => false });
    expect(report.accounts).toBe(WRITE_SITES.length * PROXY_FAULTS.length + 3);
    expect(report.invariants.flatMap(({ violations }) => violations)).toEqual([]);
    expect(outcomes.size).toBe(WRITE_SITES.length * PROXY_FAULTS.length);
  });
});

/** What came of each write under each fault, for people: a row per write, a column per fault. */
function matrix(emulator: string, outcomes: ReadonlyMap<string, string>): string[] {
  const numbers = PROXY_FAULTS.map((_, place) => cell(String(place + 1))).join('');
  const rows = WRITE_SITES.map(({ name }) => {
    const cells = PROXY_FAULTS.map((fault) => cell(SIGNS[outcomes.get(`${name} ${fault}`) ?? ''] ?? 'WRONG'));
    return name.padEnd(NAME_WIDTH) + cells.join('');
  });
  const total = WRITE_SITES.length * PROXY_FAULTS.length;
  return [
    `faults at every write, on ${emulator}: ${outcomes.size} of ${total} as they must be`,
    ...PROXY_FAULTS.map((fault, place) => `${cell(String(place + 1))} ${fault}`),
    `${'what the caller did or saw:'.padEnd(NAME_WIDTH)}${numbers}`,
    ...rows,
    Object.entries(SIGNS)
      .map(([outcome, sign]) => `${sign} ${outcome}`)
      .join(', '),
  ];
}

function cell(text: string): string {
  return text.padStart(CELL_WIDTH);
}
