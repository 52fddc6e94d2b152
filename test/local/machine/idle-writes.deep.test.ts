/** That a gateway which nobody asks wears no disk: of all its processes together, 50 MB in ten minutes at most. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { processIds } from '../../../local/processes/machine.ts';
import { startGateway, stopGateways, TWO_RUNS_MS } from '../../end-to-end/running-gateway.ts';

const MB = 1_000_000;
/** Of the ten minutes, one in which nothing but the demo chain's own blocks comes. */
const WINDOW_MS = 60_000;
const SETTLED_MS = 20_000;
const LOOK_MS = 1_000;
const MOST_BYTES_A_MINUTE = 5 * MB;

afterAll(stopGateways);

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

/** What a process has ended the work of before it is looked at counts nothing. */
function orZero(read: () => number): number {
  try {
    return read();
  } catch {
    return 0;
  }
}

/** Bytes that a process has had written to the disk. */
function written(pid: number): number {
  return orZero(() => Number(/^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]));
}

test(
  'an idle minute with blocks of the demo chain writes less than five megabytes',
  async () => {
    const gateway = await startGateway({ startArguments: ['--block-time', '12'], demoChain: true });
    await sleep(SETTLED_MS);
    const first = new Map<number, number>();
    const last = new Map<number, number>();
    for (let passedMs = 0; passedMs <= WINDOW_MS; passedMs += LOOK_MS) {
      for (const pid of tree(gateway.gatewayJson.pid)) {
        const bytes = written(pid);
        if (!first.has(pid)) first.set(pid, passedMs === 0 ? bytes : 0);
        last.set(pid, Math.max(bytes, last.get(pid) ?? 0));
      }
      await sleep(LOOK_MS);
    }
    const bytes = [...last].map(([pid, now]) => now - (first.get(pid) ?? 0));
    const sum = bytes.reduce((all, one) => all + one, 0);
    console.log(`${last.size} processes wrote ${(sum / MB).toFixed(2)} MB in ${WINDOW_MS / 1_000} s`);
    // PostgreSQL and the node are among them: a tree of one would write nothing and prove nothing.
    expect(last.size).toBeGreaterThan(5);
    expect(sum).toBeLessThan(MOST_BYTES_A_MINUTE);
  },
  TWO_RUNS_MS,
);
