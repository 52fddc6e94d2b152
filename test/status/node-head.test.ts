import { readStatus } from '../../lambdas/status/chain-status.ts';
import { createHeadReader } from '../../lambdas/status/read-heads.ts';
import { hex } from '../nodes/simulated-chain.ts';
import { type Character, SimulatedGateway } from '../nodes/simulated-gateway.ts';
import { CHAIN } from '../rpc/cache/cache-world.ts';

const POLL_MS = 2_000;
const FAIL: Character['fate'] = () => ({ kind: 'failure', error: 'closed' });

function watch(character: Character) {
  const gateway = new SimulatedGateway([character]);
  const readHead = createHeadReader(new Map([[CHAIN.chain, gateway.node]]), gateway.clock);
  const status = () => gateway.clock.until(readStatus([CHAIN], readHead, gateway.clock));
  return { gateway, status };
}

test('the head is the newest block of the node, asked for once in two seconds', async () => {
  const { gateway, status } = watch({});
  const { chains } = await status();
  expect(chains[0]?.head.block).toBe(gateway.chain.head);
  await gateway.clock.pass(POLL_MS - 1);
  await status();
  expect(gateway.received()).toHaveLength(1);
  await gateway.clock.pass(1);
  expect((await status()).chains[0]?.head.block).toBe(gateway.chain.head);
});

test('after a reorganisation the head is that of the chain, within the poll', async () => {
  const character: Character = {};
  const { gateway, status } = watch(character);
  await status();
  character.lag = 300;
  await gateway.clock.pass(POLL_MS);
  const { chains, gateway: told } = await status();
  expect(chains.map(({ head }) => hex(head.block))).toEqual([hex(gateway.chain.head - 300)]);
  expect(told.status).toBe('ok');
});

test('a chain without a known head stays in the list with the last head that was known and its age', async () => {
  const character: Character = {};
  const { gateway, status } = watch(character);
  const { chains: before } = await status();
  character.fate = FAIL;
  await gateway.clock.pass(60_000);
  const { chains, gateway: told } = await status();
  const [first] = before;
  expect(chains).toEqual([{ ...first, head: { ...first?.head, lag_seconds: 60 } }]);
  expect(told.status).toBe('down');
  character.fate = undefined;
  await gateway.clock.pass(POLL_MS);
  expect((await status()).gateway.status).toBe('ok');
});

test('only a chain that never had a head is left out', async () => {
  const { status } = watch({ fate: FAIL });
  expect(await status()).toMatchObject({ gateway: { status: 'down' }, chains: [] });
});

test('a chain whose only node synced is followed again once it no longer does', async () => {
  const syncing: Character['respond'] = ({ method }) =>
    method === 'eth_syncing' ? { result: '{"currentBlock":"0x1"}' } : undefined;
  const character: Character = { lag: 480, respond: syncing };
  const { gateway, status } = watch(character);
  await gateway.clock.until(gateway.node.head.peek(gateway.clock.now() + POLL_MS));
  for (let poll = 0; poll < 3; poll += 1) {
    await status();
    await gateway.clock.pass(POLL_MS);
  }
  Object.assign(character, { lag: 0, respond: undefined });
  await status();
  await gateway.clock.pass(POLL_MS);
  expect((await status()).chains[0]?.head.block).toBe(gateway.chain.head);
});
