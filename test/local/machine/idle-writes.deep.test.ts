/** That a gateway which nobody asks wears no disk: of all its processes together, 50 MB in ten minutes at most. */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processIds } from '../../../local/processes/machine.ts';
import { startGateway, stopGateways, TWO_RUNS_MS } from '../../end-to-end/running-gateway.ts';

const MB = 1_000_000;
/** In which nothing but the demo chain's own blocks comes. With 10 it also sees the node write its state. */
const MINUTES = Number(process.env.IDLE_MINUTES ?? 1);
const WINDOW_MS = MINUTES * 60_000;
/** Until the start is over for PostgreSQL too, which cleans up behind it for a minute. */
const SETTLED_MS = 90_000;
const MOST_BYTES_A_MINUTE = 5 * MB;
/** On a disk: folders of a test run are in memory, where nothing counts as written. */
const DISK_FOLDER = '/var/tmp';
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(DISK_FOLDER, 'idle-writes-'));
  // PostgreSQL runs as another user than root.
  chmodSync(folder, 0o755);
});

afterAll(async () => {
  await stopGateways();
  rmSync(folder, { recursive: true });
});

function parentOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
  return Number(fields[1]);
}

/** A process and all that it has started, with what those have started. */
function tree(root: number): number[] {
  const parents = new Map(processIds('cmdline', () => true).map((pid) => [pid, orZero(() => parentOf(pid))]));
  const found = [root];
  for (const one of found)
    found.push(...[...parents].filter(([, parent]) => parent === one).map(([pid]) => pid));
  return found;
}

/** A process that ends before it is read counts nothing. */
function orZero(read: () => number): number {
  try {
    return read();
  } catch {
    return 0;
  }
}

function command(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').slice(0, 100);
  } catch {
    return 'ended';
  }
}

/** Bytes that a process has had written to the disk. */
function written(pid: number): number {
  return orZero(() => Number(/^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]));
}

test(
  'an idle minute with blocks of the demo chain writes less than five megabytes',
  async () => {
    const gateway = await startGateway({
      dataDir: join(folder, 'data'),
      startArguments: ['--block-time', '12'],
      demoChain: true,
      prepared: 'demo',
    });
    await sleep(SETTLED_MS);
    const root = gateway.gatewayJson.pid;
    const first = new Map(tree(root).map((pid) => [pid, written(pid)]));
    await sleep(WINDOW_MS);
    const bytes = tree(root).map((pid) => ({ pid, written: written(pid) - (first.get(pid) ?? 0) }));
    // All that an ended process wrote counts for its parent, also what it wrote before.
    const ended = [...first].filter(([pid]) => !bytes.some((one) => one.pid === pid));
    const sum =
      bytes.reduce((all, one) => all + one.written, 0) - ended.reduce((all, [, before]) => all + before, 0);
    const most = bytes
      .sort((one, other) => other.written - one.written)
      .slice(0, 8)
      .map(({ pid, written }) => `${(written / MB).toFixed(2)} ${command(pid)}`);
    console.log(
      `${bytes.length} processes wrote ${(sum / MB).toFixed(2)} MB in ${MINUTES} min:\n${most.join('\n')}`,
    );
    // PostgreSQL and the node are among them: a tree of one would write nothing and prove nothing.
    expect(bytes.length).toBeGreaterThan(5);
    // The index stores a block every 12 s.
    expect(sum).toBeGreaterThan(0);
    expect(sum).toBeLessThan(MINUTES * MOST_BYTES_A_MINUTE);
  },
  TWO_RUNS_MS + WINDOW_MS,
);
