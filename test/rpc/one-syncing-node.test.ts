/** A node that syncs is still sent what acts. */
import type { ReceivedCall } from '../nodes/replies.ts';
import { type Character, call, SimulatedGateway } from '../nodes/simulated-gateway.ts';

const NEWEST = call('eth_getBlockByNumber', ['latest', false]);
const TRANSACTION = call('eth_sendRawTransaction', ['0x02']);
const BLOCKS_OF_TWO_MINUTES = 480;
const HASH = `"0x${'ab'.repeat(32)}"`;

/** A chain whose only node says whether it syncs, and takes transactions all the same. */
async function syncing(fate?: Character['fate']) {
  let isSyncing = true;
  const node: Character = {
    fate,
    lag: BLOCKS_OF_TWO_MINUTES,
    respond: ({ method }) => {
      if (method === 'eth_syncing') return { result: isSyncing ? '{"currentBlock":"0x1"}' : 'false' };
      return method === 'eth_sendRawTransaction' ? { result: HASH } : undefined;
    },
  };
  const gateway = new SimulatedGateway([node]);
  await gateway.clock.until(gateway.node.head.peek(gateway.clock.now() + 1_000));
  const recover = async () => {
    isSyncing = false;
    node.lag = 0;
    await gateway.clock.pass(2_500);
  };
  return { gateway, recover };
}

test('is sent what acts: it knows best whether it takes it', async () => {
  const { gateway, recover } = await syncing();
  expect(await gateway.send([TRANSACTION])).toEqual([HASH]);
  await recover();
  expect(await gateway.send([TRANSACTION])).toEqual([HASH]);
  expect((await gateway.send([NEWEST]))[0]).toMatch(/^\{"number":/);
});

test('is limited as any other: what acts is told so, and when to come again', async () => {
  const isTransaction = ({ method }: ReceivedCall) => method === 'eth_sendRawTransaction';
  const { gateway } = await syncing((calls) =>
    calls.some(isTransaction) ? { kind: 'response', status: 429, body: '' } : { kind: 'answer' },
  );
  expect(await gateway.send([TRANSACTION])).toEqual(['gateway_overloaded']);
  const [response] = await gateway.clock.until(gateway.start([TRANSACTION]));
  expect(response).toMatchObject({
    error: { reason: 'gateway_overloaded', details: { rule: 'upstreams_limited' } },
  });
});
