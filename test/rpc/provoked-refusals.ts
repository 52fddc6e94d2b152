/** Calls of two keys at nodes that refuse them, each in a way of its own: what the refusals cost, and who notices. */
import { billedCu } from '../../lambdas/rpc/billing/call-usage.ts';
import type { UpstreamResponse } from '../../lambdas/shared/jsonrpc/calls.ts';
import type { Sender } from '../../lambdas/shared/upstream/routing/terms.ts';
import type { ReceivedCall } from '../nodes/replies.ts';
import { hex } from '../nodes/simulated-chain.ts';
import { type Character, call, SimulatedGateway } from '../nodes/simulated-gateway.ts';
import type { Fate } from '../nodes/simulated-upstream.ts';

export const A: Sender = { keyId: 'key-a', account: 'account-a' };
export const B: Sender = { keyId: 'key-b', account: 'account-b' };
export const WEIGHT = 20;
/** Refused calls from one search to the next. */
const SEARCH_EVERY = 50;

export const balance = (number: number) => call('eth_getBalance', [hex(number), 'latest']);
/** Another for each number, so that no two are equal. */
export const execution = (number: number) => call('eth_call', [{ to: hex(number) }, 'latest']);
export const errorOf = (error: object) => ({ error: JSON.stringify(error) });
export const on = (
  method: string,
  response: { readonly error: string } | { readonly result: string },
): Character => ({
  respond: (received: ReceivedCall) => (received.method === method ? response : undefined),
});
export const callsOf = (gateway: SimulatedGateway, method: string) =>
  gateway.received().filter((received) => received.method === method).length;

/** Wordings that stand in no table, each of other letters. */
export function wording(number: number): string {
  const letters = [...String(number).padStart(3, '0')].map((digit) => 'bcdfghjklm'[Number(digit)]);
  return `the ${letters.join('o')} has not been ${letters.toReversed().join('a')}ed here`;
}

export async function asked(
  gateway: SimulatedGateway,
  calls: Parameters<SimulatedGateway['ask']>[0],
  sender: Sender,
) {
  const [response] = await gateway.ask(calls, sender);
  return response as UpstreamResponse;
}

const body = (error: object) => JSON.stringify({ jsonrpc: '2.0', id: null, error });
export const page = (status: number, text = '<html>no</html>'): Fate => ({
  kind: 'response',
  status,
  body: text,
});

/** Refusals that the calls of a client can provoke at a healthy node. */
export const REFUSALS: readonly (readonly [string, Fate])[] = [
  ...[400, 403, 404, 405, 408, 411, 413, 414, 415, 422, 431, 451, 500, 502, 503, 504, 524].map(
    (status) => [`status ${status}`, page(status)] as const,
  ),
  ['403 with an error', page(403, body({ code: -32000, message: 'blocked' }))],
  ['413 with an error', page(413, body({ code: -32600, message: 'request entity too large' }))],
  ['status 200 with a page', page(200)],
  ['status 200 with nothing', page(200, '')],
  ['status 200 with half of an object', page(200, '{"jsonrpc":"2.0","id":1,"res')],
  ...(
    [
      [-32601, 'the method does not exist'],
      [-32004, 'method not supported'],
      [-32604, 'Method not enabled'],
      [-32600, 'invalid request'],
      [-32700, 'parse error'],
      [-32603, 'Internal error'],
      [-32603, 'method handler crashed'],
      [-32603, wording(1)],
      [-32002, 'request timed out'],
      [-32000, 'execution aborted (timeout = 5s)'],
      [-32000, 'rate limit exceeded'],
      [-32005, 'Too many requests'],
      [-32007, '50/second request limit reached'],
      [-32009, 'come again'],
      [-32005, 'come again'],
      [429, 'come again'],
      [-32098, 'Capacity exceeded'],
      [-32612, 'custom trace'],
      [-32600, 'not available on the Free tier'],
      [-32000, 'project ID does not have access to archive state'],
      [4444, 'pruned history unavailable'],
      [-32000, 'header not found'],
      [-32000, 'missing trie node 0a'],
      [-32000, 'transaction indexing is in progress'],
      [-32000, wording(2)],
      [-32602, wording(3)],
    ] as const
  ).map(([code, message]) => [`${code} ${message}`, page(200, body({ code, message }))] as const),
];

const TICKS = 60;
const TICK_MS = 1_000;

/** A node that refuses executions, each in the way that its number stands for. */
export const provoked = (ways: readonly Fate[]): Character => ({
  fate: ([first]) => {
    if (first?.method !== 'eth_call') return { kind: 'answer' };
    const [{ to }] = first.params as readonly [{ readonly to: string }];
    return ways[Number(to) % ways.length] ?? { kind: 'answer' };
  },
});

/** A minute, in which key A asks so often that many refusals are its lot, and key B reads. */
export async function minute(ways: readonly (readonly Fate[])[], asks: number, readsAtOnce: number) {
  const gateway = new SimulatedGateway(ways.map(provoked), 7);
  const refused = { calls: 0, nodeCalls: 0 };
  for (let tick = 0; tick < TICKS; tick += 1) {
    const next = Math.round((asks * (tick + 1)) / TICKS);
    for (let number = Math.round((asks * tick) / TICKS); number < next; number += 1) {
      const before = gateway.upstreams.reduce((sum, { received }) => sum + received.length, 0);
      const isFree = billedCu(await asked(gateway, [execution(number)], A), WEIGHT) === 0;
      const after = gateway.upstreams.reduce((sum, { received }) => sum + received.length, 0);
      refused.calls += Number(isFree);
      refused.nodeCalls += isFree ? after - before : 0;
    }
    for (let read = 0; read < readsAtOnce; read += 1)
      expect((await asked(gateway, [balance(tick * readsAtOnce + read)], B)).kind).toBe('result');
    await gateway.clock.until(gateway.clock.wait(TICK_MS));
  }
  const shares = ways.map(
    (_, index) => gateway.received(index).filter(({ method }) => method === 'eth_getBalance').length,
  );
  expect(gateway.breakers).toEqual([]);
  expect(gateway.pauses).toEqual([]);
  return { shares, perRefusal: refused.calls === 0 ? 0 : refused.nodeCalls / refused.calls };
}
/** Ways of both nodes: of the first alone, of the second alone, and of both. */
export const atEither = (ways: readonly Fate[]) => [
  [ways, []],
  [[], ways],
  [ways, ways],
];

/**
 * Lets a key be refused so often that no two refusals are worded alike, while another searches in each fiftieth call: each
 * refusal costs little more than one call of a node, and each search finds.
 */
export async function expectFewCalls(refusals: number): Promise<void> {
  let number = 0;
  const babbling: Character = {
    respond: ({ method, params }) => {
      if (method === 'eth_getBalance' && params?.[1] === '0x1')
        return errorOf({ code: -32000, message: 'missing trie node 0a' });
      number += 1;
      return method === 'eth_call' ? errorOf({ code: -32000, message: wording(number) }) : undefined;
    },
  };
  const finding: Character = {
    respond: (received) => (received.method === 'eth_call' ? babbling.respond?.(received) : undefined),
  };
  const gateway = new SimulatedGateway([babbling, finding]);
  let found = 0;
  for (let at = 0; at < refusals; at += 1) {
    await asked(gateway, [execution(at)], A);
    if (at % SEARCH_EVERY !== 0) continue;
    const search = call('eth_getBalance', [hex(at), '0x1']);
    if ((await asked(gateway, [search], B)).kind === 'result') found += 1;
  }
  expect(found).toBe(refusals / SEARCH_EVERY);
  expect(callsOf(gateway, 'eth_call') / refusals).toBeLessThanOrEqual(1.15);
}

/** Provokes each refusal so often in a minute, in which another key reads so often a second and keeps its share of each node. */
export async function expectShares(timesEach: number, readsAtOnce: number): Promise<void> {
  const control = (await minute([[], []], 0, readsAtOnce)).shares;
  for (const ways of atEither(REFUSALS.map(([, way]) => way))) {
    const { shares, perRefusal } = await minute(ways, timesEach * REFUSALS.length, readsAtOnce);
    for (const [index, share] of shares.entries())
      expect(Math.abs(share / (control[index] ?? 0) - 1)).toBeLessThanOrEqual(0.1);
    expect(perRefusal).toBeLessThanOrEqual(1.3);
  }
}
