/** A node that the index asks beside the one that it reads keeps to its calls a second, which clients use as well. */
import { createStickyUpstream } from '../../../lambdas/indexer/fetch/sticky-upstream.ts';
import type { ChainReader } from '../../../lambdas/indexer/follow/chain-reader.ts';
import { createStickyReader } from '../../../lambdas/indexer/follow/sticky-reader.ts';
import { askWhoHas } from '../../../lambdas/indexer/proof/hash-votes.ts';
import { call, SimulatedGateway } from '../../nodes/simulated-gateway.ts';

const CALLS_PER_SECOND = 4;
const CALL = call('eth_call', [{ to: `0x${'11'.repeat(20)}` }, '0x1']);

/** Clients get what the second node has left; the index reads the first. */
function world() {
  const gateway = new SimulatedGateway([{ priority: 1 }, { callsPerSecond: CALLS_PER_SECOND }]);
  const { clock, node, telemetry } = gateway;
  const connection = createStickyUpstream(node.upstreams, () => {});
  const timing = { clock, wait: clock.wait };
  const reader = createStickyReader({ connection, form: { traces: false }, ...timing });
  const operatorOf = async (upstream: string) => upstream;
  const voting = { ...timing, chain: 'one', node: connection, operatorOf, telemetry, proof: undefined };
  const block = { number: 9_000, hash: `0x${'22'.repeat(32)}` } as const;
  return { gateway, reader, voting, block, deadline: () => clock.now() + 20_000 };
}

type World = ReturnType<typeof world>;

const toSecond = ({ gateway }: World) => gateway.received(1).length;

/** Sends so many calls of clients at once, one by one. */
async function ask({ gateway }: World, calls: number): Promise<void> {
  for (let sent = 0; sent < calls; sent += 1)
    expect(await gateway.ask([CALL])).toEqual([expect.objectContaining({ kind: 'result' })]);
}

describe.each([
  ['its head', ({ reader, deadline }: World) => reader.head({ deadline: deadline() }), 1],
  [
    'whether a block is gone',
    ({ reader, block, deadline }: World) =>
      (reader.isGone as NonNullable<ChainReader['isGone']>)(block, { deadline: deadline() }),
    3,
  ],
  ['the hash of a block', ({ voting, block }: World) => askWhoHas(voting, 'upstream-1', block), 1],
] as const)('asked for %s', (_, question, calls) => {
  test('it is left out while clients have used its calls up, and asked again later', async () => {
    const here = world();
    const { clock } = here.gateway;
    await ask(here, CALLS_PER_SECOND);
    expect(toSecond(here)).toBe(CALLS_PER_SECOND);
    const startedAt = clock.now();
    await clock.until(Promise.resolve(question(here)));
    expect([toSecond(here), clock.now() - startedAt]).toEqual([CALLS_PER_SECOND, 0]);
    await clock.pass(60_000);
    await clock.until(Promise.resolve(question(here)));
    expect(toSecond(here)).toBe(CALLS_PER_SECOND + calls);
  });

  test('what it is asked is off what clients get of it', async () => {
    const here = world();
    await here.gateway.clock.until(Promise.resolve(question(here)));
    expect(toSecond(here)).toBe(calls);
    await ask(here, CALLS_PER_SECOND);
    expect(toSecond(here)).toBe(CALLS_PER_SECOND);
  });
});
