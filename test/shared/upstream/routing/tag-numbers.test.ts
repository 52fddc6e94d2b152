import { TAG_MAX_AGE_MS } from '../../../../lambdas/shared/upstream/routing/tag-numbers.ts';
import { hex } from '../../../nodes/simulated-chain.ts';
import { type Character, SimulatedGateway } from '../../../nodes/simulated-gateway.ts';

/** A node whose finalized block is that number. */
function finalizedAt(number: () => number): Character['respond'] {
  return ({ method, params }) =>
    method === 'eth_getBlockByNumber' && params?.[0] === 'finalized'
      ? { result: JSON.stringify({ number: hex(number()) }) }
      : undefined;
}

function read(
  gateway: SimulatedGateway,
  tag: 'safe' | 'finalized' = 'finalized',
): Promise<bigint | undefined> {
  return gateway.clock.until(gateway.node.head.tagged(tag, gateway.clock.now() + 10_000));
}

test('the number of a tag is that of a node, and is remembered for seconds', async () => {
  let finalized = 3_000;
  const gateway = new SimulatedGateway([{ respond: finalizedAt(() => finalized) }]);
  expect(await read(gateway)).toBe(3_000n);
  finalized = 3_100;
  await gateway.clock.pass(TAG_MAX_AGE_MS - 1);
  expect(await read(gateway)).toBe(3_000n);
  expect(gateway.received().length).toBe(1);
  await gateway.clock.pass(1);
  expect(await read(gateway)).toBe(3_100n);
});

test('many requests at once share one question', async () => {
  const gateway = new SimulatedGateway([{ respond: finalizedAt(() => 5), latencyMs: () => 20 }]);
  const { head } = gateway.node;
  const deadline = gateway.clock.now() + 1_000;
  await gateway.clock.until(Promise.all([1, 2, 3].map(() => head.tagged('finalized', deadline))));
  expect(gateway.received().length).toBe(1);
});

test('another node is asked if one does not say, and none that is behind', async () => {
  const gateway = new SimulatedGateway([
    { priority: 0, lag: 50, respond: finalizedAt(() => 1) },
    { priority: 1, respond: () => undefined, fate: (calls) => failing(calls.length) },
    { priority: 2, respond: finalizedAt(() => 7) },
  ]);
  expect(await read(gateway)).toBe(7n);
  expect(gateway.upstreams.map(({ received }) => received.length)).toEqual([0, 1, 1]);
});

/** Polls, which are of two calls, are answered. */
function failing(calls: number) {
  return calls === 1 ? ({ kind: 'failure', error: 'closed' } as const) : ({ kind: 'answer' } as const);
}

test.each<[string, Character]>([
  ['null', { respond: ({ method }) => (method === 'eth_getBlockByNumber' ? { result: 'null' } : undefined) }],
  [
    'an error',
    {
      respond: ({ method }) =>
        method === 'eth_getBlockByNumber'
          ? { error: '{"code":-39001,"message":"unknown block"}' }
          : undefined,
    },
  ],
  ['nothing', { fate: (calls) => (calls.length === 1 ? { kind: 'stall' } : { kind: 'answer' }) }],
])('a node that answers %s says no number, and is not asked again at once', async (_name, character) => {
  const gateway = new SimulatedGateway([character]);
  expect(await read(gateway)).toBeUndefined();
  expect(await read(gateway)).toBeUndefined();
  expect(gateway.received().length).toBe(1);
  await gateway.clock.pass(1_000);
  await read(gateway);
  expect(gateway.received().length).toBe(2);
});
