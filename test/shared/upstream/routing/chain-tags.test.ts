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
