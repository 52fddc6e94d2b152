/**
 * A shadow gets a sample of the reads that the chain fixes. What it says is counted, and changes no response, no head, no
 * majority and nothing that is cached, be it slow, dead or a liar.
 */

import { openChainUpstreams } from '../../../lambdas/shared/upstream/chain-upstreams.ts';
import { Shadows } from '../../../lambdas/shared/upstream/copies/shadow.ts';
import type { RawResponse, ReceivedCall } from '../../nodes/replies.ts';
import { hex, transactionOf } from '../../nodes/simulated-chain.ts';
import { type SharedNode, SimulatedProcesses } from '../../nodes/simulated-processes.ts';
import {
  type Fate,
  MAX_RESPONSE_BYTES,
  type SimulatedUpstream,
  simulateUpstream,
} from '../../nodes/simulated-upstream.ts';
import { repetitions } from '../../support/at-length.ts';
import { RecordedTelemetry } from '../../support/recorded-telemetry.ts';
import { CHAIN } from '../cache/cache-world.ts';

const ACCOUNT = `0x${'1'.padStart(40, '0')}`;
const WAY_MS = 20;
const OLD = 100;

interface Character {
  readonly answer?: (call: ReceivedCall) => RawResponse | undefined;
  readonly fate?: (calls: readonly ReceivedCall[]) => Fate;
  readonly latencyMs?: number;
}

/** A chain of two nodes with a shadow of some character, which gets such a share of the calls. */
function stage(
  character: Character = {},
  share = 1,
  nodes: readonly SharedNode[] = [{ latencyMs: WAY_MS }, { latencyMs: WAY_MS }],
) {
  const telemetry = new RecordedTelemetry();
  let shadow: SimulatedUpstream | undefined;
  const world: SimulatedProcesses = new SimulatedProcesses(nodes, {
    blockMs: 1_000,
    around: {
      copies: (node) => {
        const { clock, wait, random } = node;
        shadow = simulateUpstream({
          clock,
          wait,
          answer: (call) => character.answer?.(call) ?? world.chain.answer(call),
          fate: (calls) => character.fate?.(calls) ?? { kind: 'answer' },
          latencyMs: () => character.latencyMs ?? WAY_MS,
        });
        const connected = openChainUpstreams([{ name: 'candidate', connection: shadow.connection }], {
          clock,
          wait,
          random,
          maxResponseBytes: MAX_RESPONSE_BYTES,
        });
        const shadows = new Shadows({
          chain: CHAIN.chain,
          node,
          shadows: connected,
          shares: [share],
          telemetry,
        });
        return { send: (answered) => shadows.compare(answered) };
      },
    },
  });
  const sum = (name: 'ShadowCalls' | 'ShadowDifferences' | 'ShadowFailures') =>
    telemetry.metrics().reduce((total, line) => total + (line[name] ?? 0), 0);
  return { world, telemetry, sum, received: () => shadow?.received ?? [] };
}

/** Reads of final blocks, none of them twice: what is cached is asked of no node. */
function fixedReads(count: number): (readonly [string, readonly unknown[]])[] {
  return Array.from({ length: count }, (_, index) => {
    const number = OLD + index;
    const reads: readonly (readonly [string, readonly unknown[]])[] = [
      ['eth_getBlockByNumber', [hex(number), false]],
      ['eth_getTransactionReceipt', [transactionOf(number)]],
      ['eth_getLogs', [{ fromBlock: hex(number), toBlock: hex(number + 1) }]],
      ['eth_getBalance', [ACCOUNT, hex(number)]],
    ];
    return reads[index % reads.length] ?? ['eth_chainId', []];
  });
}

/** What clients get of a world: bodies, headers and times, of requests that come every three seconds. */
async function answers(world: SimulatedProcesses, count: number) {
  const seen: unknown[] = [];
  let next = world.clock.now();
  const ask = async (method: string, params: readonly unknown[] = []) => {
    await world.clock.pass(next - world.clock.now());
    next += 3_000;
    seen.push(await world.asked(0, method, params));
  };
  await ask('eth_blockNumber');
  for (const [method, params] of fixedReads(count)) {
    await ask(method, params);
    await ask('eth_getBlockByNumber', ['finalized', false]);
    await ask('eth_blockNumber');
  }
  return seen;
}

test('gets copies of what is final, by number or hash, and agrees', async () => {
  const { world, sum, received } = stage();
  await answers(world, 40);
  expect(sum('ShadowCalls')).toBeGreaterThan(20);
  expect([sum('ShadowDifferences'), sum('ShadowFailures')]).toEqual([0, 0]);
  const methods = new Set(received().map(({ method }) => method));
  expect(methods).toContain('eth_getBlockByNumber');
  expect(methods).toContain('eth_getTransactionReceipt');
  expect(methods).toContain('eth_getLogs');
});

test('gets nothing of what moves, of young blocks, of executions and of transactions', async () => {
  const { world, received } = stage();
  await world.asked(0, 'eth_blockNumber');
  await world.clock.pass(3_000);
  const { head } = world.chain;
  for (const [method, params] of [
    ['eth_blockNumber', []],
    ['eth_getBlockByNumber', ['latest', false]],
    ['eth_getBlockByNumber', [hex(head - 10), false]],
    ['eth_getTransactionReceipt', [transactionOf(head - 10)]],
    ['eth_getLogs', [{ fromBlock: hex(OLD), toBlock: hex(head - 10) }]],
    ['eth_call', [{ to: ACCOUNT }, hex(OLD)]],
    ['eth_getBalance', [ACCOUNT, 'latest']],
    ['eth_sendRawTransaction', ['0x02c0']],
    ['eth_chainId', []],
    ['eth_getTransactionReceipt', [`0x${'f'.repeat(64)}`]],
  ] as const) {
    await world.asked(0, method, params);
    await world.clock.pass(100);
  }
  expect(received()).toEqual([]);
});

test.each([0.01, 0.2])('gets a share of %d of the calls', async (share) => {
  const { world, sum } = stage({}, share);
  const count = repetitions(2_000);
  await world.asked(0, 'eth_blockNumber');
  await world.clock.pass(3_000);
  for (const [method, params] of fixedReads(count)) await world.asked(0, method, params);
  await world.clock.pass(3_000);
  expect(sum('ShadowCalls')).toBeGreaterThan(0.3 * share * count);
  expect(sum('ShadowCalls')).toBeLessThan(2.5 * share * count + 5);
});

const CHARACTERS: readonly (readonly [
  string,
  Character,
  'ShadowDifferences' | 'ShadowFailures' | undefined,
])[] = [
  ['is right', {}, undefined],
  ['is slow', { latencyMs: 10_000 }, 'ShadowFailures'],
  ['is dead', { fate: () => ({ kind: 'failure', error: 'unreachable', sent: false }) }, 'ShadowFailures'],
  ['hangs', { fate: () => ({ kind: 'stall' }) }, 'ShadowFailures'],
  ['sends no JSON', { fate: () => ({ kind: 'response', status: 200, body: '<html>' }) }, 'ShadowFailures'],
  ['is limited', { fate: () => ({ kind: 'response', status: 429, body: '' }) }, 'ShadowFailures'],
  [
    'refuses',
    { answer: () => ({ error: '{"code":-32000,"message":"missing trie node"}' }) },
    'ShadowFailures',
  ],
  ['knows nothing', { answer: () => ({ result: 'null' }) }, 'ShadowDifferences'],
  [
    'lies of a head far ahead, and of all blocks',
    { answer: () => ({ result: JSON.stringify({ number: '0xffffffff', hash: `0x${'e'.repeat(64)}` }) }) },
    'ShadowDifferences',
  ],
];

test.each(CHARACTERS)(
  'that %s changes no response, no header and no time; it is counted',
  async (_, character, counted) => {
    const count = 30;
    const without = await answers(stage({}, 0).world, count);
    const { world, sum, telemetry } = stage(character);
    expect(await answers(world, count)).toEqual(without);
    expect(sum('ShadowCalls')).toBeGreaterThan(0);
    for (const name of ['ShadowDifferences', 'ShadowFailures'] as const)
      if (name === counted) expect(sum(name)).toBeGreaterThan(0);
      else expect(sum(name)).toBe(0);
    const { upstreams } = world.nodeOf(0);
    expect(upstreams.map(({ name }) => name)).toEqual(['upstream-1', 'upstream-2']);
    const logged = telemetry.logged.filter(({ event }) => event === 'shadow_differs');
    if (counted === 'ShadowDifferences')
      expect(logged[0]).toMatchObject({ upstream: 'candidate', chain: CHAIN.chain });
    else expect(logged).toEqual([]);
  },
);

test('that hangs has four copies under way at most, and each ends after two seconds', async () => {
  let underWay = 0;
  const { world, received } = stage({ fate: () => ({ kind: 'stall' }) });
  await world.asked(0, 'eth_blockNumber');
  await world.clock.pass(3_000);
  const asked = fixedReads(60).map(([method, params]) => world.ask(0, method, params));
  await world.clock.pass(1_000);
  underWay = received().length;
  const startedAt = world.clock.now();
  await world.clock.until(Promise.all(asked));
  expect(underWay).toBeLessThanOrEqual(4);
  expect(world.clock.now() - startedAt).toBeLessThanOrEqual(2_100);
});

test('that is dead is left alone after some failures', async () => {
  const { world, received } = stage({ fate: () => ({ kind: 'failure', error: 'closed', sent: true }) });
  await world.asked(0, 'eth_blockNumber');
  await world.clock.pass(3_000);
  for (const [method, params] of fixedReads(200)) await world.asked(0, method, params);
  expect(received().length).toBeLessThan(30);
});
