/** That a part that ends by itself is started again at its address, after pauses that grow, and that the run says so. */
import {
  type Address,
  type EmbeddedProcess,
  startEmbeddedProcess,
} from '../../../local/processes/embedded-process.ts';
import { keptRunning } from '../../../local/processes/kept-running.ts';

/** Answers with the id of its process. */
const SERVER = `require('http').createServer((_, response) => response.end(String(process.pid)))
  .listen(Number(process.argv[2]), process.argv[1])`;

let told: string[];
let pauses: number[];
beforeEach(() => {
  told = [];
  pauses = [];
});
const tell = (line: string) => told.push(line);
const pause = async (durationMs: number) => {
  pauses.push(durationMs);
};

const idOf = async ({ url }: Address) => Number(await (await fetch(url)).text());

function serve(name: string) {
  const start = (address?: Address) =>
    startEmbeddedProcess({
      name,
      address,
      command: process.execPath,
      commandArguments: ({ host, port }) => ['-e', SERVER, '--', host, String(port)],
      isReady: async (where) => (await idOf(where)) > 0,
      stopTimeoutMs: 5_000,
    });
  return keptRunning({ start, tell, pause });
}

/** A part without a process, which ends when a test says so. */
function scripted(): EmbeddedProcess & { end(how: string): void } {
  const { promise, resolve } = Promise.withResolvers<string>();
  const end = (how: string) => resolve(how);
  const stop = async () => end('it was stopped');
  const kill = () => end('it was killed');
  return {
    name: 'part',
    host: '127.0.0.9',
    port: 9,
    url: 'http://127.0.0.9:9',
    ended: promise,
    stop,
    kill,
    end,
  };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}

test('a process that is killed answers again at its address, and the others go on meanwhile', async () => {
  const [part, other] = await Promise.all([serve('part'), serve('other')]);
  try {
    const [id, otherId] = [await idOf(part), await idOf(other)];
    process.kill(id, 'SIGKILL');
    await until(() => told.length > 0);
    expect(await idOf(other)).toBe(otherId);
    await until(() => told.length > 1);
    expect(told).toEqual([
      expect.stringMatching(
        /^part stopped: it ended with .*; it is started again in 1 s, and all else runs on$/,
      ),
      'part runs again',
    ]);
    expect(await idOf(part)).not.toBe(id);
  } finally {
    await Promise.all([part.stop(), other.stop()]);
  }
  await expect(idOf(part)).rejects.toThrow();
  expect(told).toHaveLength(2);
});

test('the pauses grow to a minute while it does not start, and the run says why each time', async () => {
  const first = scripted();
  const addresses: (Address | undefined)[] = [];
  const kept = await keptRunning({
    start: async (address) => {
      addresses.push(address);
      if (address === undefined) return first;
      if (addresses.length === 10) void kept.stop();
      throw new Error('no room');
    },
    tell,
    pause,
  });
  first.end('it fell');
  await kept.ended;
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1_000));
  expect(new Set(addresses.slice(1).map((address) => address?.url))).toEqual(new Set([first.url]));
  expect(told.slice(0, 2)).toEqual([
    'part stopped: it fell; it is started again in 1 s, and all else runs on',
    'part does not start (no room); it is started again in 2 s, and all else runs on',
  ]);
});

test('what has run for a minute is started after the first pause again', async () => {
  let now = 0;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
  const parts = [scripted(), scripted(), scripted(), scripted()];
  const rest = [...parts];
  const kept = await keptRunning({ start: async () => rest.shift() as EmbeddedProcess, tell, pause });
  for (const [index, ran] of [1_000, 59_000, 61_000].entries()) {
    now += ran;
    parts[index]?.end('it fell');
    await until(() => told.length === 2 * (index + 1));
  }
  await kept.stop();
  clock.mockRestore();
  expect(pauses).toEqual([1_000, 2_000, 1_000]);
});

test.each(['stop', 'kill'] as const)('a %s while it is being started ends it', async (end) => {
  const [first, second] = [scripted(), scripted()];
  const { promise: starting, resolve: started } = Promise.withResolvers<EmbeddedProcess>();
  let starts = 0;
  const start = () => {
    starts += 1;
    return starts === 1 ? Promise.resolve<EmbeddedProcess>(first) : starting;
  };
  const kept = await keptRunning({ start, tell, pause });
  first.end('it fell');
  await until(() => starts === 2);
  const ended = kept[end]();
  started(second);
  await ended;
  expect(await kept.ended).toBe('it was stopped');
  expect(starts).toBe(2);
  expect(told).toHaveLength(1);
});
