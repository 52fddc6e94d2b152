/**
 * An operator takes an upstream out of use: no instance asks it anything then, whatever else there is, until the hold ends. The
 * last one goes only by force, and while a hold lasts it is counted.
 */
import type { Context } from '../../bin/operator/context/command.ts';
import { openChainUpstreams } from '../../lambdas/shared/upstream/chain-upstreams.ts';
import { SharedView } from '../../lambdas/shared/upstream/sharing/shared-view.ts';
import { hex, transactionOf } from '../nodes/simulated-chain.ts';
import { type SharedNode, SimulatedProcesses } from '../nodes/simulated-processes.ts';
import { MAX_RESPONSE_BYTES, simulateUpstream } from '../nodes/simulated-upstream.ts';
import { CHAIN } from '../rpc/cache/cache-world.ts';
import { repetitions } from '../support/at-length.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';
import { BARE_CONTEXT } from './bare-context.ts';
import { capturedRun } from './captured-run.ts';

const { chain } = CHAIN;
const PROCESSES = 6;
const BLOCK_MS = 1_000;
const ACCOUNT = `0x${'1'.padStart(40, '0')}`;
const MINUTE_MS = 60_000;

/** A chain with nodes whose calls are counted. */
function stage(count: number, processes = PROCESSES) {
  const asked = Array.from({ length: count }, () => 0);
  const nodes: SharedNode[] = asked.map((_, index) => ({
    latencyMs: 20,
    respond: ({ method }) => {
      asked[index] = (asked[index] ?? 0) + 1;
      return method === 'eth_sendRawTransaction' ? { result: `"0x${'7'.repeat(64)}"` } : undefined;
    },
  }));
  const world = new SimulatedProcesses(nodes, { processes, blockMs: BLOCK_MS });
  const context: Context = {
    ...BARE_CONTEXT,
    clock: world.clock,
    cache: { ...BARE_CONTEXT.cache, chains: [chain], texts: world.views },
  };
  const operator = (...words: readonly string[]) =>
    world.clock.until(capturedRun(['upstream', ...words, '--local'], context));
  return { world, nodes, asked, operator };
}

/** All kinds of calls, to all processes one after the other; the codes of the errors. */
async function askAll(world: SimulatedProcesses, rounds = repetitions(20)): Promise<readonly unknown[]> {
  const codes: unknown[] = [];
  for (let round = 0; round < rounds; round++) {
    const { head } = world.chain;
    const calls = [
      ['eth_chainId', []],
      ['eth_blockNumber', []],
      ['eth_getBalance', [ACCOUNT, 'latest']],
      ['eth_getBlockByNumber', ['finalized', false]],
      ['eth_getTransactionReceipt', [transactionOf(head - 1)]],
      ['eth_getLogs', [{ fromBlock: hex(head - 3), toBlock: hex(head - 2) }]],
      ['eth_sendRawTransaction', [`0x02${round.toString(16).padStart(8, '0')}`]],
    ] as const;
    for (const [place, [method, params]] of calls.entries()) {
      const { body } = await world.asked((round + place) % world.count, method, params);
      if (body.error !== undefined) codes.push(body.error.data?.reason ?? body.error.code);
      await world.clock.pass(170);
    }
  }
  return codes;
}

/** Lets every process hear of the hold. */
async function hear(world: SimulatedProcesses): Promise<void> {
  await world.clock.pass(1_100);
  for (let process = 0; process < world.count; process++) await world.asked(process, 'eth_blockNumber');
  await world.clock.pass(100);
}

test('a node that is off gets nothing from any instance, and clients notice nothing; on again it gets its part', async () => {
  const { world, asked, operator } = stage(3);
  await askAll(world);
  expect(await operator('off', chain, 'upstream-2')).toMatchObject({ exitCode: 0, stderr: '' });
  await hear(world);
  asked.fill(0);
  expect(await askAll(world)).toEqual([]);
  expect(asked[1]).toBe(0);
  expect(Math.min(asked[0] ?? 0, asked[2] ?? 0)).toBeGreaterThan(0);
  expect((await operator('on', chain, 'upstream-2')).exitCode).toBe(0);
  await hear(world);
  expect(await askAll(world)).toEqual([]);
  expect(asked[1]).toBeGreaterThan(0);
});

test('it beats every fallback: while the others are down, the node that is off gets nothing', async () => {
  const { world, nodes, asked, operator } = stage(2);
  await askAll(world);
  await operator('off', chain, 'upstream-1');
  await hear(world);
  (nodes[1] as SharedNode).fate = () => ({ kind: 'failure', error: 'unreachable', sent: false });
  asked.fill(0);
  const codes = await askAll(world);
  expect(codes.length).toBeGreaterThan(0);
  expect(asked).toEqual([0, 0]);
});

test('an instance that stood still for minutes asks no node that was taken off meanwhile', async () => {
  const { world, asked, operator } = stage(2, 2);
  await askAll(world);
  await operator('off', chain, 'upstream-1');
  await world.clock.pass(5 * MINUTE_MS);
  asked.fill(0);
  await world.asked(1, 'eth_chainId');
  await world.asked(1, 'eth_getBalance', [ACCOUNT, 'latest']);
  expect(asked[0]).toBe(0);
});

test.each([
  [[], 24 * 60],
  [['--for', '90m'], 90],
  [['--for', '48h'], 48 * 60],
])('a hold ends by itself, after a day or what %j says', async (flags, minutes) => {
  const { world, asked, operator } = stage(2, 1);
  await askAll(world, 1);
  await operator('off', chain, 'upstream-1', ...flags);
  for (const share of [0.5, 0.45]) {
    await world.clock.pass(share * minutes * MINUTE_MS);
    await hear(world);
    asked.fill(0);
    await askAll(world, 2);
    expect(asked[0]).toBe(0);
  }
  await world.clock.pass(0.06 * minutes * MINUTE_MS);
  await hear(world);
  await askAll(world, 10);
  expect(asked[0]).toBeGreaterThan(0);
});

test('the last node that can be used goes off only by force; then no call reaches a node, and each says so', async () => {
  const { world, asked, operator } = stage(2);
  await askAll(world);
  await operator('off', chain, 'upstream-2');
  const refused = await operator('off', chain, 'upstream-1');
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
  expect(refused.stderr).toContain('--force');
  expect((await operator('off', chain, 'upstream-1', '--force')).exitCode).toBe(0);
  await hear(world);
  asked.fill(0);
  const codes = await askAll(world, 2);
  expect(new Set(codes)).toEqual(new Set(['upstream_unavailable']));
  expect(asked).toEqual([0, 0]);
});

test('a node that is far behind is no other that can be used', async () => {
  const { world, nodes, operator } = stage(2);
  (nodes[1] as SharedNode).lag = 200;
  await askAll(world);
  expect((await operator('off', chain, 'upstream-1')).exitCode).toBe(2);
});

test('show has the holds with what they rest on, and by whom it was measured', async () => {
  const { world, operator } = stage(2);
  await askAll(world);
  await operator('off', chain, 'upstream-2', '--for', '30m');
  const shown = JSON.parse((await operator('show', chain, '--json')).stdout);
  expect(shown.upstreams).toMatchObject([
    { upstream: 'upstream-2', off_until: expect.stringMatching(/Z$/), syncing: false, claims: [] },
    { upstream: 'upstream-1', off_until: null, latency_ms: 20, max_logs_blocks: null },
  ]);
  expect(shown.note).toContain('latencies');
  const { stdout } = await operator('show', chain);
  expect(stdout).toMatch(/upstream-2 .*off by hand until \d{4}-/);
  const one = JSON.parse((await operator('show', chain, 'upstream-1', '--json')).stdout);
  expect(one.upstreams).toHaveLength(1);
});

test.each([
  [['off', 'other', 'upstream-1'], /unknown chain/],
  [['off', chain, 'nobody'], /known: upstream-1, upstream-2/],
  [['off', chain, 'upstream-1', '--for', '49h'], /--for/],
  [['off', chain, 'upstream-1', '--for', '0h'], /--for/],
  [['off', chain, 'upstream-1', '--for', '1d'], /--for/],
  [['on', chain, 'upstream-1'], /is not held/],
  [['show', chain, 'nobody'], /no instance has/],
])('%j is refused by what is wrong, and changes nothing', async (words, reason) => {
  const { world, operator } = stage(2);
  await askAll(world, 1);
  const before = world.views.item(`heads ${chain}`).texts.at(-1);
  const { exitCode, stderr } = await operator(...words);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(reason)]);
  expect(world.views.item(`heads ${chain}`).texts.at(-1)).toBe(before);
});

test('of a chain that nothing was asked of nothing is known', async () => {
  const { operator } = stage(2);
  expect(await operator('show', chain)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('send it a call'),
  });
});

test('an instance logs a hold once, and counts it once a minute while it lasts', async () => {
  const { world, operator } = stage(2, 1);
  await askAll(world, 1);
  const telemetry = new RecordedTelemetry();
  const { clock } = world;
  const { connection } = simulateUpstream({ clock, wait: clock.wait, answer: () => ({ result: '' }) });
  const upstreams = ['upstream-1', 'upstream-2'].map((name) => ({ name, connection }));
  const node = openChainUpstreams(upstreams, { clock, maxResponseBytes: MAX_RESPONSE_BYTES });
  const view = new SharedView({ chain, node, store: world.views, telemetry });
  await operator('off', chain, 'upstream-1', '--for', '5m');
  for (let second = 0; second < 400; second++) {
    await clock.pass(1_000);
    await clock.until(view.read());
  }
  const counted = telemetry.metrics().flatMap(({ UpstreamsHeld }) => UpstreamsHeld ?? []);
  expect(counted).toEqual([1, 1, 1, 1, 1]);
  const events = telemetry.logged.map(({ event }) => event);
  expect(events).toEqual(['upstream_held', 'upstream_hold_over']);
});
