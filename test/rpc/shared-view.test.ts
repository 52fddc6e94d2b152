/** Processes share what nodes say of the head, and ask little more than their clients do. */
import { readReports, writeReports } from '../../lambdas/shared/upstream/sharing/shared-reports.ts';
import { type SharedNode, SimulatedProcesses } from '../nodes/simulated-processes.ts';
import { isAtLength } from '../support/at-length.ts';
import { CHAIN } from './cache/cache-world.ts';

const BLOCK_MS = 1_000;
const WAY_MS = 100;
const HOUR_MS = 3_600_000;
/** Time in which requests and calls are counted. */
const MEASURED_MS = isAtLength ? 20_000 : 10_000;
const ADDRESS = `0x${'1'.repeat(40)}`;
const balance = ['eth_getBalance', [ADDRESS, 'latest']] as const;

function nodes(count: number): SharedNode[] {
  return Array.from({ length: count }, (_, index) => ({ latencyMs: WAY_MS, lateMs: index * 300 }));
}

/** Processes that are asked at a rate each, for a time. Returns what nodes and store got for each request. */
async function load(
  world: SimulatedProcesses,
  { processes, everyMs, ms }: { processes: number; everyMs: number; ms: number },
) {
  const { items } = world.views;
  /** In units: what is read as it is now costs twice as much. */
  const reads = () => items.reduce((sum, { read }) => sum + read.total, 0);
  const writes = () => items.reduce((sum, { written }) => sum + written.total, 0);
  const before = { calls: world.nodeCalls, reads: reads(), writes: writes() };
  let requests = 0;
  const until = world.clock.now() + ms;
  const client = async (process: number) => {
    await world.clock.wait((process * everyMs) / processes);
    while (world.clock.now() < until) {
      const sentAt = world.clock.now();
      const { body } = await world.ask(process, ...balance);
      expect(body.error).toBeUndefined();
      requests += 1;
      await world.clock.wait(Math.max(1, everyMs - (world.clock.now() - sentAt)));
    }
  };
  await world.clock.until(Promise.all(Array.from({ length: processes }, (_, process) => client(process))));
  return {
    calls: (world.nodeCalls - before.calls) / requests,
    units: (0.2 * (reads() - before.reads) + writes() - before.writes) / requests,
  };
}

test.each([2, 3, 16])('nine busy processes ask %i nodes little more than their clients do', async (count) => {
  const world = new SimulatedProcesses(nodes(count), { processes: 9, blockMs: BLOCK_MS });
  await load(world, { processes: 9, everyMs: 200, ms: 3_000 });
  const { calls, units } = await load(world, { processes: 9, everyMs: 200, ms: MEASURED_MS });
  expect(calls).toBeLessThanOrEqual(1.05);
  expect(units).toBeLessThanOrEqual(0.06);
});

test('sixty processes that are quiet for seconds ask little more, too', async () => {
  const world = new SimulatedProcesses(nodes(2), { processes: 60, blockMs: BLOCK_MS });
  await load(world, { processes: 60, everyMs: 3_000, ms: 6_000 });
  const { calls, units } = await load(world, { processes: 60, everyMs: 3_000, ms: 2 * MEASURED_MS });
  expect(calls).toBeLessThanOrEqual(1.15);
  expect(units).toBeLessThanOrEqual(0.22);
});

test('the first request of a process waits for one way to a node, and for the store', async () => {
  const world = new SimulatedProcesses(nodes(2), { blockMs: BLOCK_MS });
  await world.asked(0, ...balance);
  await world.clock.pass(500);
  for (const method of ['eth_getBalance', 'eth_blockNumber']) {
    const { ms } = await world.asked(world.start(), method, method === 'eth_getBalance' ? balance[1] : []);
    expect(ms).toBeLessThanOrEqual(WAY_MS + 20);
  }
});

describe('a store of views', () => {
  test.each([
    ['that is away', 1, 5],
    ['that fails for half of the requests', 0.5, 5],
    ['that hangs', 0, 10_000],
  ])('%s costs no response, and what each process asked by itself before', async (_, failing, latencyMs) => {
    const world = new SimulatedProcesses(nodes(2), { processes: 9, blockMs: BLOCK_MS });
    Object.assign(world.views, { failing, latencyMs });
    await load(world, { processes: 9, everyMs: 200, ms: 3_000 });
    const { calls } = await load(world, { processes: 9, everyMs: 200, ms: MEASURED_MS / 2 });
    expect(calls).toBeLessThanOrEqual(1.3);
    const { ms } = await world.asked(0, ...balance);
    expect(ms).toBeLessThanOrEqual(WAY_MS + 50);
  });

  test('with a view of an hour ago makes no other process believe it', async () => {
    const world = new SimulatedProcesses(nodes(2), { blockMs: BLOCK_MS });
    await world.asked(0, ...balance);
    await world.clock.pass(HOUR_MS);
    const process = world.start();
    const { body, ms } = await world.asked(process, 'eth_blockNumber', [], 'another');
    expect(Number(body.result)).toBeGreaterThanOrEqual(world.chain.head - 2);
    expect(ms).toBeLessThanOrEqual(2 * WAY_MS + 20);
    const { body: state } = await world.asked(process, ...balance);
    expect(state.error).toBeUndefined();
  });

  test('with a text that is none, or a head beyond all that the chain can have, harms no other process', async () => {
    const world = new SimulatedProcesses(nodes(2), { processes: 3, blockMs: BLOCK_MS });
    await load(world, { processes: 3, everyMs: 300, ms: 3_000 });
    const toldAt = world.clock.now();
    const lie = { number: 2n ** 52n, timeMs: toldAt, lag: 0n, syncing: false, ageMs: 0 };
    const name = `heads ${CHAIN.chain}`;
    const before = await world.clock.until(world.views.read(name, { isNow: true }));
    const text = writeReports([{ ...lie, name: 'upstream-1' }]);
    const sequence = (before?.sequence ?? 0) + 1;
    expect(await world.clock.until(world.views.write(name, { sequence, toldAt, text }, before))).toBe(true);
    const { calls } = await load(world, { processes: 3, everyMs: 300, ms: 5_000 });
    expect(calls).toBeLessThanOrEqual(1.5);
    for (let process = 0; process < 3; process++) {
      const { body } = await world.asked(process, 'eth_blockNumber', [], `key ${process}`);
      expect(Number(body.result)).toBeLessThanOrEqual(world.chain.head);
    }
    for (const text of [
      '',
      '{}',
      '[1]',
      '[["a","x",0,"0",0,0]]',
      '[["a","1",-1,"0",0,0]]',
      '['.repeat(9_000),
    ])
      expect(readReports(text)).toEqual([]);
  });
});

test('a node that falls behind is found once for all', async () => {
  const shared: SharedNode[] = [{ latencyMs: WAY_MS }, { latencyMs: WAY_MS }];
  const world = new SimulatedProcesses(shared, { processes: 9, blockMs: BLOCK_MS });
  await load(world, { processes: 9, everyMs: 300, ms: 3_000 });
  (shared[1] as SharedNode).lag = 500;
  await load(world, { processes: 9, everyMs: 300, ms: 10_000 });
  for (let process = 0; process < 9; process++) {
    const { body } = await world.asked(process, ...balance);
    expect(world.chain.head - Number.parseInt(String(body.result).slice(2, -8), 16)).toBeLessThanOrEqual(8);
  }
});

test('a view of 16 upstreams with long names is one unit, and what is written is read', () => {
  const reports = Array.from({ length: 16 }, (_, index) => ({
    name: `provider-${index}`,
    number: 12_345_678_901n,
    timeMs: 1_800_000_000_000,
    lag: 12n,
    syncing: false,
    ageMs: 16_000,
  }));
  expect(readReports(writeReports(reports))).toEqual(reports);
  expect(writeReports(reports).length).toBeLessThan(920);
});
