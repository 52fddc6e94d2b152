// The numbers of `safe` and `finalized`, as one process without a shared store learns them from its nodes.
import { TAG_MAX_AGE_MS } from '../../../../lambdas/shared/upstream/routing/chain-tags.ts';
import { hex } from '../../../nodes/simulated-chain.ts';
import { type Character, SimulatedGateway } from '../../../nodes/simulated-gateway.ts';

/** A node whose finalized block is that number. */
function finalizedAt(number: () => number): Character['respond'] {
  return ({ method, params }) =>
    method === 'eth_getBlockByNumber' && params?.[0] === 'finalized'
      ? { result: JSON.stringify({ number: hex(number()) }) }
      : undefined;
}

/** Questions for the finalized block that nodes got. */
function questions(gateway: SimulatedGateway): number {
  return gateway.received().filter(({ params }) => params?.[0] === 'finalized').length;
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
  expect(questions(gateway)).toBe(1);
  await gateway.clock.pass(TAG_MAX_AGE_MS / 2);
  expect(await read(gateway)).toBe(3_000n);
  await gateway.clock.pass(TAG_MAX_AGE_MS / 2);
  expect(await read(gateway)).toBe(3_100n);
  expect(questions(gateway)).toBe(2);
});

test('many requests at once share one question', async () => {
  const gateway = new SimulatedGateway([{ respond: finalizedAt(() => 5), latencyMs: () => 20 }]);
  const { head } = gateway.node;
  const deadline = gateway.clock.now() + 1_000;
  await gateway.clock.until(Promise.all([1, 2, 3].map(() => head.tagged('finalized', deadline))));
  expect(questions(gateway)).toBe(1);
});

test('another node is asked if one does not say, and none that is behind', async () => {
  const gateway = new SimulatedGateway([
    { lag: 500, respond: finalizedAt(() => 1) },
    { respond: ({ params }) => (params?.[0] === 'finalized' ? { result: 'null' } : undefined) },
    { respond: finalizedAt(() => 7) },
  ]);
  expect(await read(gateway)).toBe(7n);
});

test('of two nodes one alone is not most of them, unless the other is out of use', async () => {
  let isSilent = false;
  const silent: Character['fate'] = () =>
    isSilent ? { kind: 'failure', error: 'closed' } : { kind: 'answer' };
  const gateway = new SimulatedGateway([
    { respond: finalizedAt(() => 9_000) },
    { respond: finalizedAt(() => 5), fate: silent },
  ]);
  expect(await read(gateway)).toBe(5n);
  isSilent = true;
  await gateway.clock.pass(TAG_MAX_AGE_MS * 4);
  expect(await read(gateway)).toBe(5n);
  gateway.node.upstreams[1]?.health.exclude();
  await gateway.clock.pass(TAG_MAX_AGE_MS * 4);
  expect(await read(gateway)).toBe(9_000n);
});

test.each<[string, Character]>([
  ['null', { respond: ({ params }) => (params?.[0] === 'finalized' ? { result: 'null' } : undefined) }],
  [
    'an error',
    {
      respond: ({ params }) =>
        params?.[0] === 'finalized' ? { error: '{"code":-39001,"message":"unknown block"}' } : undefined,
    },
  ],
  [
    'nothing',
    {
      fate: (calls) =>
        calls.some(({ params }) => params?.[0] === 'finalized') ? { kind: 'stall' } : { kind: 'answer' },
    },
  ],
])('a node that answers %s says no number, and is not asked again at once', async (_name, character) => {
  const gateway = new SimulatedGateway([character]);
  expect(await read(gateway)).toBeUndefined();
  expect(await read(gateway)).toBeUndefined();
  expect(questions(gateway)).toBe(1);
  await gateway.clock.pass(TAG_MAX_AGE_MS * 2);
  await read(gateway);
  expect(questions(gateway)).toBe(2);
});
