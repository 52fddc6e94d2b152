import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { groupWork } from '../../../local/processes/machine.ts';
import { runToEnd } from '../../../local/processes/run-to-end.ts';
import { untilStalled } from '../../../local/processes/stall.ts';

const BOUND = { windowMs: 600_000, leastWorkMs: 5_000 };

/** Watches a process that has used so much processor time, in seconds, at each look of a minute. */
async function watched(...seconds: readonly (number | undefined)[]) {
  const ending = new AbortController();
  const told: string[] = [];
  let looks = 0;
  let minutes = 0;
  const outcome = await untilStalled({
    name: 'the synthesis',
    work: () => {
      const used = seconds[Math.min(minutes, seconds.length - 1)];
      return used === undefined ? undefined : Math.round(used * 1_000);
    },
    signal: ending.signal,
    bound: BOUND,
    tell: (line) => told.push(line),
    pause: async (ms) => {
      expect(ms).toBe(60_000);
      minutes += 1;
      looks += 1;
      if (looks === 500) ending.abort();
    },
  });
  return { outcome, minutes, told };
}

/** Looks of ten minutes, over which so much more is used each. */
const windows = (...each: readonly number[]) => {
  let used = 0;
  return [0, ...each.flatMap((more) => Array.from({ length: 10 }, () => (used += more / 10)))];
};

test('a process that works, however slowly, is waited for without an end', async () => {
  const slow = windows(...Array.from({ length: 50 }, () => 5));
  expect(await watched(...slow)).toEqual({ outcome: undefined, minutes: 500, told: [] });
});

test('a process that stops working is given up after a window', async () => {
  expect(await watched(...windows(30, 30, 1))).toEqual({
    outcome: expect.stringMatching(
      /^it hung: it used 1000 ms of processor time in 600 s, at a load of [\d.]+; end what else keeps the machine busy, and start again$/,
    ),
    minutes: 30,
    told: [],
  });
});

test('a process that has used no processor time for a minute is named as stuck, and each minute until it works', async () => {
  const { told } = await watched(...windows(30), 30, 30.01, 60, 60, ...windows(900).map((one) => one + 60));
  const stuck = (seconds: number) =>
    `the synthesis is stuck: it used no processor time for ${seconds} s; after 10 minutes it is ended`;
  expect(told.slice(0, 3)).toEqual([stuck(60), stuck(120), stuck(60)]);
});

test('where processor time is unknown, nothing is named as stuck, and ten minutes are the end', async () => {
  expect(await watched(undefined)).toMatchObject({
    outcome: expect.stringContaining('it used 0 ms'),
    minutes: 10,
    told: [],
  });
});

test('the work of a process and of what it starts is counted, for each group apart', async () => {
  const busy =
    'let now = process.cpuUsage().user; while (process.cpuUsage().user < now + 2e5); console.log(1)';
  const script = '"$0" -e "$1"; read -r _';
  const child = spawn('/bin/sh', ['-c', script, process.execPath, busy], {
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const before = groupWork(process.pid);
  await once(child.stdout, 'data');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(groupWork(child.pid ?? 0)).toBeGreaterThanOrEqual(200);
  expect(groupWork(process.pid)).toBe(before);
  child.stdin.end('\n');
  await once(child, 'close');
});

test('a program that hangs is killed with what it started, and named', async () => {
  const hanging = runToEnd({
    name: 'the synthesis',
    command: '/bin/sh',
    commandArguments: ['-c', 'echo "reading the stage" >&2; sleep 1000 & wait'],
    stall: { windowMs: 200, leastWorkMs: Number.POSITIVE_INFINITY },
  });
  await expect(hanging).rejects.toThrow(
    /^the synthesis failed: it hung: it used \d+ ms of processor time in 0\.2 s, .+\. Its last lines:\nreading the stage$/,
  );
});

test('a program that fails tells its last lines, and no stack', async () => {
  const script = 'console.log("on the way"); throw new Error("no room")';
  const failed = runToEnd({ name: 'it', command: process.execPath, commandArguments: ['-e', script] });
  await expect(failed).rejects.toThrow(
    /^it failed: it ended with code 1\. Its last lines:\n[\s\S]*Error: no room/,
  );
  await expect(failed).rejects.not.toThrow(/\n +at /);
});

test('a program that is not there is named', async () => {
  const failed = runToEnd({ name: 'it', command: '/no/such/program', commandArguments: [] });
  await expect(failed).rejects.toThrow('it failed: spawn /no/such/program ENOENT');
});
