import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { runToEnd } from '../../../local/processes/run-to-end.ts';
import { groupWork, untilStalled } from '../../../local/processes/stall.ts';

const BOUND = { windowMs: 600_000, leastWorkMs: 5_000 };

/** Watches a process that has used so much processor time, in seconds, at each look. @returns windows that passed */
async function watched(...seconds: readonly number[]) {
  const ending = new AbortController();
  let looks = 0;
  let windows = 0;
  const outcome = await untilStalled({
    work: () => (seconds[Math.min(looks++, seconds.length - 1)] ?? 0) * 1_000,
    signal: ending.signal,
    bound: BOUND,
    pause: async () => {
      windows += 1;
      if (windows === 50) ending.abort();
    },
  });
  return { outcome, windows };
}

test('a process that works, however slowly, is waited for without an end', async () => {
  const slow = Array.from({ length: 60 }, (_, index) => index * 5);
  expect(await watched(...slow)).toEqual({ outcome: undefined, windows: 50 });
});

test('a process that stops working is given up after a window', async () => {
  expect(await watched(0, 30, 60, 61)).toEqual({
    outcome: 'it hung: it used 1000 ms of processor time in 600 s',
    windows: 3,
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
    /^the synthesis failed: it hung: it used \d+ ms of processor time in 0\.2 s\. Its last lines:\nreading the stage$/,
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
