import { chargeAt, openAccount, settleMarked } from '../settlement/settlement-fixture.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { BARE_CONTEXT } from './bare-context.ts';
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
    ...BARE_CONTEXT,
    store,
    clock,
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
  [['carol'], 'unknown account carol'],
  [['alice', '--from', '2026-11-20'], 'an hour must look like 2026-11-20T23, in UTC'],
  [['alice', '--to', '2026-11-20T24'], 'an hour must look like 2026-11-20T23, in UTC'],
  [['alice', '--from', '2026-11-21T00'], '--from is after --to'],
  [['alice', '--from', '2025-11-19T23'], 'at most 8,784 hours at once'],
])('%p is wrong input', async (argv, message) => {
  expect(await operator(...argv)).toEqual({ exitCode: 2, stdout: '', stderr: `operator: ${message}\n` });
});

describe('all accounts in a month', () => {
  beforeEach(async () => {
    await openAccount(store, 'carol');
    const rows = {
      chain: 'example_mainnet',
      method: 'data/listTransfers',
      calls: 3,
      cu: 30,
      cached: 0,
      errors: 0,
    };
    await chargeAt(store, 'bob', '2026-11-20T23:06:00Z', 2_021, { usage: [{ ...CALL, cu: 1_991 }, rows] });
    await chargeAt(store, 'carol', '2026-10-31T23:59:00Z', CALL.cu, { usage: [CALL] });
  });

  test('are told with their shares, the largest first', async () => {
    const { exitCode, stdout } = await operator('--all', '--month', '2026-11', '--json');
    expect(exitCode).toBe(0);
    const total = 3 * (CALL.cu + LOGS.cu) + 2_021;
    expect(JSON.parse(stdout)).toEqual({
      month: '2026-11',
      total_cu: total,
      accounts: [
        { account: 'alice', calls: 306, cu: 6_153, data_cu: 0, share: 6_153 / total },
        { account: 'bob', calls: 103, cu: 2_021, data_cu: 30, share: 2_021 / total },
      ],
    });
  });

  test('are a table for people; the month is this one if none is named', async () => {
    expect((await operator('--all')).stdout.split('\n').slice(0, 2)).toEqual([
      'ACCOUNT  CALLS     CU  OF THE DATA API  SHARE',
      'alice      306  6,153                0  75.2753 %',
    ]);
    expect((await operator('--all', '--month', '2026-09')).stdout).toBe('No usage in 2026-09.\n');
  });

  test.each([
    [[], 'usage needs either ACCOUNT or --all'],
    [['alice', '--all'], 'usage needs either ACCOUNT or --all'],
    [['--all', '--from', '2026-11-20T23'], '--from needs ACCOUNT'],
    [['alice', '--month', '2026-11'], '--month needs --all'],
    [['--all', '--month', '2026-13'], 'a month must look like 2026-11, in UTC'],
  ])('%j is wrong input: %s', async (argv, message) => {
    const { exitCode, stderr } = await operator(...argv);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });
});
