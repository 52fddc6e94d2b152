/** That several chains share one key and one balance, each with its own nodes, and that the trouble of one is not that of others. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publicContract, readContract } from '../../api/contract.ts';
import { openRpcDocument } from '../../api/openrpc.ts';
import { describedFor, readDescription } from '../../api/read-description.ts';
import type { StageConfigInput } from '../../lib/config/stage-config.ts';
import { answering, callsOf, closing, type RawResponse, type ReceivedCall } from '../nodes/replies.ts';
import { type ScriptedNode, startScriptedNode } from '../nodes/scripted-node.ts';
import { MESSAGE_HEADERS, mcpMessage } from './clients/mcp-client.ts';
import { testSilentNode } from './nodes/silent-node.ts';
import { operate } from './operator/account.ts';
import { chargedCu } from './operator/charged-cu.ts';
import { type RunningGateway, startGateway, stopGateways, TWO_RUNS_MS } from './running-gateway.ts';

const HEAD = 0x10000;
const NAMES = ['example_mainnet', 'example_testnet', 'example_devnet'] as const;
const BUCKET_CU = 5_000;
/** What the operator's proxy proves itself by. */
const PROOF = 'proof of the tests';

interface JsonBody {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A node whose blocks carry its chain id. */
function responseOf(chainId: number) {
  return ({ method, params = [] }: ReceivedCall): RawResponse => {
    switch (method) {
      case 'eth_blockNumber':
        return { result: `"0x${HEAD.toString(16)}"` };
      case 'eth_chainId':
        return { result: `"0x${chainId.toString(16)}"` };
      case 'eth_getBlockByNumber':
        return { result: JSON.stringify({ number: params[0], chain: chainId, full: params[1] }) };
      default:
        return { result: 'null' };
    }
  };
}

/** For a busy machine. */
const KEPT_WITHIN_MS = 20_000;
const DAY_MS = 86_400_000;

/** Three chains behind one key: their nodes are scripted, the gateway is the product as a person starts it. */
describe('several chains', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chains-'));
  const dataDir = join(folder, 'data');
  let nodes: readonly ScriptedNode[];
  let config: StageConfigInput;
  let gateway: RunningGateway;

  beforeAll(async () => {
    nodes = await Promise.all(NAMES.map((_, index) => startScriptedNode(answering(responseOf(index + 1)))));
    config = {
      stage: 'local',
      chains: NAMES.map((chain, index) => ({
        chain,
        name: chain,
        chainId: index + 1,
        default: index === 0,
        public: index !== 2,
        upstreams: [nodes[index]?.url ?? ''],
        privateUpstreams: true,
        ...(index === 1 ? { methods: { allow: ['eth_*'], deny: ['eth_getLogs'] } } : {}),
      })),
      plans: { standard: { bucketCapacity: BUCKET_CU, refillPerSecond: 1 } },
      defaultPlan: 'standard',
      database: { enabled: false },
      alarms: { enabled: false },
      removal: 'destroy',
      clientAddress: {
        header: 'x-client-address',
        proofHeader: 'x-proxy-proof',
        proofSha256: [createHash('sha256').update(PROOF).digest('hex')],
      },
      // Requests one after the other then meet one process, whose memory they see.
      metering: { storeBeforeAnswer: true },
    };
    gateway = await startGateway({ config, dataDir });
  });

  afterAll(async () => {
    await stopGateways();
    await Promise.all(nodes.map((node) => node.close()));
    rmSync(folder, { recursive: true, force: true });
  });

  const send = async (body: unknown, chain = '') => {
    const response = await fetch(`${gateway.baseUrl}/v1/${chain}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': gateway.apiKey },
      body: JSON.stringify(body),
    });
    const header = (name: string) => response.headers.get(name) ?? '';
    return {
      response: (await response.json()) as JsonBody & JsonBody[],
      cost: Number(header('x-cu-cost')),
      billed: Number(header('x-cu-billed')),
      balance: Number(header('x-cu-balance')),
      remaining: Number(/"cu";r=(\d+)/.exec(header('ratelimit'))?.[1]),
      cache: header('x-cache'),
    };
  };
  const call = (method: string, ...params: readonly unknown[]) => ({ jsonrpc: '2.0', id: 1, method, params });
  const block = (number: number) => call('eth_getBlockByNumber', `0x${number.toString(16)}`, false);
  /** Asks for a block until it is kept: a node may be too slow to tell what is final. */
  const keep = async (number: number, chain = '') => {
    const deadline = Date.now() + KEPT_WITHIN_MS;
    let answered = await send(block(number), chain);
    while (answered.cache !== 'hit' && Date.now() < deadline) answered = await send(block(number), chain);
    return answered;
  };
  const seen = (index: number, method: string) =>
    nodes[index]?.requests.flatMap(({ body }) => callsOf(body)).filter((one) => one.method === method).length;

  test('a final block is asked of its node once, and costs 1 CU from then on', async () => {
    await keep(4);
    const before = seen(0, 'eth_getBlockByNumber') ?? 0;
    const first = await send(block(5));
    expect(first).toMatchObject({ cost: 5, billed: 5, cache: 'miss' });
    const second = await send(block(5));
    expect(second).toMatchObject({ cost: 5, billed: 1, cache: 'hit', balance: first.balance - 1 });
    expect(second.response).toEqual(first.response);
    expect(seen(0, 'eth_getBlockByNumber')).toBe(before + 1);
  });

  test('one key, one bucket and one balance serve all of them', async () => {
    const charged = (least?: number) => chargedCu(gateway, gateway.gatewayJson.demo_account, least);
    const before = await send(call('eth_blockNumber'));
    const chargedBefore = await charged();
    const ids = await Promise.all(NAMES.map((name) => send(call('eth_chainId'), name)));
    expect(ids.map(({ response }) => response.result)).toEqual(['0x1', '0x2', '0x3']);
    const blocks = await Promise.all(NAMES.map((name) => send(block(9), name)));
    expect(blocks.map(({ response }) => response.result)).toEqual(
      [1, 2, 3].map((chain) => ({ number: '0x9', chain, full: false })),
    );
    const after = await send(call('eth_blockNumber'));
    const expected = chargedBefore + 3 * 1 + 3 * 5 + 1;
    expect(await charged(expected)).toBe(expected);
    // The bucket refills by a unit a second: what has been drawn is there to see.
    expect(after.remaining).toBeLessThan(before.remaining);
    expect(after.remaining).toBeGreaterThanOrEqual(before.remaining - 19);
  });

  test('one that is down does not stop another, nor what is kept of it', async () => {
    await keep(11, 'example_testnet');
    nodes[1]?.script(...Array.from({ length: 20 }, () => closing));
    const down = await send(block(12), 'example_testnet');
    expect(down.response.error).toMatchObject({ code: -32000, message: 'upstream unavailable' });
    expect(down.billed).toBe(0);
    expect(gateway.logs()).toMatch(/"event":"upstream_failed".*"chain":"example_testnet"/);
    for (const { url } of nodes) expect(gateway.logs()).not.toContain(url);
    expect(await send(block(11), 'example_testnet')).toMatchObject({ cache: 'hit', billed: 1 });
    expect(await send(block(13), 'example_devnet')).toMatchObject({ cache: 'miss', billed: 5 });
  });

  test('one serves fewer methods, and the list of chains says so', async () => {
    for (const method of ['eth_getLogs', 'net_version', 'debug_traceBlockByNumber']) {
      const { response } = await send(call(method), 'example_testnet');
      expect(response.error).toMatchObject({ code: -32601, message: `method not available: ${method}` });
    }
    expect((await send(call('net_version'), 'example_devnet')).response.error).toBeUndefined();
    const response = await fetch(`${gateway.baseUrl}/v1/chains`);
    const { chains } = (await response.json()) as {
      chains: { chain: string; methods: { allow: string[]; deny: string[] } }[];
    };
    expect(chains.map(({ chain, methods }) => [chain, methods.allow])).toEqual([
      ['example_mainnet', ['eth_*', 'net_*', 'web3_*', 'debug_trace*']],
      ['example_testnet', ['eth_*']],
    ]);
    expect(chains[1]?.methods.deny).toContain('eth_getLogs');
    expect(chains[1]?.methods.deny).toContain('eth_subscribe');
  });

  test.each([
    ['/v1/openapi.json', '/v1/data', describedFor(readDescription(), 'example_mainnet')],
    ['/v1/openrpc.json', '/v1/', openRpcDocument()],
    ['/v1/contract.json', '/v1/', publicContract(readContract())],
  ])('%s is the description of %s, without a key', async (path, described, description) => {
    const url = `${gateway.baseUrl}${path}`;
    const response = await fetch(url);
    expect(response.status).toBe(200);
    const document = (await response.json()) as { readonly servers?: readonly { readonly url: string }[] };
    expect(document).toEqual(JSON.parse(JSON.stringify(description)));
    expect(new URL(document.servers?.[0]?.url ?? './', url).href).toBe(`${gateway.baseUrl}${described}`);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json',
      'content-encoding': expect.stringMatching(/^(br|gzip)$/),
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=3600',
      vary: 'accept-encoding',
    });
    const etag = response.headers.get('etag') ?? '';
    const again = await fetch(url, { headers: { 'if-none-match': `"other", ${etag}` } });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await fetch(url, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(404);
  });

  test.each(['/v1/status', '/v1/chains', '/v1/openapi.json', '/v1/openrpc.json', '/v1/contract.json'])(
    'HEAD %s is answered as GET, without a body',
    async (path) => {
      const url = `${gateway.baseUrl}${path}`;
      const [read, headed] = [await fetch(url), await fetch(url, { method: 'HEAD' })];
      expect([headed.status, await headed.text()]).toEqual([200, '']);
      const ofThisResponse = /^(date|connection|keep-alive|x-request-id|x-amz|content-length)/;
      const kept = ({ headers }: Response) => [...headers].filter(([name]) => !ofThisResponse.test(name));
      expect(kept(headed)).toEqual(kept(read));
      expect(Number(headed.headers.get('content-length'))).toBeGreaterThan(0);
      const etag = headed.headers.get('etag');
      if (etag === null) return;
      const again = await fetch(url, { method: 'HEAD', headers: { 'if-none-match': etag } });
      expect(again.status).toBe(304);
    },
  );

  describe('a key with bounds', () => {
    const OURS = `0x${'a'.repeat(40)}`;
    const FOREIGN = '198.51.100.0/24';
    interface MadeKey {
      readonly key_id: string;
      readonly api_key: string;
    }
    const make = (...bounds: readonly string[]): Promise<MadeKey> =>
      operate(gateway, 'key', 'create', gateway.gatewayJson.demo_account, ...bounds);
    const ask = async (key: MadeKey, path: string, body?: string) => {
      const response = await fetch(`${gateway.baseUrl}${path}`, {
        ...(body !== undefined && { method: 'POST', body }),
        headers: { ...MESSAGE_HEADERS, 'x-api-key': key.api_key },
      });
      const text = await response.text();
      const billed = response.headers.get('x-cu-billed');
      const { status, headers } = response;
      const policy = headers.get('ratelimit-policy');
      return { status, text, type: headers.get('content-type'), billed, policy };
    };
    const rpc = (key: MadeKey, body: unknown, chain = '') => ask(key, `/v1/${chain}`, JSON.stringify(body));
    const tool = (key: MadeKey, name: string, given: object) =>
      ask(key, '/v1/mcp', mcpMessage('tools/call', { name, arguments: given }));
    const EMPTY = { status: 404, text: '', type: 'text/plain' };

    test('is unknown to other interfaces, addresses and times, by the same empty 404', async () => {
      const [onlyRpc, elsewhere, here] = await Promise.all([
        make('--apis', 'rpc'),
        make('--ips', FOREIGN),
        make('--ips', `${FOREIGN},127.0.0.0/8,::1`, '--expires', '2999-01-01'),
      ]);
      const id = call('eth_chainId');
      expect(await ask({ key_id: '', api_key: `rgw_${'0'.repeat(64)}` }, '/v1/data/chains')).toMatchObject(
        EMPTY,
      );
      expect(await ask(onlyRpc, '/v1/data/chains')).toMatchObject(EMPTY);
      expect(await ask(onlyRpc, '/v1/mcp', mcpMessage('tools/list'))).toMatchObject(EMPTY);
      expect(await rpc(onlyRpc, id)).toMatchObject({ status: 200, billed: '1' });
      for (const path of ['/v1/data/chains', '/v1/account', '/v1/account/usage'])
        expect(await ask(elsewhere, path)).toMatchObject(EMPTY);
      expect(await rpc(elsewhere, id)).toMatchObject(EMPTY);
      // What a client says of where it comes from is not read.
      const headers = { 'x-api-key': elsewhere.api_key, 'x-forwarded-for': '198.51.100.7' };
      expect((await fetch(`${gateway.baseUrl}/v1/account`, { headers })).status).toBe(404);
      expect(await rpc(here, id)).toMatchObject({ status: 200, billed: '1' });
      const account = JSON.parse((await ask(here, '/v1/account')).text);
      expect(account.key.bounds).toEqual({
        ips: [FOREIGN, '127.0.0.0/8', '0:0:0:0:0:0:0:1/128'],
        expires_at: '2999-01-01T00:00:00.000Z',
      });
    });

    test('finds other chains unknown, and is refused other methods, operations and contracts, unbilled', async () => {
      const key = await make(
        ...['--chains', 'example_devnet', '--methods', 'eth_chainId,eth_call'],
        ...['--operations', 'listChains', '--contracts', OURS],
      );
      const here = 'example_devnet';
      expect(await rpc(key, call('eth_chainId'))).toMatchObject(EMPTY);
      expect(await rpc(key, call('eth_chainId'), 'example_testnet')).toMatchObject(EMPTY);
      expect(await ask(key, '/v1/data/example_mainnet/blocks/1')).toMatchObject({
        status: 404,
        text: '{"error":{"code":"not_found","message":"unknown chain: example_mainnet"}}',
      });
      expect(await ask(key, `/v1/data/${here}/blocks/1`)).toMatchObject({ status: 403, billed: '0' });
      expect((await ask(key, '/v1/data/chains')).status).toBe(200);
      const foreign = call('eth_call', { to: `0x${'b'.repeat(40)}` }, 'latest');
      const batch = [
        call('eth_chainId'),
        call('eth_blockNumber'),
        foreign,
        call('eth_call', { to: OURS }, 'latest'),
      ];
      const answered = await rpc(key, batch, here);
      expect(answered).toMatchObject({ status: 200, billed: '21' });
      expect((JSON.parse(answered.text) as JsonBody[]).map(({ error }) => error?.code)).toEqual([
        undefined,
        -32601,
        -32602,
        undefined,
      ]);
      expect(await rpc(key, foreign, here)).toMatchObject({ status: 200, billed: '0' });
      const elsewhere = await tool(key, 'eth_call', { chain: 'example_mainnet', to: OURS });
      expect(elsewhere.text).toContain('unknown chain: example_mainnet');
      const other = await tool(key, 'eth_blockNumber', { chain: here });
      expect([other.billed, other.text.includes('method_not_allowed')]).toEqual(['0', true]);
      expect((await tool(key, 'getBlock', { chain: here, number: 1 })).text).toContain('forbidden');
    });

    test("is bound to what the operator's proxy says, and to nothing that a client says", async () => {
      const key = await make('--ips', FOREIGN);
      const status = async (headers: Readonly<Record<string, string>>, path = '/v1/account') => {
        const response = await fetch(`${gateway.baseUrl}${path}`, {
          headers: { ...headers, 'x-api-key': key.api_key },
        });
        return response.status;
      };
      const [address, elsewhere] = ['198.51.100.7', '192.0.2.7'];
      for (const path of ['/v1/account', '/v1/data/chains']) {
        const given = { 'x-client-address': address, 'x-proxy-proof': PROOF };
        expect(await status({ ...given, 'x-client-address': elsewhere }, path)).toBe(404);
        expect(await status({ ...given, 'x-client-address': `${address}, ${address}` }, path)).toBe(404);
        expect(await status({ ...given, 'x-proxy-proof': 'guessed' }, path)).toBe(404);
        expect(await status({ 'x-client-address': address, 'x-forwarded-for': address }, path)).toBe(404);
        expect(await status({ 'x-proxy-proof': PROOF }, path)).toBe(404);
        expect(await status(given, path)).toBe(200);
      }
      const call = { ...MESSAGE_HEADERS, 'x-api-key': key.api_key, 'x-proxy-proof': PROOF };
      const ask = (path: string, body: string) =>
        fetch(`${gateway.baseUrl}${path}`, {
          method: 'POST',
          headers: { ...call, 'x-client-address': address },
          body,
        }).then((response) => response.status);
      expect(await ask('/v1/', '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}')).toBe(200);
      expect(await ask('/v1/mcp', mcpMessage('tools/list'))).toBe(200);
    });

    test('tells its owner what its bounds refused, by reason, and from where', async () => {
      const key = await make(
        ...['--apis', 'rpc', '--methods', 'eth_chainId', '--ips', '127.0.0.0/8,::1'],
        ...['--chains', 'example_mainnet', '--cu-per-day', '1'],
      );
      expect(await ask(key, '/v1/data/chains')).toMatchObject(EMPTY);
      expect((await rpc(key, call('eth_gasPrice'))).text).toContain('method_not_allowed');
      expect(await rpc(key, call('eth_chainId'), 'example_testnet')).toMatchObject(EMPTY);
      expect((await rpc(key, call('eth_chainId'))).status).toBe(200);
      expect((await rpc(key, call('eth_chainId'))).status).toBe(429);
      await operate(gateway, 'key', 'update', key.key_id, '--ips', FOREIGN);
      const changedAt = Date.now();
      while ((await rpc(key, call('eth_gasPrice'))).status !== 404)
        expect(Date.now() - changedAt).toBeLessThan(KEPT_WITHIN_MS);
      await operate(gateway, 'key', 'update', key.key_id, '--clear', 'ips');
      const account = async () => JSON.parse((await ask(key, '/v1/account')).text || '{}');
      let told = await account();
      while (told.key?.refusals?.counts.method === undefined) {
        expect(Date.now() - changedAt).toBeLessThan(2 * KEPT_WITHIN_MS);
        told = await account();
      }
      const { counts, last, since } = told.key.refusals;
      expect(counts).toMatchObject({ api: 1, method: expect.any(Number) });
      expect(last).toEqual({
        reason: expect.any(String),
        address: expect.stringMatching(/^127\.0\.0\.0\/24$|^0:0:0:/),
        at: expect.any(String),
      });
      expect(Date.parse(since)).toBeLessThan(Date.now() - 22 * 3_600_000);
      const shown = await operate(gateway, 'key', 'show', key.key_id);
      expect(shown.refusals).toMatchObject({ counts: { api: 1, method: expect.any(Number) } });
    });

    test('draws its day and no more, and is told when the next one begins, and no time to wait', async () => {
      const [key, slow] = await Promise.all([
        make('--methods', 'eth_chainId,eth_getBalance', '--operations', 'listChains', '--cu-per-day', '12'),
        make('--cu-per-second', '1'),
      ]);
      const balance = call('eth_getBalance', `0x${'b'.repeat(40)}`, 'latest');
      const send = (chain: string, body: unknown) =>
        fetch(`${gateway.baseUrl}/v1/${chain}`, {
          method: 'POST',
          headers: { 'x-api-key': key.api_key },
          body: JSON.stringify(body),
        });
      const resetsAt = () => new Date(Math.floor(Date.now() / DAY_MS + 1) * DAY_MS).toISOString();
      const dayBefore = resetsAt();
      const first = await send('example_devnet', balance);
      expect(first.status).toBe(200);
      expect(first.headers.get('ratelimit-policy')).toContain('"key-day";q=12;w=86400');
      expect(first.headers.get('ratelimit')).toContain('"key-day";r=2;');
      // Larger than what is left: refused whole, and nothing of it is drawn.
      const larger = await send('example_devnet', [call('eth_chainId'), balance]);
      expect([larger.status, larger.headers.get('retry-after')]).toEqual([429, null]);
      expect(larger.headers.get('ratelimit')).toContain('"key-day";r=2;');
      const { error } = (await larger.json()) as { readonly error: { readonly data: object } };
      expect(error).toEqual({
        code: -32005,
        message: 'rate limit exceeded',
        data: { reason: 'key_daily_limit', retryable: false, resets_at: expect.any(String) },
      });
      expect([dayBefore, resetsAt()]).toContain((error.data as { resets_at: string }).resets_at);
      expect((await send('', [call('eth_chainId'), call('eth_chainId')])).status).toBe(200);
      const data = await ask(key, '/v1/data/chains');
      expect(data).toMatchObject({ status: 429, billed: '0' });
      expect(JSON.parse(data.text)).toEqual({
        error: { code: 'key_daily_limit', message: 'rate limit exceeded' },
      });
      const limited = await tool(key, 'eth_getBalance', { address: `0x${'b'.repeat(40)}` });
      expect(limited.text).toContain('key_daily_limit');
      const lowered = await rpc(slow, call('eth_chainId'));
      expect(lowered).toMatchObject({ status: 200, policy: '"cu";q=5000;w=5000' });
    });

    test('is bound by a change while its requests are under way, within ten seconds', async () => {
      const key = await make('--methods', 'eth_chainId');
      const isServed = async () => (await rpc(key, call('eth_chainId'))).text.includes('"result"');
      expect(await isServed()).toBe(true);
      const asking = new AbortController();
      const asked = (async () => {
        while (!asking.signal.aborted) await isServed();
      })();
      await operate(gateway, 'key', 'update', key.key_id, '--methods', 'eth_call');
      asking.abort();
      await asked;
      const changedAt = Date.now();
      while (await isServed()) expect(Date.now() - changedAt).toBeLessThan(KEPT_WITHIN_MS);
    });
  });

  test(
    'a new start finds what was kept, without a node',
    async () => {
      await gateway.stop();
      gateway = await startGateway({ config, dataDir });
      for (const node of nodes) node.script(...Array.from({ length: 20 }, () => closing));
      expect(await keep(5)).toMatchObject({ cache: 'hit', billed: 1 });
      expect(await keep(11, 'example_testnet')).toMatchObject({ cache: 'hit', billed: 1 });
    },
    TWO_RUNS_MS,
  );
});

describe('a node that does not answer', testSilentNode);
