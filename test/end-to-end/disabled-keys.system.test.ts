import { setTimeout as sleep } from 'node:timers/promises';
import { result } from '../nodes/replies.ts';
import { type ScriptedNode, startScriptedNode } from '../nodes/scripted-node.ts';
import { MESSAGE_HEADERS, mcpMessage } from './clients/mcp-client.ts';
import { nodeStage } from './nodes/node-stage.ts';
import { type RunningGateway, startGateway, stopGateways, TWO_RUNS_MS } from './running-gateway.ts';

/** A change of a key counts within a second of being asked; the rest is for a busy machine. */
const COUNTS_WITHIN_MS = 120_000;
const LOOK_INTERVAL_MS = 250;
/** What a machine answers that has no time for so many requests at once. */
const BUSY: readonly number[] = [503, 504];

let node: ScriptedNode;
let gateway: RunningGateway;
let key: { readonly key_id: string; readonly api_key: string };

beforeAll(async () => {
  node = await startScriptedNode(result('"0x1"'));
  gateway = await startGateway({ config: nodeStage(node.url) });
  const created = await gateway.operator(['key', 'create', gateway.gatewayJson.demo_account, '--json']);
  key = JSON.parse(created.stdout);
}, TWO_RUNS_MS);

afterAll(async () => {
  await stopGateways();
  await node?.close();
});

interface Route {
  readonly path: string;
  readonly body?: string;
  /** Status that an active key gets. */
  readonly active: number;
}

const call = (method: string) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] });
const batch = `[${Array.from({ length: 101 }, () => call('eth_chainId')).join()}]`;

/** Each route, with what is admitted, and with what is refused before it draws the bucket. */
const ROUTES: readonly Route[] = [
  { path: '/v1/', body: call('eth_chainId'), active: 200 },
  { path: '/v1/', body: call('eth_newFilter'), active: 200 },
  { path: '/v1/', body: '{"jsonrpc":', active: 200 },
  { path: '/v1/', body: batch, active: 200 },
  { path: '/v1/example_mainnet', body: call('eth_chainId'), active: 200 },
  { path: '/v1/data/chains', active: 200 },
  { path: '/v1/data/chains?unknown=1', active: 400 },
  { path: '/v1/data/example_mainnet/nothing', active: 404 },
  { path: '/v1/data', active: 404 },
  { path: '/v1/data/example_mainnet', active: 404 },
  { path: '/v1/account', active: 200 },
  { path: '/v1/account/usage', active: 200 },
  { path: '/v1/account/usage?unknown=1', active: 400 },
  { path: '/v1/account/settlements', active: 200 },
  { path: '/v1/account/lanes?hour=2026-11-20T09', active: 200 },
  { path: '/v1/account/lanes', active: 400 },
  { path: '/v1/account/receipts', active: 400 },
  { path: '/v1/account/credits', active: 200 },
  { path: '/v1/mcp', body: mcpMessage('tools/list'), active: 200 },
  { path: '/v1/mcp', body: mcpMessage('tools/call', { name: 'eth_chainId' }), active: 200 },
  { path: '/v1/mcp', body: mcpMessage('tools/call', { name: 'eth_blockNumber' }), active: 200 },
];

async function ask({ path, body }: Route) {
  const headers = { 'x-api-key': key.api_key, ...MESSAGE_HEADERS };
  const response = await fetch(gateway.baseUrl + path, {
    headers,
    ...(body !== undefined && { method: 'POST', body }),
  });
  return { status: response.status, text: await response.text() };
}

async function setStatus(command: 'enable' | 'disable'): Promise<void> {
  const { code, stderr } = await gateway.operator(['key', command, key.key_id]);
  if (code !== 0) throw new Error(stderr);
}

/** Asks all routes at once, time and again, until all answer so. */
async function untilAll(isSo: (response: Awaited<ReturnType<typeof ask>>, route: Route) => boolean) {
  const deadline = Date.now() + COUNTS_WITHIN_MS;
  for (;;) {
    const responses = await Promise.all(ROUTES.map(ask));
    if (responses.every((response, index) => isSo(response, ROUTES[index] as Route))) return;
    if (Date.now() > deadline) throw new Error(JSON.stringify(responses));
    await sleep(LOOK_INTERVAL_MS);
  }
}

const isUnknown = ({ status, text }: Awaited<ReturnType<typeof ask>>) => status === 404 && text === '';
const isServed = ({ status, text }: Awaited<ReturnType<typeof ask>>, { active }: Route) =>
  status === active && text !== '';

test(
  'a key that is disabled, enabled and disabled again is so on every route, while requests are under way',
  async () => {
    await setStatus('enable');
    await untilAll(isServed);
    const traffic = Array.from({ length: 30 }, async (_, index) => {
      await sleep(index * 100);
      return Promise.all(ROUTES.map(ask));
    });
    await setStatus('disable');
    await untilAll(isUnknown);
    await setStatus('enable');
    await untilAll(isServed);
    await setStatus('disable');
    await untilAll(isUnknown);
    for (const responses of await Promise.all(traffic)) {
      for (const [index, response] of responses.entries()) {
        const { status } = response;
        if (!BUSY.includes(status) && !isUnknown(response))
          expect({ answer: response, isServed: isServed(response, ROUTES[index] as Route) }).toMatchObject({
            isServed: true,
          });
      }
    }
  },
  TWO_RUNS_MS,
);

test('an unknown key looks the same', async () => {
  const unknown = { ...key, api_key: `rgw_${'7'.repeat(64)}` };
  [key] = [unknown];
  for (const response of await Promise.all(ROUTES.map(ask))) expect(isUnknown(response)).toBe(true);
});
