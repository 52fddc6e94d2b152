import { randomBytes } from 'node:crypto';
import type { Context } from '../../bin/operator/context/command.ts';
import { keyOf } from '../../bin/operator/restore/table-rules.ts';
import type { Item } from '../../lambdas/access/store/store.ts';
import { auditAccounts } from '../../lambdas/audit/audit.ts';
import { runSeal } from '../../lambdas/seal/seal-head.ts';
import { openEvidence } from '../../lambdas/settlement/evidence.ts';
import { runSettlement } from '../../lambdas/settlement/handler.ts';
import { readKnownHead } from '../../lambdas/settlement/heads.ts';
import type { ObjectStore } from '../../lambdas/shared/aws/object-store.ts';
import { LATEST_HEAD } from '../../lambdas/shared/bill/head.ts';
import { capturedRun } from '../operator/captured-run.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { MemoryObjects } from '../support/memory/objects.ts';
import { memorySigner } from '../support/memory/signer.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';
import { chargeAt, clockAt, openAccount } from './settlement-fixture.ts';

const HOUR_MS = 3_600_000;
const clock = clockAt('2026-11-20T10:15:00Z');
const signer = memorySigner();
const random = (count: number) => randomBytes(count);
let store: MemoryStore;
let evidence: MemoryObjects;
let heads: MemoryObjects;
let telemetry: RecordedTelemetry;
/** The ledger as it was after the first head. */
let earlier: readonly Item[];
let whole: readonly Item[];

const common = () => ({ store, clock, pause: async () => {}, telemetry });
const settle = (readable: ObjectStore = heads) => {
  const books = openEvidence(common(), { evidence, heads: readable }, random);
  return runSettlement({ books, queue: { send: async () => {} }, remainingMs: () => 300_000 }, {});
};
const seal = () => runSeal({ ...common(), heads, evidence, signer, randomBytes: random });
const recordsOf = (account: string) =>
  store.items('ledger').filter((item) => item.account === account && 'settled_cu' in item).length;
const ledger = () =>
  [...store.items('ledger')].sort((one, other) =>
    `${one.account} ${one.record}` < `${other.account} ${other.record}` ? -1 : 1,
  );
const due = () => telemetry.metrics().findLast((values) => 'LedgerBehindHead' in values)?.LedgerBehindHead;

/** Puts the table back as it was: what came since is gone. */
function restoreLedger(items: readonly Item[]): void {
  for (const item of store.items('ledger')) store.restore('ledger', keyOf('ledger', item), undefined);
  for (const item of items) store.restore('ledger', keyOf('ledger', item), item);
}

function operator(...argv: string[]) {
  const context = {
    store,
    clock,
    openBucket: async (bucket: string) => (bucket === 'heads' ? heads : evidence),
  } as unknown as Context;
  return capturedRun([...argv, '--local'], context);
}

beforeEach(async () => {
  clock.time = Date.parse('2026-11-20T10:15:00Z');
  [store, evidence, heads] = [new MemoryStore(), new MemoryObjects(), new MemoryObjects()];
  telemetry = new RecordedTelemetry();
  for (const account of ['acme', 'bob', 'quiet']) {
    await openAccount(store, account);
    await chargeAt(store, account, '2026-11-20T09:10:00Z', 1_234);
  }
  await settle();
  await seal();
  earlier = ledger();
  for (const hour of ['10', '11'])
    for (const account of ['acme', 'bob'])
      await chargeAt(store, account, `2026-11-20T${hour}:10:00Z`, 2_345, { lane: `lane-${hour}` });
  clock.time += 2 * HOUR_MS;
  await settle();
  await seal();
  whole = ledger();
  // An hour later every account is due again.
  for (const account of ['acme', 'bob', 'quiet'])
    await chargeAt(store, account, '2026-11-20T12:10:00Z', 500, { lane: 'lane-12' });
  clock.time += HOUR_MS;
});

test('a ledger that has what heads name is looked at once, and settlement asks for the newest head alone', async () => {
  const asked: string[] = [];
  const get = (key: string) => {
    asked.push(key);
    return heads.get(key);
  };
  const counted = { get } as ObjectStore;
  await settle(counted);
  expect(asked).toEqual([LATEST_HEAD]);
  expect(await readKnownHead(common())).toMatchObject({ number: 2 });
  expect([due(), recordsOf('acme'), recordsOf('quiet')]).toEqual([0, 4, 2]);
});

test('a restored ledger stops settlement of the accounts that it lacks records of, until they are put back', async () => {
  restoreLedger(earlier);
  await settle();
  expect([recordsOf('acme'), recordsOf('bob'), recordsOf('quiet')]).toEqual([1, 1, 2]);
  expect(due()).toBe(2);
  expect(telemetry.logged.filter(({ event }) => event === 'ledger_behind_head')).toHaveLength(2);
  const refused = await operator('settle');
  expect([refused.exitCode, refused.stderr]).toEqual([1, '']);
  expect(refused.stdout).toContain('the ledger lacks record 3, which head 2 names: operator ledger restore');
  // A further head does not let them go.
  await seal();
  await settle();
  expect([due(), recordsOf('acme')]).toEqual([2, 1]);

  const before = ledger();
  const trial = await operator('ledger', 'restore', '--dry-run');
  expect([trial.exitCode, ledger()]).toEqual([0, before]);
  expect(trial.stdout).toContain('4 records can be put back, 0 cannot.');
  const restored = await operator('ledger', 'restore');
  expect(restored.stdout).toContain('4 records are put back, 0 cannot.');
  expect(ledger()).toEqual(expect.arrayContaining(whole.filter(({ account }) => account !== '#heads')));
  expect((await operator('ledger', 'restore')).stdout).toContain('The ledger has all records');

  await settle();
  expect([due(), recordsOf('acme'), recordsOf('bob'), recordsOf('quiet')]).toEqual([0, 4, 4, 2]);
  const pace = { accountsAtOnce: 1, outOfTime: () => false };
  const { invariants } = await auditAccounts(common(), undefined, pace);
  expect(invariants.filter(({ violationCount }) => violationCount > 0)).toEqual([]);
});

test('a restore that is stopped goes on where it was, and the accounts wait until it is whole', async () => {
  restoreLedger(earlier);
  const real = store.transact.bind(store);
  let left = 3;
  store.transact = async (actions) => {
    if (left-- === 0) throw new Error('killed');
    return real(actions);
  };
  expect((await operator('ledger', 'restore')).exitCode).not.toBe(0);
  store.transact = real;
  await settle();
  expect([due(), recordsOf('acme') + recordsOf('bob')]).toEqual([1, 4 + 2]);
  expect((await operator('ledger', 'restore')).stdout).toContain('1 records are put back, 0 cannot.');
  await settle();
  expect([due(), recordsOf('acme'), recordsOf('bob')]).toEqual([0, 4, 4]);
});

test('nothing is put back that has not the hash that was sealed, or whose place is taken', async () => {
  restoreLedger(earlier);
  const named = whole.filter(({ number, account }) => number === 2n && account === 'acme')[0];
  evidence.forge(String(named?.frozen).split(' ')[0] ?? '', Buffer.from('damaged'));
  const damaged = await operator('ledger', 'restore', '--json');
  expect([damaged.exitCode, damaged.stderr]).toEqual([1, '']);
  const { restored, failed } = JSON.parse(damaged.stdout);
  expect(restored + failed).toBe(4);
  expect(failed).toBeGreaterThan(0);
  const other = { account: 'acme', record: 'number#000000000003', hash: '0'.repeat(64) };
  restoreLedger([...earlier, other]);
  await settle();
  expect(due()).toBe(2);
  const taken = await operator('ledger', 'restore');
  expect([taken.exitCode, taken.stdout.includes('the ledger has another record in its place')]).toEqual([
    1,
    true,
  ]);
});

test('records that are lost behind a head that the ledger knows are found by a look at all heads', async () => {
  for (const item of whole)
    if (item.account === 'bob' && String(item.record).startsWith('settlement#2026-11-20T10'))
      store.restore('ledger', keyOf('ledger', item), undefined);
  store.restore('ledger', { account: 'bob', record: 'number#000000000002' }, undefined);
  expect((await operator('ledger', 'restore')).stdout).toContain('The ledger has all records');
  expect((await operator('ledger', 'restore', '--all')).stdout).toContain(
    '1 records are put back, 0 cannot.',
  );
  expect(ledger()).toEqual(whole);
});

test.each([
  ['the newest head', LATEST_HEAD],
  ['a head behind it', 'heads/2.json'],
])('%s that cannot be read stops nothing, and is told', async (_, away) => {
  restoreLedger(earlier);
  const get = async (key: string) => {
    if (key === away) throw new Error('S3 answered with status 503');
    return heads.get(key);
  };
  await settle({ ...heads, get } as ObjectStore);
  expect([due(), recordsOf('quiet'), recordsOf('acme')]).toEqual([0, 2, 4]);
  expect(telemetry.logged.map(({ event }) => event)).toContain('head_not_read');
  expect(await readKnownHead(common())).toMatchObject({ number: 1 });
});
