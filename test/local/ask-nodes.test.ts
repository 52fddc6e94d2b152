import type { RequestListener } from 'node:http';
import { json } from 'node:stream/consumers';
import { askNodes } from '../../local/ask-nodes.ts';
import { listen, type TestServer } from '../support/listen.ts';

type AskedChain = Parameters<typeof askNodes>[0][number];

const CHAIN_ID = 7;
const open: TestServer[] = [];
afterEach(async () => {
  for (const { close } of open.splice(0)) await close();
});

async function node(listener: RequestListener): Promise<string> {
  const server = await listen(listener);
  open.push(server);
  return server.url;
}
const nodeOf = (chainId: number) =>
  node(async (request, response) => {
    const { id, method } = (await json(request)) as { id: number; method: string };
    expect(method).toBe('eth_chainId');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: `0x${chainId.toString(16)}` }));
  });
const answering = (status: number, body: string) =>
  node((_, response) => response.writeHead(status, { location: '/other' }).end(body));
async function unreachable(): Promise<string> {
  const { url, close } = await listen();
  await close();
  return `${url}/?key=secret`;
}
const chain = (...upstreams: AskedChain['upstreams']): AskedChain => ({
  chain: 'one',
  chainId: CHAIN_ID,
  upstreams,
});
const ask = (...chains: AskedChain[]) => askNodes(chains, new AbortController().signal, 0);

test('a chain is well if one of its nodes answers, and an embedded one is not asked', async () => {
  const chains = [
    chain(await nodeOf(CHAIN_ID)),
    chain({ url: await unreachable(), priority: 1 }, await nodeOf(CHAIN_ID)),
    chain('embedded'),
  ];
  expect(await ask(...chains)).toEqual([]);
});

test('a node that comes up meanwhile is no trouble', async () => {
  let refused = 0;
  const url = await node((_, response) => {
    if (refused === 0) response.writeHead(503).end();
    else response.end(`{"jsonrpc":"2.0","id":1,"result":"0x7"}`);
    refused += 1;
  });
  expect(await ask(chain(url))).toEqual([]);
  expect(refused).toBe(2);
});

test('each chain without a node is told, with the reason and without the URL', async () => {
  const dead = await unreachable();
  const troubles = await ask(chain(dead), { ...chain(dead, await answering(401, 'no')), chain: 'two' });
  expect(troubles).toEqual([
    { chain: 'one', message: 'its node does not answer (ECONNREFUSED)' },
    { chain: 'two', message: 'none of its nodes answer (ECONNREFUSED, HTTP 401)' },
  ]);
});

test.each([
  [200, '<html>', 'not JSON'],
  [200, 'null', 'no chain id'],
  [200, '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}', 'no chain id'],
  [200, '{"result":"seven"}', 'no chain id'],
  [307, '', 'no answer'],
])('a response that tells no chain: %i %s', async (status, body, reason) => {
  expect(await ask(chain(await answering(status, body)))).toEqual([
    { chain: 'one', message: `its node does not answer (${reason})` },
  ]);
});

test('a node of another chain is told as such', async () => {
  const message = 'its node has chain id 1, but the stage file says chainId 7';
  const troubles = await ask(chain(await unreachable(), await nodeOf(1)));
  expect(troubles).toEqual([{ chain: 'one', message }]);
});

test('a stop is not kept waiting, and prints nothing', async () => {
  const stopping = new AbortController();
  const url = await node(() => stopping.abort());
  expect(await askNodes([chain(url)], stopping.signal)).toEqual([]);
});
