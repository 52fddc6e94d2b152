import { randomBytes } from 'node:crypto';
import { rebuildAccount } from '../../lambdas/accounts/rebuild-account.ts';
import { openEvidence } from '../../lambdas/settlement/evidence.ts';
import { readFrozen, unpackPart } from '../../lambdas/settlement/hour-leaves.ts';
import { settleAccount } from '../../lambdas/settlement/settle-account.ts';
import { type SettlementRecord, statementOf, toRecord } from '../../lambdas/settlement/settlement-ledger.ts';
import type { ObjectStore } from '../../lambdas/shared/aws/object-store.ts';
import { laneLeafText } from '../../lambdas/shared/bill/lane-leaf.ts';
import { leafHash, treeRoot } from '../../lambdas/shared/bill/merkle-tree.ts';
import { NO_RECORD, parseStatement, statementHash } from '../../lambdas/shared/bill/record-statement.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { MemoryObjects } from '../support/memory/objects.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';
import { chargeAt, clockAt, marksOf, openAccount } from './settlement-fixture.ts';

const ACCOUNT = 'acme';
const HOURS = ['2026-11-20T08', '2026-11-20T09'];

let store: MemoryStore;
let objects: MemoryObjects;
let telemetry: RecordedTelemetry;
const clock = clockAt('2026-11-20T10:15:00Z');

beforeEach(async () => {
  store = new MemoryStore();
  objects = new MemoryObjects();
  telemetry = new RecordedTelemetry();
  await openAccount(store, ACCOUNT, { shards: 2 });
  for (const hour of HOURS) {
    await chargeAt(store, ACCOUNT, `${hour}:10:00Z`, 1_234, { lane: 'lane-b' });
    await chargeAt(store, ACCOUNT, `${hour}:20:00Z`, 700, { lane: 'lane-a' });
    await chargeAt(store, ACCOUNT, `${hour}:30:00Z`, 66, { lane: 'lane-c', shard: 1 });
  }
});

const settle = async (into: ObjectStore = objects) => {
  const common = { store, clock, pause: async () => {}, telemetry };
  const marks = await marksOf(store, ACCOUNT, HOURS);
  return settleAccount(
    openEvidence(common, { evidence: into, heads: new MemoryObjects() }, (count) => randomBytes(count)),
    ACCOUNT,
    marks,
  );
};
const records = () =>
  store
    .items('ledger')
    .filter(({ settled_cu }) => settled_cu !== undefined)
    .map(toRecord);
const hashOf = (record: SettlementRecord) => statementHash(statementOf(record));
const item = () => store.peek('accounts', { account: ACCOUNT });

async function leavesOf({ frozen = '' }: SettlementRecord) {
  const bytes = await readFrozen(objects, frozen);
  return unpackPart(bytes ?? Buffer.alloc(0));
}

test('a record states the root over its leaves, which are kept as they were summed up', async () => {
  await settle();
  await chargeAt(store, ACCOUNT, '2026-11-20T09:40:00Z', 5, { lane: 'lane-a' });
  const [, second] = records();
  if (second === undefined) throw new Error('two hours, two records');
  const { statement, leaves } = await leavesOf(second);
  expect(statement).toBe(statementOf(second));
  expect(leaves).toEqual([
    expect.objectContaining({ shard: 0, lane: 'lane-a', n: 1, total: 700 }),
    expect.objectContaining({ shard: 0, lane: 'lane-b', n: 1, total: 1_234 }),
    expect.objectContaining({ shard: 1, lane: 'lane-c', n: 1, total: 66 }),
  ]);
  const root = treeRoot(leaves.map((leaf) => leafHash(laneLeafText(leaf)))).toString('hex');
  expect(parseStatement(statement)).toMatchObject({ root, lanes: 3, total_cu: 2_000, hour: HOURS[1] });
});

test('records form one chain, which the account item ends, also after a rebuild', async () => {
  await settle();
  await chargeAt(store, ACCOUNT, `${HOURS[0]}:50:00Z`, 10, { lane: 'lane-late' });
  await settle();
  const inOrder = records().sort((one, other) => one.number - other.number);
  expect(inOrder.map(({ hour, revision }) => [hour, revision])).toEqual([
    [HOURS[0], 1],
    [HOURS[1], 1],
    [HOURS[0], 2],
  ]);
  const hashes = inOrder.map(hashOf);
  expect(inOrder.map(({ previous }) => previous)).toEqual([NO_RECORD, ...hashes.slice(0, 2)]);
  expect(item()).toMatchObject({ record_number: 3n, record_hash: hashes[2] });
  const before = item();
  store.restore('accounts', { account: ACCOUNT }, undefined);
  await rebuildAccount({ store, clock, pause: async () => {} }, ACCOUNT);
  expect(item()).toMatchObject({ record_number: 3n, record_hash: before?.record_hash });
  const unsealed = store.items('unsettled').filter(({ slot }) => String(slot).startsWith('unsealed-'));
  expect(unsealed.map(({ entry }) => entry).sort()).toEqual([...hashes].sort());
});

test('two settlements at once write one chain', async () => {
  await Promise.all([settle(), settle(), settle()]);
  const numbers = records().map(({ number }) => number);
  expect(numbers.sort()).toEqual([1, 2]);
});

test('without the bucket it settles all the same, says so, and does not ask for every record', async () => {
  let asked = 0;
  const away: ObjectStore = {
    putNew: (key, body) => objects.putNew(key, body),
    get: (key, part) => objects.get(key, part),
    put: async () => {
      asked += 1;
      throw new Error('S3 answered with status 503');
    },
  };
  const { records: settled, failure } = await settle(away);
  expect(failure).toBeUndefined();
  expect(settled.map(({ frozen }) => frozen)).toEqual([undefined, undefined]);
  expect(settled.map(({ root }) => root)).toEqual([expect.any(String), expect.any(String)]);
  expect(asked).toBe(3);
  expect(telemetry.logged.map(({ event }) => event)).toContain('leaves_not_frozen');
  expect(telemetry.metrics()).toContainEqual({ UnfrozenRecords: 1 });
});

test('what is settled at once is kept in few objects', async () => {
  const common = { store, clock, pause: async () => {}, telemetry };
  const { evidence } = openEvidence(common, { evidence: objects, heads: objects }, (count) =>
    randomBytes(count),
  );
  const parts = Array.from({ length: 64 }, (_, place) => Buffer.from(`part ${place}`));
  const places = await Promise.all(parts.map((part) => evidence.leaves.freeze(part)));
  expect(objects.size).toBe(2);
  for (const [place, at] of places.entries())
    expect(String(await readFrozen(objects, at ?? ''))).toBe(`part ${place}`);
});
