import { randomBytes } from 'node:crypto';
import { runSeal, sealHead } from '../../lambdas/seal/seal-head.ts';
import { unsealedPut } from '../../lambdas/settlement/heads.ts';
import {
  headHash,
  headKey,
  headLeavesKey,
  isSignedBy,
  LATEST_HEAD,
  NO_HEAD,
  parseHead,
  parseSignedHead,
} from '../../lambdas/shared/bill/head.ts';
import { leafHash, treeRoot } from '../../lambdas/shared/bill/merkle-tree.ts';
import { clockAt } from '../settlement/settlement-fixture.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { passOn } from '../simulation/stores/pass-on.ts';
import { MemoryObjects } from '../support/memory/objects.ts';
import { memorySigner } from '../support/memory/signer.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';

type SealBooks = Parameters<typeof sealHead>[0];

const clock = clockAt('2026-11-20T10:15:00Z');
let store: MemoryStore;
let heads: MemoryObjects;
let evidence: MemoryObjects;
let telemetry: RecordedTelemetry;
const signer = memorySigner();

beforeEach(() => {
  clock.time = Date.parse('2026-11-20T10:15:00Z');
  store = new MemoryStore();
  heads = new MemoryObjects();
  evidence = new MemoryObjects();
  telemetry = new RecordedTelemetry();
});

const books = (changed: Partial<SealBooks> = {}): SealBooks => ({
  store,
  clock,
  pause: async () => {},
  telemetry,
  heads,
  evidence,
  signer,
  randomBytes: (count) => randomBytes(count),
  ...changed,
});
const settle = async (...names: readonly string[]) => {
  const hashes = names.map((name) => leafHash(name).toString('hex'));
  for (const hash of hashes) await store.put(unsealedPut({ hash, account: 'acme', number: 1 }, clock.now()));
  return hashes;
};
const waiting = () => store.items('unsettled').length;

/** A head with its leaves, after everything about it was checked. */
async function headOf(number: number) {
  const signed = parseSignedHead(String(await heads.get(headKey(number))));
  if (signed === undefined) throw new Error(`there is no head ${number}`);
  expect(isSignedBy(signed, signer.key)).toBe(true);
  const head = parseHead(signed.head);
  if (head === undefined) throw new Error(`head ${number} is none`);
  const leaves = String(await heads.get(headLeavesKey(head.root)))
    .trimEnd()
    .split('\n');
  expect(treeRoot(leaves.map((leaf) => Buffer.from(leaf, 'hex'))).toString('hex')).toBe(head.root);
  expect(head.count).toBe(leaves.length);
  expect(Math.log2(head.count) % 1).toBe(0);
  return { ...head, hash: headHash(signed.head), leaves };
}

test('heads follow each other, each with what was settled since the one before', async () => {
  const first = await settle('a', 'b', 'c', 'd', 'e');
  await runSeal(books());
  expect(waiting()).toBe(0);
  clock.time += 3_600_000;
  const second = await settle('f');
  await runSeal(books());
  clock.time += 3_600_000;
  await runSeal(books());
  const [one, two, three] = [await headOf(1), await headOf(2), await headOf(3)];
  expect([one.previous, two.previous, three.previous]).toEqual([NO_HEAD, one.hash, two.hash]);
  expect(one.leaves).toEqual(expect.arrayContaining(first));
  expect([one.count, two.leaves, three.count]).toEqual([8, second, 1]);
  expect(await heads.get(LATEST_HEAD)).toEqual(await heads.get(headKey(3)));
  expect(telemetry.metrics()).toEqual([{ SealedRecords: 5 }, { SealedRecords: 1 }, { SealedRecords: 0 }]);
});

test('an hour has no second head for nothing', async () => {
  await runSeal(books());
  expect(await sealHead(books())).toEqual({ head: undefined, records: 0 });
  await settle('late');
  expect(await sealHead(books())).toMatchObject({ head: { number: 2 }, records: 1 });
});

test('a run that dies after its head leaves entries that the next one takes off, and seals nothing twice', async () => {
  await settle('a', 'b');
  let deletes = 0;
  const dying = {
    ...passOn(store),
    delete: async () => {
      deletes += 1;
      throw new Error('killed');
    },
  };
  await expect(sealHead(books({ store: dying }))).rejects.toThrow('killed');
  expect(deletes).toBeGreaterThan(0);
  expect(waiting()).toBe(2);
  const [third = ''] = await settle('c');
  await sealHead(books());
  expect(waiting()).toBe(0);
  expect((await headOf(2)).leaves).toEqual([third]);
});

test('a run that dies before it tells of its head is gone on from', async () => {
  await settle('a');
  const untold = {
    get: (key: string) => heads.get(key),
    putNew: (key: string, body: string | Uint8Array) => heads.putNew(key, body),
    put: async (key: string, body: string | Uint8Array) => {
      if (key === LATEST_HEAD) throw new Error('killed');
      await heads.put(key, body);
    },
  };
  await expect(sealHead(books({ heads: untold }))).rejects.toThrow('killed');
  await settle('b');
  await sealHead(books());
  expect((await headOf(2)).previous).toBe((await headOf(1)).hash);
  expect(waiting()).toBe(0);
});

test('of two seals at once, one begins again: every record is below one head', async () => {
  const all = await settle('a', 'b', 'c');
  await Promise.all([sealHead(books()), sealHead(books())]);
  expect(waiting()).toBe(0);
  expect((await headOf(1)).leaves).toEqual(expect.arrayContaining(all));
  expect(await heads.get(headKey(2))).toBeUndefined();
});

test.each([
  ['the key', { signer: { ...signer, sign: () => Promise.reject(new Error('KMS is away')) } }],
  ['a signature', { signer: { ...signer, sign: async () => 'AAAA' } }],
])('without %s nothing is published and nothing is lost', async (_, changed) => {
  await settle('a', 'b');
  await expect(runSeal(books(changed))).rejects.toThrow();
  expect(waiting()).toBe(2);
  expect(await heads.get(headKey(1))).toBeUndefined();
  expect(telemetry.metrics()).toEqual([]);
  clock.time += 5 * 3_600_000;
  await runSeal(books());
  expect((await headOf(1)).leaves).toHaveLength(2);
});

test('a lost bucket is said in the first head after it, which follows the last one that the ledger knows', async () => {
  await runSeal(books());
  clock.time += 3_600_000;
  await runSeal(books());
  const second = await headOf(2);
  expect(second.lost).toBeUndefined();
  heads = new MemoryObjects();
  const [late = ''] = await settle('late');
  clock.time += 3_600_000;
  await runSeal(books());
  expect(await headOf(3)).toMatchObject({ lost: 2, previous: second.hash, leaves: [late] });
  clock.time += 3_600_000;
  await runSeal(books());
  expect((await headOf(4)).lost).toBeUndefined();
});

test('a run that dies after the first head of a new bucket is gone on from', async () => {
  await runSeal(books());
  const lost = new MemoryObjects();
  heads = lost;
  const untold: SealBooks['heads'] = {
    get: (key) => lost.get(key),
    putNew: (key, body) => lost.putNew(key, body),
    put: async (key, body) => {
      if (key === LATEST_HEAD) throw new Error('killed');
      await lost.put(key, body);
    },
  };
  clock.time += 3_600_000;
  await expect(sealHead(books({ heads: untold }))).rejects.toThrow('killed');
  clock.time += 3_600_000;
  await sealHead(books());
  expect((await headOf(3)).previous).toBe((await headOf(2)).hash);
});

test('where only the name of the newest head is gone, nothing is lost', async () => {
  await runSeal(books());
  heads.forge(LATEST_HEAD, undefined);
  clock.time += 3_600_000;
  await runSeal(books());
  expect((await headOf(2)).lost).toBeUndefined();
  expect((await headOf(2)).previous).toBe((await headOf(1)).hash);
});

test.each([
  [
    'KMS',
    { signer: { publicKey: async () => signer.key, sign: () => Promise.reject(new Error('KMS is away')) } },
  ],
  ['the private bucket', { evidence: failing() }],
  ['the public bucket', { heads: failing() }],
] as const)(
  'while %s is away nothing is lost: records wait, and a later run seals all of them',
  async (_, away) => {
    const hashes = await settle('a', 'b');
    for (let hour = 0; hour < 3; hour += 1, clock.time += 3_600_000)
      await expect(runSeal(books(away as Partial<SealBooks>))).rejects.toThrow('away');
    expect([waiting(), telemetry.metrics()]).toEqual([2, []]);
    hashes.push(...(await settle('c')));
    await runSeal(books());
    expect((await headOf(1)).leaves).toEqual(expect.arrayContaining(hashes));
    expect(waiting()).toBe(0);
  },
);

function failing(): SealBooks['heads'] {
  const away = () => Promise.reject(new Error('S3 is away'));
  return { get: away, put: away, putNew: away };
}
