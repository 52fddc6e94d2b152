import { untilTrue } from '../../support/until-true.ts';
import { MESSAGE_HEADERS, mcpMessage } from '../clients/mcp-client.ts';
import type { RunningGateway } from '../running-gateway.ts';

/** A change of a key counts within a second of being asked; the rest is for a busy machine. */
const COUNTS_WITHIN_MS = 120_000;
const LOOK_INTERVAL_MS = 250;
/** What a machine answers that has no time for so many requests at once. */
const BUSY: readonly number[] = [503, 504];

/** Rounds of requests that are under way while the key changes, one after the other. */
const ROUNDS = 12;

let gateway: RunningGateway;
let key: { readonly key_id: string; readonly api_key: string };

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

interface Answered {
  readonly status: number;
  readonly text: string;
}

async function ask({ path, body }: Route): Promise<Answered> {
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

/**
 * Asks all routes: those of each function one after the other, so that a function needs one process for it and not one
 * for each of its routes.
 */
async function askAll(): Promise<Answered[]> {
  const responses: Answered[] = [];
  const lanes = Map.groupBy(ROUTES.keys(), (place) => functionOf(ROUTES[place] as Route));
  await Promise.all(
    [...lanes.values()].map(async (places) => {
      for (const place of places) responses[place] = await ask(ROUTES[place] as Route);
    }),
  );
  return responses;
}

/** What serves a route, as far as paths tell. */
const functionOf = ({ path }: Route) => /^\/v1\/(data|account|mcp)/.exec(path)?.[1] ?? 'rpc';

/** Asks all routes, time and again, until all answer so. */
async function untilAll(isSo: (response: Answered, route: Route) => boolean): Promise<void> {
  let responses: Answered[] = [];
  await untilTrue(
    async () => {
      responses = await askAll();
      return responses.every((response, index) => isSo(response, ROUTES[index] as Route));
    },
    { withinMs: COUNTS_WITHIN_MS, everyMs: LOOK_INTERVAL_MS, failure: () => JSON.stringify(responses) },
  );
}

const isUnknown = ({ status, text }: Answered) => status === 404 && text === '';
const isServed = ({ status, text }: Answered, { active }: Route) => status === active && text !== '';

/** A change of a key counts at once, on every route. */
export function describeDisabledKeys(running: () => RunningGateway): void {
  beforeAll(async () => {
    gateway = running();
    const created = await gateway.operator(['key', 'create', gateway.gatewayJson.demo_account, '--json']);
    key = JSON.parse(created.stdout);
  });

  test(
    'a key that is disabled, enabled and disabled again is so on every route, while requests are under way',
    async () => {
      await setStatus('enable');
      await untilAll(isServed);
      let isOver = false;
      const traffic = (async () => {
        const rounds: Answered[][] = [];
        while (!isOver || rounds.length < ROUNDS) rounds.push(await askAll());
        return rounds;
      })();
      await setStatus('disable');
      await untilAll(isUnknown);
      await setStatus('enable');
      await untilAll(isServed);
      await setStatus('disable');
      await untilAll(isUnknown);
      isOver = true;
      for (const responses of await traffic) {
        for (const [index, response] of responses.entries()) {
          const { status } = response;
          if (!BUSY.includes(status) && !isUnknown(response))
            expect({ answer: response, isServed: isServed(response, ROUTES[index] as Route) }).toMatchObject({
              isServed: true,
            });
        }
      }
    },
    4 * COUNTS_WITHIN_MS,
  );

  test('an unknown key looks the same', async () => {
    const unknown = { ...key, api_key: `rgw_${'7'.repeat(64)}` };
    [key] = [unknown];
    for (const response of await askAll()) expect(isUnknown(response)).toBe(true);
  });
}
