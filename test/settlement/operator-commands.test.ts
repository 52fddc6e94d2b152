import { BARE_CONTEXT } from '../operator/bare-context.ts';
import { capturedRun } from '../operator/captured-run.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { chargeAt, clockAt, openAccount, type SetClock } from './settlement-fixture.ts';

let store: MemoryStore;
let clock: SetClock;
beforeEach(async () => {
  store = new MemoryStore();
  clock = clockAt('2026-11-20T10:05:00Z');
  await openAccount(store, 'alice');
  await chargeAt(store, 'alice', '2026-11-20T08:30:00Z', 1_500);
  await chargeAt(store, 'alice', '2026-11-20T09:30:00Z', 2_600);
  await chargeAt(store, 'alice', '2026-11-20T10:01:00Z', 30);
});

async function operator(...argv: string[]) {
  const context = { ...BARE_CONTEXT, store, clock };
  const { exitCode, stdout, stderr } = await capturedRun([...argv, '--local'], context);
  return { exitCode, stdout, stderr, json: () => JSON.parse(stdout) };
}

const settledHours = async (...argv: string[]) =>
  (await operator('settle', '--json', ...argv)).json().settlements.map((each: { hour: string }) => each.hour);

test('settle takes the closed hours; by force also one in its grace, and a named running one', async () => {
  expect(await settledHours()).toEqual(['2026-11-20T08']);
  expect(await settledHours('--hour', '2026-11-20T09')).toEqual([]);
  expect(await settledHours('--force')).toEqual(['2026-11-20T09']);
  expect(await settledHours('--hour', '2026-11-20T10', '--force')).toEqual(['2026-11-20T10']);
  expect(await settledHours('--force')).toEqual([]);
});

test('settle finds a late charge of an hour that is settled', async () => {
  await operator('settle', '--force');
  await chargeAt(store, 'alice', '2026-11-20T08:40:00Z', 600);
  const { settlements } = (await operator('settle', '--force', '--json')).json();
  expect(settlements).toEqual([
    {
      account: 'alice',
      hour: '2026-11-20T08',
      revision: 2,
      settled_cu: 600,
      total_cu: 2_100,
      billing_units: 1,
      remainder_cu: 100,
      lanes: 1,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      settled_at: '2026-11-20T10:05:00.000Z',
      number: 3,
      previous: expect.any(String),
      root: expect.any(String),
      salt: expect.any(String),
      frozen: expect.stringMatching(/^leaves\/\S+ 0 \d+$/),
    },
  ]);
});

test('settle tells of lanes that were lost beside its outcome, not in it', async () => {
  await operator('settle', '--force');
  const lost = { account_shard: 'alice#0', hour_lane: '2026-11-20T08#lane-1' };
  await store.delete({ table: 'lanes', key: lost, when: [] });
  await chargeAt(store, 'alice', '2026-11-20T08:40:00Z', 600, { lane: 'lane-2' });
  const { exitCode, stderr, json } = await operator('settle', '--force', '--json');
  expect({ exitCode, ...json() }).toEqual({ exitCode: 0, settlements: [], failures: [] });
  expect(stderr).toBe(
    'operator: warn: lanes_behind_ledger {"account":"alice","hour":"2026-11-20T08","cu":900}\n',
  );
});

test('settlements lists the records of an account', async () => {
  await operator('settle', '--force');
  const { settlements } = (await operator('settlements', 'alice', '--json')).json();
  expect(settlements).toMatchObject([
    { hour: '2026-11-20T08', billing_units: 1, remainder_cu: 500 },
    { hour: '2026-11-20T09', billing_units: 2, remainder_cu: 600 },
  ]);
  expect((await operator('settlements', 'alice')).stdout).toMatch(/2026-11-20T09 +1 +2,600 +2,600 +2 +600/);
});

test('audit prints each invariant, and exits with 1 if one is violated', async () => {
  await operator('settle');
  const good = await operator('audit', '--json');
  expect(good.exitCode).toBe(0);
  expect(good.json()).toMatchObject({ accounts: 1, ok: true });
  expect((await operator('audit')).stdout).toMatch(/^ok +settled = sum of records/m);
  await store.update({ table: 'accounts', key: { account: 'alice' }, when: [], add: { settled: 1n } });
  const bad = await operator('audit');
  expect(bad.exitCode).toBe(1);
  expect(bad.stdout).toMatch(/^VIOLATED +settled = sum of records/m);
  expect(bad.stdout).toMatch(/^alice +settled = sum of records +settled_cu 1501, records_cu 1500$/m);
});

test('audit says what a process that is killed can lose', async () => {
  expect((await operator('audit')).stdout).toMatch(
    /loses the charges of the requests that it is working on\.\n$/,
  );
  expect((await operator('audit', '--json')).json()).toMatchObject({ group_commit_cu: 0 });
});

test.each([
  [['settle', '--hour', 'yesterday']],
  [['settlements']],
  [['settlements', 'nobody']],
  [['audit', 'alice']],
])('wrong input %p is one line and exit code 2', async (argv) => {
  const { exitCode, stdout, stderr } = await operator(...argv);
  expect({ exitCode, stdout, lines: stderr.trim().split('\n').length }).toEqual({
    exitCode: 2,
    stdout: '',
    lines: 1,
  });
});
