import { chargeAt, openAccount, settleMarked } from '../settlement/settlement-fixture.ts';
import { MemoryStore } from '../simulation/memory-store.ts';
import { capturedRun } from './captured-run.ts';

const CALL = { chain: 'example_mainnet', method: 'eth_call', calls: 100, cu: 2_000, cached: 0, errors: 1 };
const LOGS = { chain: 'example_mainnet', method: 'eth_getLogs', calls: 2, cu: 51, cached: 1, errors: 0 };

const clock = { now: () => Date.parse('2026-11-20T23:15:00Z') };
let store: MemoryStore;

beforeEach(async () => {
  store = new MemoryStore();
  await openAccount(store, 'alice');
  await openAccount(store, 'bob');
  for (const time of ['2026-11-19T23:50:00Z', '2026-11-20T00:10:00Z', '2026-11-20T23:05:00Z']) {
    await chargeAt(store, 'alice', time, CALL.cu, { usage: [CALL] });
    await chargeAt(store, 'alice', time, LOGS.cu, { usage: [LOGS], lane: 'lane-2' });
  }
  await settleMarked(store, clock, 'alice', ['2026-11-19T23', '2026-11-20T00']);
});

async function operator(...argv: string[]) {
  return capturedRun(['usage', ...argv, '--local'], {
    store,
    clock,
    plans: ['standard'],
    shards: { standard: 1 },
    defaultPlan: 'standard',
  });
}

async function hours(...argv: string[]): Promise<string[]> {
  const { stdout } = await operator('alice', '--json', ...argv);
  return [...new Set<string>(JSON.parse(stdout).usage.map(({ hour }: { hour: string }) => hour))];
}

test('prints the last 24 hours as JSON, the oldest first', async () => {
  const { exitCode, stdout } = await operator('alice', '--json');
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    account: 'alice',
    usage: [
      { hour: '2026-11-20T00', ...CALL },
      { hour: '2026-11-20T00', ...LOGS },
      { hour: '2026-11-20T23', ...CALL },
      { hour: '2026-11-20T23', ...LOGS },
    ],
  });
});

test('prints a table for people, with its total', async () => {
  const { stdout } = await operator('alice', '--from', '2026-11-20T23');
  expect(stdout).toBe(
    [
      'HOUR           CHAIN            METHOD       CALLS     CU  CACHED  ERRORS',
      '2026-11-20T23  example_mainnet  eth_call       100  2,000       0       1',
      '2026-11-20T23  example_mainnet  eth_getLogs      2     51       1       0',
      'total                                          102  2,051       1       1',
      '',
    ].join('\n'),
  );
});

test('takes the hours that are named, both included', async () => {
  expect(await hours('--from', '2026-11-19T23', '--to', '2026-11-20T00')).toEqual([
    '2026-11-19T23',
    '2026-11-20T00',
  ]);
  expect(await hours('--to', '2026-11-20T22')).toEqual(['2026-11-19T23', '2026-11-20T00']);
  expect(await hours('--from', '2026-11-20T01', '--to', '2026-11-20T22')).toEqual([]);
  expect((await operator('bob')).stdout).toBe('No usage from 2026-11-20T00 to 2026-11-20T23.\n');
});

test('late usage shows with the next settlement, of which the hour says all; an open hour shows at once', async () => {
  const cu = async () => {
    const { usage } = JSON.parse((await operator('alice', '--from', '2026-11-20T00', '--json')).stdout);
    return usage.map((line: { hour: string; method: string; cu: number }) => [
      line.hour.slice(-2),
      line.method,
      line.cu,
    ]);
  };
  await chargeAt(store, 'alice', '2026-11-20T00:20:00Z', 7, { usage: [{ ...CALL, calls: 1, cu: 7 }] });
  await chargeAt(store, 'alice', '2026-11-20T23:06:00Z', 9, { usage: [{ ...CALL, calls: 1, cu: 9 }] });
  const open = [
    ['23', 'eth_call', 2_009],
    ['23', 'eth_getLogs', 51],
  ];
  expect(await cu()).toEqual([['00', 'eth_call', 2_000], ['00', 'eth_getLogs', 51], ...open]);
  await settleMarked(store, clock, 'alice', ['2026-11-20T00']);
  expect(await cu()).toEqual([['00', 'eth_call', 2_007], ['00', 'eth_getLogs', 51], ...open]);
  await settleMarked(store, clock, 'alice', ['2026-11-20T23'], { hour: '2026-11-20T23', force: true });
  expect(await cu()).toEqual([['00', 'eth_call', 2_007], ['00', 'eth_getLogs', 51], ...open]);
});

test.each([
  [['carol'], 'there is no account carol'],
  [['alice', '--from', '2026-11-20'], 'an hour is such as 2026-11-20T23, in UTC'],
  [['alice', '--to', '2026-11-20T24'], 'an hour is such as 2026-11-20T23, in UTC'],
  [['alice', '--from', '2026-11-21T00'], '--from is after --to'],
  [['alice', '--from', '2025-11-19T23'], 'at most 8,784 hours at once'],
])('%p is wrong input', async (argv, message) => {
  expect(await operator(...argv)).toEqual({ exitCode: 2, stdout: '', stderr: `operator: ${message}\n` });
});
