import type { WorkEvent } from '../../lambdas/access/account-work.ts';
import { slotOf } from '../../lambdas/access/charge/lane.ts';
import { type Store, StoreUnavailableError } from '../../lambdas/access/store/store.ts';
import { parseAfter, runAudit } from '../../lambdas/audit/audit.ts';
import { parseMessage } from '../../lambdas/settlement/due-accounts.ts';
import { runSettlement } from '../../lambdas/settlement/handler.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { passOn } from '../simulation/stores/pass-on.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';
import { booksOn, chargeAt, clockAt, openAccount } from './settlement-fixture.ts';

const ACCOUNTS = Array.from({ length: 160 }, (_, number) => `account-${number}`);
/** What EventBridge sends; its time is that of a long missed hour. */
const SCHEDULED = { time: '2020-01-01T00:00:00Z', source: 'aws.events' } as WorkEvent;

const clock = clockAt('2026-11-20T10:15:00Z');
let store: MemoryStore;
let sent: string[];
let telemetry: RecordedTelemetry;
const queue = {
  async send(work: object) {
    sent.push(JSON.stringify(work));
  },
};

beforeEach(async () => {
  telemetry = new RecordedTelemetry();
  sent = [];
  store = new MemoryStore();
  for (const account of ACCOUNTS) {
    await openAccount(store, account);
    await chargeAt(store, account, '2026-11-20T09:30:00Z', 1_234);
  }
});

const parts = (remainingMs: () => number, over: Store = store) => ({
  books: booksOn(over, clock, telemetry),
  queue,
  remainingMs,
});
const unsettled = () => store.items('accounts').filter(({ settled }) => settled === 0n).length;

/** Time for so many questions about it. */
function timeFor(questions: number): () => number {
  let asked = 0;
  return () => {
    asked += 1;
    return asked > questions ? 0 : 300_000;
  };
}

/** Delivers messages until none is left; a delivery that fails is kept. */
async function deliver(run: (event: WorkEvent) => Promise<void>): Promise<unknown[]> {
  const failures: unknown[] = [];
  for (let body = sent.shift(); body !== undefined; body = sent.shift()) {
    await run({ Records: [{ body }] }).catch((error) => failures.push(error));
  }
  return failures;
}

test('a run of settlement and one of the audit say in metrics what they did', async () => {
  await runSettlement(
    parts(() => 300_000),
    SCHEDULED,
  );
  await runAudit(
    parts(() => 300_000),
    SCHEDULED,
  );
  const [settlement, audit] = telemetry.metrics();
  expect(settlement).toMatchObject({
    SettlementRecords: ACCOUNTS.length,
    SettledComputeUnits: ACCOUNTS.length * 1_234,
    SettlementFailures: 0,
    SettlementLag: expect.any(Number),
  });
  expect(settlement?.SettlementLag).toBeGreaterThan(0);
  expect(audit).toEqual({
    AuditedAccounts: ACCOUNTS.length,
    AuditViolations: 0,
    UnsettledComputeUnits: 0,
    UnsettledAge: 0,
  });
});

test('the audit tells how long the oldest hour has waited for its settlement', async () => {
  await chargeAt(store, 'account-7', '2026-11-20T06:30:00Z', 10);
  await chargeAt(store, 'account-8', '2026-11-20T07:30:00Z', 10);
  await runAudit(
    parts(() => 300_000),
    SCHEDULED,
  );
  // 06:00 to 07:00 is over since 3 1/4 hours.
  expect(telemetry.metrics()).toMatchObject([{ UnsettledAge: 3.25 * 3_600 }]);
});

test('an hour that is not over has not waited', async () => {
  await runSettlement(
    parts(() => 300_000),
    SCHEDULED,
  );
  await chargeAt(store, 'account-7', '2026-11-20T10:05:00Z', 10);
  await runAudit(
    parts(() => 300_000),
    SCHEDULED,
  );
  expect(telemetry.metrics().at(-1)).toMatchObject({ UnsettledComputeUnits: 10, UnsettledAge: 0 });
});

test('the schedule settles everything that is due, whatever time it tells', async () => {
  await runSettlement(
    parts(() => 300_000),
    SCHEDULED,
  );
  expect(unsettled()).toBe(0);
  expect(sent).toEqual([]);
});

test('what one run has no time for is handed on, account by account, until all is settled', async () => {
  await runSettlement(parts(timeFor(30)), SCHEDULED);
  expect(unsettled()).toBeGreaterThan(100);
  expect(sent).toHaveLength(1);
  const failures = await deliver((event) => runSettlement(parts(timeFor(30)), event));
  expect(failures).toEqual([]);
  expect(unsettled()).toBe(0);
});

test('what failed is handed on with what had no time, and fails the run that has nothing else', async () => {
  const failing: Store = {
    ...passOn(store),
    get: async (table, key) => {
      if (ACCOUNTS.indexOf(String(key.account)) % 40 === 0)
        throw new StoreUnavailableError('no answer', true);
      return store.get(table, key);
    },
  };
  await runSettlement(parts(timeFor(0), failing), SCHEDULED);
  const failures = await deliver((event) => runSettlement(parts(timeFor(100), failing), event));
  expect(failures.map(String)).toEqual(['Error: 4 accounts failed']);
  expect(unsettled()).toBe(4);
});

test('work from the queue that gets no time fails and is not sent round again', async () => {
  const entry = `2026-11-20T09#${ACCOUNTS[0]}#0`;
  const event = { Records: [{ body: JSON.stringify({ entries: [[entry, '1.mark']] }) }] };
  await expect(
    runSettlement(
      parts(() => 0),
      event,
    ),
  ).rejects.toThrow('1 accounts got no time');
  expect(sent).toEqual([]);
});

test('an account is settled by one worker, however many slots it is in', async () => {
  const shards = Array.from({ length: 16 }, (_, shard) => shard);
  await openAccount(store, 'wide', { shards: 16 });
  for (const shard of shards) await chargeAt(store, 'wide', '2026-11-20T09:30:00Z', 100, { shard });
  expect(new Set(shards.map((shard) => slotOf({ account: 'wide', shard }))).size).toBeGreaterThan(8);
  let readings = 0;
  const counting: Store = {
    ...passOn(store),
    query: async (query) => {
      if (query.table === 'lanes' && String(query.partition.value).startsWith('wide#')) readings += 1;
      return store.query(query);
    },
  };
  await runSettlement(
    parts(() => 300_000, counting),
    SCHEDULED,
  );
  expect(readings).toBe(16);
  expect(store.peek('accounts', { account: 'wide' })).toMatchObject({ settled: 1_600n });
});

test('a slot that cannot be read fails the run and leaves the others alone', async () => {
  const failing: Store = {
    ...passOn(store),
    query: async (query) => {
      if (query.partition.value === '00') throw new StoreUnavailableError('throttled', false);
      return store.query(query);
    },
  };
  const run = runSettlement(
    parts(() => 300_000, failing),
    SCHEDULED,
  );
  await expect(run).rejects.toThrow('throttled');
  const left = ACCOUNTS.filter((account) => slotOf({ account, shard: 0 }) === '00').length;
  expect(left).toBeGreaterThan(0);
  expect(unsettled()).toBe(left);
});

test.each([
  '',
  '{}',
  '[]',
  'null',
  '{"entries":[]}',
  '{"entries":{}}',
  '{"entries":[["2026-11-20T09#alice","1.mark"]]}',
  '{"entries":["2026-11-20T09#alice#0"]}',
  '{"entries":[["2026-11-20T09#alice#0"]]}',
])('a message %p is refused', (body) => expect(() => parseMessage(body)).toThrow());

test.each(['', 'null', '{"after":{}}', '{"after":""}'])('a message %p to the audit is refused', (body) =>
  expect(() => parseAfter(body)).toThrow(),
);

test('the audit goes through all accounts, in as many runs as it takes', async () => {
  await runAudit(
    parts(() => 300_000),
    SCHEDULED,
  );
  await runAudit(parts(timeFor(10)), SCHEDULED);
  expect(sent).toHaveLength(1);
  expect(await deliver((event) => runAudit(parts(timeFor(10)), event))).toEqual([]);
});

test('a violation is logged and counted by the run that finds it, and no message comes back for it', async () => {
  await store.update({ table: 'accounts', key: { account: 'account-0' }, when: [], add: { settled: 1n } });
  await runAudit(parts(timeFor(10)), SCHEDULED);
  expect(telemetry.logged).toContainEqual(
    expect.objectContaining({ event: 'audit_violation', account: 'account-0' }),
  );
  expect(sent).toHaveLength(1);
  expect(await deliver((event) => runAudit(parts(timeFor(10)), event))).toEqual([]);
  const found = telemetry.metrics().map(({ AuditViolations }) => Number(AuditViolations));
  expect(found[0]).toBeGreaterThan(0);
  expect(found.slice(1).filter((count) => count !== 0)).toEqual([]);
});
