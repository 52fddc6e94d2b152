/** A cached response costs 1 CU and says so; the bucket is drawn by the full price. */
import type { Admission, KeyHolder, MethodUsage, Price } from '../../lambdas/access/contract/metering.ts';
import { UnbilledErrors } from '../../lambdas/rpc/billing/call-usage.ts';
import { ResponseCache } from '../../lambdas/rpc/cache/response-cache.ts';
import { handleRequest, type RequestMeter } from '../../lambdas/rpc/handle-request.ts';
import type { RpcResponse } from '../../lambdas/rpc/response/rpc-response.ts';
import { UpstreamError } from '../../lambdas/shared/http/upstream-error.ts';
import { openChainUpstreams } from '../../lambdas/shared/upstream/chain-upstreams.ts';
import type {
  NodeConnection,
  NodeRequest,
} from '../../lambdas/shared/upstream/connection/node-connection.ts';
import { type ChainClient, createChainClient } from '../../lambdas/shared/upstream/routing/chain-client.ts';
import { callsOf } from '../nodes/replies.ts';
import { stillHead } from '../support/still-head.ts';
import { CHAIN, hashOf } from './cache/cache-world.ts';
import { MemoryCacheStore } from './cache/memory-cache-store.ts';

const HOLDER: KeyHolder = { keyId: 'k', account: 'a' };
const NOW = 1_000_000_000_000;

const HEAD = stillHead(100_000n, 99_744n);

let node: ChainClient;
let store: MemoryCacheStore;
let cache: ResponseCache;
let admitted: Price[];
let charges: { readonly cu: number; readonly usage: readonly MethodUsage[] }[];
let requests: NodeRequest[];
/** Ends before the node answers. */
let gate: Promise<void>;
let admission: Admission;
/** Runs once something was admitted or refused. */
let onAdmitted: () => void;
/** Whether answers to more than one call are too large. */
let isCrowded: boolean;
/** Number of the newest block that the node has. */
let newest: string;

beforeEach(() => {
  store = new MemoryCacheStore();
  const clock = { now: () => NOW };
  const { maxResponseBytes } = CHAIN;
  node = createChainClient(openChainUpstreams([{ name: 'only', connection }], { clock, maxResponseBytes }));
  cache = new ResponseCache({ clock, store });
  admitted = [];
  charges = [];
  requests = [];
  gate = Promise.resolve();
  newest = '0x1000';
  admission = { admitted: true, balanceCu: 1_000n, limits: [] };
  onAdmitted = () => {};
  isCrowded = false;
});

const unbilledErrors = new UnbilledErrors({ now: () => NOW });
const meter: RequestMeter = {
  expectsAdmission: () => false,
  noteRefusal: () => {},
  usedUpBalance: async () => undefined,
  admit: async (_: KeyHolder, price: Price) => {
    admitted.push(price);
    const given = admission;
    onAdmitted();
    return given;
  },
  charge: (_: KeyHolder, cu: number, usage: readonly MethodUsage[]) => {
    charges.push({ cu, usage });
    return { lane: undefined, store: async () => 'stored' };
  },
};

/** Answers blocks by their numbers and fails everything else by a revert. */
const connection: NodeConnection = {
  maxResponseBytes: CHAIN.maxResponseBytes,
  reserveIds: () => 1,
  close: () => {},
  async post(request) {
    requests.push(request);
    await gate;
    if (isCrowded && callsOf(request.body).length > 1) {
      throw new UpstreamError('too_large', { sent: true, reusedSocket: false });
    }
    const responses = callsOf(request.body).map(({ id, method, params }) => {
      const told =
        method === 'eth_getBlockByNumber'
          ? { result: { number: params?.[0] === 'latest' ? newest : params?.[0] } }
          : { error: { code: 3, message: 'execution reverted' } };
      return { jsonrpc: '2.0', id, ...told };
    });
    const batch = request.body[0] === '['.charCodeAt(0);
    return { status: 200, body: Buffer.from(JSON.stringify(batch ? responses : responses[0])) };
  },
};

async function ask(body: unknown): Promise<RpcResponse> {
  const response = await handleRequest(
    {
      holder: HOLDER,
      chain: { settings: CHAIN, node, head: HEAD, unbilledErrors },
      body: Buffer.from(JSON.stringify(body)),
      deadline: NOW + 20_000,
    },
    meter,
    cache,
  );
  if (response === undefined) throw new Error('no answer');
  await response.conclude?.();
  return response;
}

const block = (number: string, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'eth_getBlockByNumber',
  params: [number, false],
});
const revert = { jsonrpc: '2.0', id: 9, method: 'eth_call', params: [{ to: hashOf(1) }, 'latest'] };
const textOf = ({ body }: RpcResponse) => Buffer.concat(body).toString();

test('a kept response is billed 1, with the id of its own call; the bucket paid the full price', async () => {
  await ask(block('0x5', 1));
  const second = await ask(block('0x5', '1e400'));
  expect(textOf(second)).toBe('{"jsonrpc":"2.0","id":"1e400","result":{"number":"0x5"}}');
  expect(second.headers).toMatchObject({
    'X-CU-Cost': '5',
    'X-CU-Billed': '1',
    'X-CU-Balance': '999',
    'X-Cache': 'hit',
  });
  expect(admitted).toEqual([{ cu: 5 }, { cu: 5 }]);
  const line = { chain: CHAIN.chain, method: 'eth_getBlockByNumber', calls: 1, errors: 0 };
  expect(charges).toEqual([
    { cu: 5, usage: [{ ...line, cu: 5, cached: 0 }] },
    { cu: 1, usage: [{ ...line, cu: 1, cached: 1 }] },
  ]);
});

test('the newest block of a chain that went back is what the node has now, and billed as that', async () => {
  const first = await ask(block('latest'));
  expect(first.headers).toMatchObject({ 'X-CU-Billed': '5', 'X-Cache': 'miss' });
  newest = '0xfff';
  const again = await ask([block('latest'), block('latest', 2), revert]);
  expect(textOf(again)).toContain('{"jsonrpc":"2.0","id":2,"result":{"number":"0xfff"}}');
  expect(again.headers).toMatchObject({ 'X-CU-Billed': '26', 'X-Cache': 'miss, hit, miss' });
  expect(store.writes).toEqual([]);
});

test('a batch has a mark for each call, and errors of the node are billed and not kept', async () => {
  await ask(block('0x5'));
  const batch = [block('0x5'), revert, { jsonrpc: '2.0', id: 2, method: 'eth_subscribe' }, block('0x6'), {}];
  const first = await ask(batch);
  expect(first.headers).toMatchObject({ 'X-Cache': 'hit, miss, -, miss, -', 'X-CU-Billed': '26' });
  const second = await ask(batch);
  expect(second.headers).toMatchObject({ 'X-Cache': 'hit, miss, -, hit, -', 'X-CU-Billed': '22' });
  expect(textOf(second)).toBe(textOf(first));
});

test('equal requests at once make one request to the node: the first is billed its weight, each further one 1 CU', async () => {
  const opened = Promise.withResolvers<void>();
  gate = opened.promise;
  const responses = [ask(revert), ask(revert), ask([revert, block('0x5'), revert])];
  // All of them have got as far as they can.
  for (let turns = 0; turns < 50; turns++) await new Promise((resolve) => setImmediate(resolve));
  opened.resolve();
  const answered = await Promise.all(responses);
  expect(answered.map(({ headers }) => headers['X-CU-Cost'])).toEqual(['20', '20', '45']);
  expect(answered.map(({ headers }) => headers['X-CU-Billed'])).toEqual(['20', '1', '7']);
  expect(answered.map(({ headers }) => headers['X-Cache'])).toEqual(['miss', 'hit', 'hit, miss, hit']);
  expect(requests.flatMap(({ body }) => callsOf(body)).map(({ method }) => method)).toEqual([
    'eth_call',
    'eth_getBlockByNumber',
  ]);
});

describe('calls whose answers are too large together', () => {
  const batch = [block('0x5'), block('0x6', 2)];
  beforeEach(() => {
    isCrowded = true;
  });

  test('draw the bucket again before they are sent again, and are billed once', async () => {
    const response = await ask(batch);
    expect(textOf(response)).toContain('{"jsonrpc":"2.0","id":2,"result":{"number":"0x6"}}');
    expect(response.headers).toMatchObject({ 'X-CU-Cost': '20', 'X-CU-Billed': '10' });
    expect(admitted).toEqual([{ cu: 10 }, { cu: 10 }]);
  });

  test('are not sent again if the bucket has no more', async () => {
    const refused: Admission = {
      admitted: false,
      refusal: { reason: 'rate_limited', limit: 'cu', retryAfterMs: 1_000, limits: [] },
    };
    onAdmitted = () => {
      admission = refused;
    };
    const response = await ask(batch);
    expect(textOf(response).match(/upstream response too large/g)).toHaveLength(2);
    expect(response.headers).toMatchObject({ 'X-CU-Cost': '10', 'X-CU-Billed': '0' });
    expect(requests).toHaveLength(1);
  });
});

test('a request that is refused is not looked up', async () => {
  admission = { admitted: false, refusal: { reason: 'insufficient_balance', balanceCu: 0n } };
  const refused = await ask(block('0x5'));
  expect(refused.status).toBe(402);
  expect(refused.headers['X-Cache']).toBeUndefined();
  expect([store.reads, requests, charges]).toEqual([[], [], []]);
});

test('a request of which nothing may be sent has no marks', async () => {
  const response = await ask({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe' });
  expect(response.headers).toEqual({ 'X-CU-Cost': '0', 'X-CU-Billed': '0', 'X-Chain-Head': '100000' });
});
