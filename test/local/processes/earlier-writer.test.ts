import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { earlierWriterEnded } from '../../../local/processes/machine.ts';

const LONG_MS = 30_000;
let count = 0;

/** A process that ends by itself after a time, with an argument of its own. */
async function writer(milliseconds: number) {
  count += 1;
  const argument = `--written=${process.pid}-${count}`;
  const script = `setTimeout(() => {}, ${milliseconds})`;
  const child = spawn(process.execPath, ['-e', script, '--', argument], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  await once(child, 'spawn');
  return { argument, ended };
}

test('waits for what still writes, and says so once', async () => {
  const { argument, ended } = await writer(500);
  const onWait = jest.fn();
  await earlierWriterEnded(argument, { mostMs: LONG_MS, onWait });
  expect(onWait).toHaveBeenCalledTimes(1);
  expect(await ended).toEqual([0, null]);
});

test('kills what has not ended by then', async () => {
  const { argument, ended } = await writer(LONG_MS);
  await earlierWriterEnded(argument, { mostMs: 100, onWait: () => {} });
  expect(await ended).toEqual([null, 'SIGKILL']);
});

test('says nothing where nothing writes', async () => {
  const onWait = jest.fn();
  await earlierWriterEnded('--written=nothing', { mostMs: LONG_MS, onWait });
  expect(onWait).not.toHaveBeenCalled();
});
