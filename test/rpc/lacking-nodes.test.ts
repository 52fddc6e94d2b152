/** A node that lacks batches or methods is sent what it takes. */
import { billedCu } from '../../lambdas/rpc/billing/call-usage.ts';
import type { UpstreamResponse } from '../../lambdas/shared/jsonrpc/calls.ts';
import type { ReceivedCall } from '../nodes/replies.ts';
import { type Character, call, SimulatedGateway, told } from '../nodes/simulated-gateway.ts';
import type { Fate } from '../nodes/simulated-upstream.ts';

const CALLS = [1, 2, 3].map((number) =>
  call('eth_getBalance', [`0x${String(number).padStart(40, '0')}`, 'latest']),
);
const WEIGHT = 10;
const errorOf = (code: number, message: string) =>
  JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } });

/** A node that refuses requests of more calls than it takes, with one object. */
const taking = (calls: number, code: number, message: string, status = 200): Character => ({
  fate: (sent: readonly ReceivedCall[]): Fate =>
    sent.length > calls ? { kind: 'response', status, body: errorOf(code, message) } : { kind: 'answer' },
});

async function ask(gateway: SimulatedGateway, calls = CALLS) {
  return gateway.clock.until(gateway.start(calls));
}

describe.each([
  ['no batches', taking(1, -32600, 'batch requests are disabled')],
  ['no batches, status 400', taking(1, -32600, 'batch requests are disabled', 400)],
  ['at most two calls', taking(2, -32600, 'batch limit 2 exceeded')],
  ['at most two calls, as Besu says it', taking(2, -32005, 'Number of requests exceeds max batch size')],
])('a node that takes %s', (_, node) => {
  test('answers a batch: it is sent in parts', async () => {
    const gateway = new SimulatedGateway([node]);
    const responses = await ask(gateway);
    expect(responses.map(({ kind }) => kind)).toEqual(['result', 'result', 'result']);
  });

  test('is not sent larger ones after the second refusal', async () => {
    const gateway = new SimulatedGateway([node]);
    await ask(gateway);
    await ask(gateway);
    const before = gateway.received().length;
    const responses = await ask(gateway);
    expect(responses.map(({ kind }) => kind)).toEqual(['result', 'result', 'result']);
    expect(gateway.received().length - before).toBe(CALLS.length);
  });

  test('tells its head, and stays in use', async () => {
    const gateway = new SimulatedGateway([node, node]);
    for (let round = 0; round < 20; round += 1) {
      await ask(gateway);
      await gateway.clock.until(gateway.clock.wait(1_500));
    }
    expect(gateway.breakers).toEqual([]);
    expect((await ask(gateway, [call('eth_blockNumber')])).map(told)[0]).toMatch(/^"0x/);
  });
});

test('a batch that is refused as a batch to the end is no response, and is not billed', async () => {
  const never: Character = {
    fate: (): Fate => ({
      kind: 'response',
      status: 200,
      body: errorOf(-32005, 'Number of requests exceeds max batch size'),
    }),
  };
  for (const response of await ask(new SimulatedGateway([never]))) {
    expect(response).toMatchObject({ kind: 'failed', error: { reason: 'upstream_unavailable' } });
    expect(billedCu(response as UpstreamResponse, WEIGHT)).toBe(0);
  }
});

test.each([
  ['a method', { code: -32601, message: 'the method eth_getProof does not exist' }],
  ['a plan', { code: -32600, message: 'eth_getProof is not available on the Free tier' }],
])('an upstream that lacks %s is not asked for it while another has it', async (_, error) => {
  const lacking: Character = {
    respond: ({ method }) => (method === 'eth_getProof' ? { error: JSON.stringify(error) } : undefined),
  };
  const having: Character = {
    respond: ({ method }) => (method === 'eth_getProof' ? { result: '{}' } : undefined),
  };
  const gateway = new SimulatedGateway([lacking, having]);
  const proof = [call('eth_getProof', ['0x01', [], 'latest'])];
  for (let round = 0; round < 40; round += 1) expect((await ask(gateway, proof)).map(told)).toEqual(['{}']);
  expect(gateway.received(0).length).toBeLessThanOrEqual(2);
});
