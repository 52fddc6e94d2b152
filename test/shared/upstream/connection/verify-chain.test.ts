/** The question for a node's chain costs no request more than two seconds, once. */
import type { NodeConnection } from '../../../../lambdas/shared/upstream/connection/node-connection.ts';
import { ASK_AGAIN_MS, verifyChain } from '../../../../lambdas/shared/upstream/connection/verify-chain.ts';
import type { RawResponse } from '../../../nodes/replies.ts';
import {
  ANSWER,
  type Fate,
  type SimulatedUpstream,
  simulateUpstream,
} from '../../../nodes/simulated-upstream.ts';
import { VirtualClock } from '../../../nodes/virtual-clock.ts';

const CHAIN_ID = 31_337;
const RIGHT = '"0x7a69"';
const WRONG = '"0xaa36a7"';
const STALL: Fate = { kind: 'stall' };
const DEAD: Fate = { kind: 'failure', error: 'unreachable', sent: false };
const REQUEST_MS = 20_000;
const ROUND_TRIP_MS = 100;

let clock: VirtualClock;
/** Raw JSON of what the node says its chain is. */
let told: RawResponse;
/** Behaviour of the node for the question for its chain, and for everything else. */
let fateOfQuestion: Fate;
let fateOfCall: Fate;
let upstream: SimulatedUpstream;
let node: NodeConnection;
let found: bigint[];

beforeEach(() => {
  clock = new VirtualClock();
  told = { result: RIGHT };
  fateOfQuestion = ANSWER;
  fateOfCall = ANSWER;
  found = [];
  upstream = simulateUpstream({
    clock,
    wait: clock.wait,
    answer: ({ method }) => (method === 'eth_chainId' ? told : { result: '"answer"' }),
    fate: ([call]) => (call?.method === 'eth_chainId' ? fateOfQuestion : fateOfCall),
    latencyMs: () => ROUND_TRIP_MS,
  });
  node = verifyChain(upstream.connection, {
    chainId: CHAIN_ID,
    clock,
    onWrongChain: (chainId) => found.push(chainId),
  });
});

function start(method = 'eth_call', idempotent = true): Promise<string> {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: node.reserveIds(1), method }));
  return node.post({ body, idempotent, deadline: clock.now() + REQUEST_MS }).then(
    (response) => `${response.status}`,
    ({ kind, sent }) => `${kind}, sent: ${sent}`,
  );
}

/** Outcome of a call, and its time. */
async function ask(method?: string, idempotent?: boolean): Promise<[outcome: string, ms: number]> {
  const startedAt = clock.now();
  const outcome = await clock.until(start(method, idempotent));
  return [outcome, clock.now() - startedAt];
}

const act = () => ask('eth_sendRawTransaction', false);
const asked = () => upstream.received.map(({ method }) => method);

test('the question has an id that no call has', async () => {
  await ask();
  expect(new Set(upstream.received.map(({ id }) => id)).size).toBe(2);
});

test('the first response waits for a node that is slow to tell its chain', async () => {
  told = { result: WRONG };
  const slow = simulateUpstream({
    clock,
    wait: clock.wait,
    answer: ({ method }) => (method === 'eth_chainId' ? told : { result: '"answer"' }),
    latencyMs: () => (slow.received.at(-1)?.method === 'eth_chainId' ? 1_500 : ROUND_TRIP_MS),
  });
  node = verifyChain(slow.connection, { chainId: CHAIN_ID, clock, onWrongChain: () => {} });
  expect(await ask()).toEqual(['wrong_chain, sent: true', 1_500]);
});

describe.each<[string, RawResponse, Fate]>([
  ['refuses to', { error: '{"code":-32601,"message":"method not found"}' }, ANSWER],
  ['says null', { result: 'null' }, ANSWER],
  ['says a number', { result: '31337' }, ANSWER],
  ['says no quantity', { result: '"31337"' }, ANSWER],
  ['says a word that is too long', { result: `"0x${'0'.repeat(100)}7a69"` }, ANSWER],
  ['says it in too many bytes', { result: `${RIGHT}${' '.repeat(1_024)}` }, ANSWER],
  ['sends no JSON', { result: RIGHT }, { kind: 'response', status: 403, body: '<html>' }],
  ['sends null', { result: RIGHT }, { kind: 'response', status: 200, body: 'null' }],
  [
    'answers another call',
    { result: RIGHT },
    { kind: 'response', status: 200, body: '{"id":9,"result":"0x1"}' },
  ],
  ['hangs up', { result: RIGHT }, { kind: 'failure', error: 'closed' }],
])('a node that tells no chain, because it %s,', (_, response, fate) => {
  beforeEach(() => {
    told = response;
    fateOfQuestion = fate;
  });

  test('is used, and asked again beside later calls', async () => {
    expect(await ask()).toEqual(['200', ROUND_TRIP_MS]);
    expect(await ask()).toEqual(['200', ROUND_TRIP_MS]);
    expect(await act()).toEqual(['200', ROUND_TRIP_MS]);
    expect(asked().filter((method) => method === 'eth_chainId')).toHaveLength(1);
    await clock.pass(ASK_AGAIN_MS);
    expect(await ask()).toEqual(['200', ROUND_TRIP_MS]);
    expect(asked().filter((method) => method === 'eth_chainId')).toHaveLength(2);
  });

  test('is out of use once it tells another', async () => {
    await ask();
    told = { result: WRONG };
    fateOfQuestion = ANSWER;
    await clock.pass(ASK_AGAIN_MS);
    expect((await ask())[0]).toMatch(/^wrong_chain/);
    expect(await ask()).toEqual(['wrong_chain, sent: false', 0]);
    expect(found).toEqual([11_155_111n]);
  });
});

test('a node that says nothing of its chain delays the first response by two seconds, and no other', async () => {
  fateOfQuestion = STALL;
  expect(await ask()).toEqual(['200', 2_000]);
  expect(await ask()).toEqual(['200', ROUND_TRIP_MS]);
  await clock.pass(ASK_AGAIN_MS);
  expect(await ask()).toEqual(['200', ROUND_TRIP_MS]);
  expect(await act()).toEqual(['200', ROUND_TRIP_MS]);
});

describe('where a chain id is needed', () => {
  const UNSTATED = 'unreachable, sent: true';
  beforeEach(() => {
    node = verifyChain(upstream.connection, {
      ...{ chainId: CHAIN_ID, clock, isStrict: true },
      onWrongChain: (chainId) => found.push(chainId),
    });
  });

  test('nothing counts of a node without one, which is asked beside each call until it has one', async () => {
    told = { result: 'null' };
    expect(await ask()).toEqual([UNSTATED, ROUND_TRIP_MS]);
    expect(await ask()).toEqual([UNSTATED, ROUND_TRIP_MS]);
    told = { result: RIGHT };
    expect(await ask()).toEqual(['200', ROUND_TRIP_MS]);
    expect(await ask()).toEqual(['200', ROUND_TRIP_MS]);
    expect(asked().filter((method) => method === 'eth_chainId')).toHaveLength(3);
  });

  test('a node that is slow to tell it has as long as the call', async () => {
    fateOfQuestion = STALL;
    expect(await ask()).toEqual([UNSTATED, REQUEST_MS]);
  });
});

test.each<[string, Fate]>([
  ['is dead', DEAD],
  ['has no success', { kind: 'response', status: 503, body: '' }],
])('a node that %s at first is asked as soon as it answers', async (_, fate) => {
  fateOfQuestion = fate;
  fateOfCall = fate;
  await ask();
  await act();
  fateOfQuestion = ANSWER;
  fateOfCall = ANSWER;
  told = { result: WRONG };
  expect(await ask()).toEqual(['wrong_chain, sent: true', ROUND_TRIP_MS]);
});

test('the question is no longer on its way than the request that it is asked for', async () => {
  fateOfQuestion = STALL;
  const body = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"eth_call"}');
  const startedAt = clock.now();
  await clock.until(node.post({ body, idempotent: true, deadline: startedAt + 500 }));
  expect(clock.now() - startedAt).toBe(500);
});
