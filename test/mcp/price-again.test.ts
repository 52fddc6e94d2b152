/** The price of a tool's call that is worked out again, from what an agent sent and reads, is what was charged. */
import { toolPrice } from '../../lambdas/mcp/price-again.ts';
import { FIRST_PRICE_LIST } from '../../lambdas/shared/bill/price-list.ts';
import { McpWorld } from './mcp-world.ts';

const ADDRESS = `0x${'ab'.repeat(20)}`;

function pricedCall(world: McpWorld, name: string, given: object = {}) {
  const params = { name, arguments: given };
  return priced(world, JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params }));
}

async function priced(world: McpWorld, sent: string) {
  const response = await world.post(sent);
  const mark = response.headers.get('x-cache');
  const told = {
    statusCode: response.status,
    headers: { ...(mark !== null && { 'X-Cache': mark }) },
    body: await response.text(),
  };
  const charged = world.charged.splice(0).reduce((sum, { cu }) => sum + cu, 0);
  return { bounds: toolPrice(sent, told, FIRST_PRICE_LIST), charged, told };
}

test.each([
  ['eth_getBalance', { address: ADDRESS }, { result: '0x10' }, 10],
  ['eth_call', { to: ADDRESS }, { error: { code: 3, message: 'execution reverted', data: '0x' } }, 20],
  ['eth_call', { to: ADDRESS }, { error: { code: 4444, message: 'pruned' } }, 0],
  ['eth_getLogs', { address: ADDRESS, blok: 1 }, { result: [] }, 0],
  ['listChains', {}, {}, 1],
  ['listBlocks', { chain: 'unknown' }, {}, 0],
  ['getAccount', {}, {}, 0],
  ['nothing', {}, {}, 0],
])('%s of %j', async (name, given, answer, cu) => {
  const world = new McpWorld();
  world.response = answer;
  const { bounds, charged } = await pricedCall(world, name, given);
  expect([bounds, charged]).toEqual([{ least: cu, most: cu }, cu]);
});

test('what is no message is free', async () => {
  const { bounds, charged, told } = await priced(new McpWorld(), '{');
  expect([told.statusCode, bounds, charged]).toEqual([400, { least: 0, most: 0 }, 0]);
});

test('an error of a node that is charged is given, though the key was disabled meanwhile: else its bill would be of nothing', async () => {
  const world = new McpWorld();
  world.response = { error: { code: 3, message: 'execution reverted' } };
  world.isActive = false;
  const { charged, told } = await pricedCall(world, 'eth_call', { to: ADDRESS });
  expect([told.statusCode, charged]).toEqual([200, 20]);
});
