/** That JSON-RPC is, to a client, what the specification says, however the function is hosted; and what instances promise beside it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { FetchRequest, JsonRpcProvider } from 'ethers';
import { createPublicClient, http } from 'viem';
import { MAX_BODY_BYTES } from '../../lambdas/shared/jsonrpc/calls.ts';
import type { StageConfigInput } from '../../lib/config/stage-config.ts';
import { hosted, TRIED_HOSTINGS } from './hostings.ts';
import { testInstances } from './instances.ts';
import { chargedSoFar } from './operator/charged-cu.ts';
import { type RunningGateway, startGateway, stopGateways } from './running-gateway.ts';

const STAGE: StageConfigInput = {
  stage: 'local',
  chains: [
    {
      chain: 'example_mainnet',
      name: 'Example Mainnet',
      chainId: 31337,
      default: true,
      upstreams: ['embedded'],
      maxLogsBlockRange: 1000,
    },
  ],
  plans: {
    standard: { bucketCapacity: 5000, refillPerSecond: 300 },
    trickle: { bucketCapacity: 200, refillPerSecond: 1 },
  },
  defaultPlan: 'standard',
  database: { enabled: false },
  alarms: { enabled: false },
  removal: 'destroy',
};

/** Longer than any charge is held back. */
const CHARGED_WITHIN_MS = 15_000;
const CHARGED_LOOK_MS = 200;
/** Longer than an instance trusts what it has read of a balance, also while reads fail. */
const REFUSED_WITHIN_MS = 15_000;

interface Answer {
  readonly jsonrpc: string;
  readonly id: unknown;
  readonly result?: unknown;
  readonly error: {
    readonly code: number;
    readonly message: string;
    readonly data: { readonly reason: string };
  };
}

/** The product as a client sees it: the synthesised stack, its bundles, a real node. */
describe.each(TRIED_HOSTINGS)('JSON-RPC through the running stack, hosting %s', (hosting) => {
  let gateway: RunningGateway;

  beforeAll(async () => {
    gateway = await startGateway({ config: hosted(STAGE, hosting) });
  });

  afterAll(async () => {
    await stopGateways();
  });

  const post = (path: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
    fetch(`${gateway.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      redirect: 'manual',
    });
  const call = (body: string | Uint8Array) => post('/v1/', body, { 'x-api-key': gateway.apiKey });
  /** A charge is held back for its second where the hosting lets it be. */
  const expectCharged = async (account: string, cu: number) => {
    const chargedCu = () => chargedSoFar(gateway, account);
    const deadline = Date.now() + CHARGED_WITHIN_MS;
    while ((await chargedCu()) !== cu && Date.now() < deadline) await sleep(CHARGED_LOOK_MS);
    expect(await chargedCu()).toBe(cu);
  };
  const rpc = (method: string, params: unknown = [], id: unknown = 1) =>
    JSON.stringify({ jsonrpc: '2.0', id, method, params });

  describe('authentication', () => {
    const body = rpc('eth_chainId');
    const unknownKey = `rgw_${'0'.repeat(64)}`;

    test.each([
      ['the path', () => post(`/v1/${gateway.apiKey}`, body)],
      ['x-api-key', () => post('/v1/', body, { 'x-api-key': gateway.apiKey })],
      ['Bearer', () => post('/v1/', body, { authorization: `Bearer ${gateway.apiKey}` })],
      [
        'Bearer behind an empty x-api-key',
        () => post('/v1/', body, { 'x-api-key': '', authorization: `Bearer ${gateway.apiKey}` }),
      ],
      ['a chain and a header', () => post('/v1/example_mainnet', body, { 'x-api-key': gateway.apiKey })],
      [
        'a chain with a slash and a header',
        () => post('/v1/example_mainnet/', body, { 'x-api-key': gateway.apiKey }),
      ],
      ['the path with a slash', () => post(`/v1/${gateway.apiKey}/`, body)],
      ['a chain and the path', () => post(`/v1/example_mainnet/${gateway.apiKey}`, body)],
      [
        'the path before an unknown header key',
        () => post(`/v1/${gateway.apiKey}`, body, { 'x-api-key': unknownKey }),
      ],
    ])('takes the key from %s', async (_, send) => {
      const response = await send();
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 1, result: '0x7a69' });
    });

    test('answers every unusable key and unknown route by the same empty 404', async () => {
      const disabled = JSON.parse(
        (await gateway.operator(['key', 'create', gateway.gatewayJson.demo_account, '--json'])).stdout,
      );
      await gateway.operator(['key', 'disable', disabled.key_id]);
      const responses = await Promise.all([
        post('/v1/', body),
        post('/v1/', body, { 'x-api-key': 'rgw_short' }),
        post('/v1/', body, { 'x-api-key': unknownKey }),
        post('/v1/', body, { 'x-api-key': disabled.api_key }),
        post('/v1/', body, { 'x-api-key': unknownKey, authorization: `Bearer ${gateway.apiKey}` }),
        post(`/v1/${unknownKey}`, body, { 'x-api-key': gateway.apiKey }),
        post('/v1/no_such_chain', body, { 'x-api-key': gateway.apiKey }),
        post(`/v1/no_such_chain/${gateway.apiKey}`, body),
      ]);
      const seen = await Promise.all(
        responses.map(async (response) => ({
          status: response.status,
          body: await response.text(),
          headers: [...response.headers.keys()].sort(),
        })),
      );
      for (const one of seen) expect(one).toEqual({ status: 404, body: '', headers: seen[0]?.headers });
    });

    test.each([
      ['GET', '/v1/'],
      ['PUT', '/v1/'],
      ['GET', `/v1/example_mainnet`],
      ['POST', '/v1/status'],
      ['POST', '/'],
      ['GET', '/v2/status'],
      ['POST', '/v1/a/b/c/d'],
      ['OPTIONS', '/v1/'],
    ])('%s %s is no route: 404, empty, no CORS', async (method, path) => {
      const response = await fetch(`${gateway.baseUrl}${path}`, {
        method,
        headers: { 'x-api-key': gateway.apiKey, origin: 'https://example.com' },
      });
      expect(response.status).toBe(404);
      expect(await response.text()).toBe('');
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    });

    test('sends POST /v1 to /v1/', async () => {
      const response = await post('/v1', body, { 'x-api-key': gateway.apiKey });
      expect(response.status).toBe(301);
      expect(response.headers.get('location')).toBe('/v1/');
    });
  });

  describe('envelope', () => {
    const tooDeep = `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":${'['.repeat(5000)}${']'.repeat(5000)}}`;

    test.each<[string, string | Uint8Array, number, string]>([
      ['an empty body', '', -32700, 'parse error (malformed JSON body)'],
      ['a truncated body', '{"jsonrpc":"2.0","id":1', -32700, 'parse error (malformed JSON body)'],
      ['trailing bytes', `${rpc('eth_chainId')} x`, -32700, 'parse error (malformed JSON body)'],
      ['a byte order mark', `\uFEFF${rpc('eth_chainId')}`, -32700, 'parse error (malformed JSON body)'],
      [
        'invalid UTF-8',
        Buffer.concat([
          Buffer.from('{"jsonrpc":"2.0","id":"'),
          Buffer.from([0xc3, 0x28]),
          Buffer.from('","method":"eth_chainId"}'),
        ]),
        -32700,
        'parse error (malformed JSON body)',
      ],
      ['deep nesting', tooDeep, -32600, 'invalid request'],
      ['an empty batch', '[]', -32600, 'invalid request'],
      ['a number', '1', -32600, 'invalid request'],
      ['no id', '{"jsonrpc":"2.0","method":"eth_chainId"}', -32600, 'invalid request'],
      [
        'a case-folded member',
        '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","METHOD":"debug_traceTransaction"}',
        -32600,
        'invalid request: ambiguous member name',
      ],
      [
        'an escaped duplicate',
        '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","met\\u0068od":"debug_traceTransaction"}',
        -32600,
        'invalid request: ambiguous member name',
      ],
      [
        '101 calls',
        `[${Array.from({ length: 101 }, () => rpc('eth_chainId')).join(',')}]`,
        -32600,
        'batch too large: max 100 calls',
      ],
      ['a filter method', rpc('eth_newFilter', [{}]), -32601, 'method not available: eth_newFilter'],
      ['a foreign method', rpc('anvil_mine'), -32601, 'method not available: anvil_mine'],
    ])('refuses %s, unbilled', async (_, body, code, message) => {
      const response = await call(body);
      const answer = (await response.json()) as Answer;
      expect(response.status).toBe(200);
      expect(answer.error).toMatchObject({ code, message });
      expect(typeof answer.error.data.reason).toBe('string');
      expect(response.headers.get('x-cu-billed')).toBe('0');
    });

    test('answers a body over 2 MiB with 413', async () => {
      const response = await call(rpc('eth_chainId', ['x'.repeat(2 * 1024 * 1024)]));
      expect(response.status).toBe(413);
      expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32600 } });
    });

    test('refuses a range of eth_getLogs that is too large, tags and all', async () => {
      for (const [fromBlock, toBlock] of [
        ['0x0', '0x3e8'],
        ['earliest', '0xffff'],
      ]) {
        const response = await call(rpc('eth_getLogs', [{ fromBlock, toBlock }]));
        expect(await response.json()).toMatchObject({
          error: { code: -32602, message: 'eth_getLogs block range too large: max 1000 blocks' },
        });
      }
      const allowed = await call(rpc('eth_getLogs', [{ fromBlock: 'earliest', toBlock: 'latest' }]));
      expect(await allowed.json()).toEqual({ jsonrpc: '2.0', id: 1, result: [] });
    });

    test('echoes every id byte for byte', async () => {
      const ids = ['12345678901234567890', '1.50', '-0', '1e400', '""', 'null', '"a\\u0041\\n"', '0'];
      for (const id of ids) {
        const response = await call(`{"jsonrpc":"2.0","id":${id},"method":"eth_chainId"}`);
        expect(await response.text()).toBe(`{"jsonrpc":"2.0","id":${id},"result":"0x7a69"}`);
      }
    });

    test('answers a batch in order, each bad element in its place', async () => {
      const response = await call(
        `[${rpc('eth_chainId', [], 7)},1,[],${rpc('nope', [], 'x')},${rpc('net_version', [], 7)},{"jsonrpc":"1.0","id":3}]`,
      );
      const answers = await response.json();
      expect(response.status).toBe(200);
      expect(answers).toEqual([
        { jsonrpc: '2.0', id: 7, result: '0x7a69' },
        expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32600 }) }),
        expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32600 }) }),
        expect.objectContaining({ id: 'x', error: expect.objectContaining({ code: -32601 }) }),
        { jsonrpc: '2.0', id: 7, result: '31337' },
        expect.objectContaining({ id: 3, error: expect.objectContaining({ code: -32600 }) }),
      ]);
      expect(response.headers.get('x-cu-billed')).toBe('11');
    });
  });

  describe('metering', () => {
    const operator = async (...args: string[]) =>
      JSON.parse((await gateway.operator([...args, '--json'])).stdout);
    const newKey = async (credit: number, plan?: string) => {
      const { account } = await operator(
        'account',
        'create',
        ...(plan === undefined ? [] : ['--plan', plan]),
        ...(credit > 0 ? ['--credit', String(credit)] : []),
      );
      const { api_key } = await operator('key', 'create', account);
      return { account, headers: { 'x-api-key': api_key } };
    };

    test('says what a call costs, and charges exactly that', async () => {
      const { account, headers } = await newKey(1000);
      const response = await post('/v1/', rpc('eth_getBlockByNumber', ['latest', false]), headers);
      expect(response.headers.get('x-cu-cost')).toBe('5');
      expect(response.headers.get('x-cu-billed')).toBe('5');
      expect(response.headers.get('x-cu-balance')).toBe('995');
      expect(response.headers.get('ratelimit')).toMatch(/^"cu";r=\d+;t=\d+/);
      await expectCharged(account, 5);
      const shown = await operator('account', 'show', account);
      expect(shown).toMatchObject({ granted_cu: 1000, charged_cu: 5, balance_cu: 995 });
      expect(Object.values(shown.pending_cu)).toEqual([5]);
    });

    test('bills a node error, but not a refused call', async () => {
      const { account, headers } = await newKey(1000);
      const response = await post(
        '/v1/',
        `[${rpc('eth_getBalance', ['not an address'])},${rpc('eth_subscribe')}]`,
        headers,
      );
      const answers = (await response.json()) as Answer[];
      expect(answers[0]?.error.code).toBe(-32602);
      expect(response.headers.get('x-cu-billed')).toBe('10');
      await expectCharged(account, 10);
    });

    test('answers 402 once the balance is used up', async () => {
      const { account, headers } = await newKey(4);
      expect((await post('/v1/', rpc('eth_getBlockByNumber', ['latest', false]), headers)).status).toBe(200);
      await expectCharged(account, 5);
      // Another process admits by a reading of the balance for up to three seconds.
      const ask = () => post('/v1/', rpc('eth_chainId', [], 9), headers);
      const deadline = Date.now() + REFUSED_WITHIN_MS;
      let refused = await ask();
      while (refused.status === 200 && Date.now() < deadline) {
        await sleep(CHARGED_LOOK_MS);
        refused = await ask();
      }
      expect(refused.status).toBe(402);
      expect(await refused.json()).toMatchObject({
        jsonrpc: '2.0',
        id: 9,
        error: { code: -32020, message: 'insufficient balance', data: { reason: 'insufficient_balance' } },
      });
      expect(refused.headers.get('retry-after')).toBeNull();
    });

    test('answers 429 for a request that can never fit, without Retry-After', async () => {
      const { headers } = await newKey(1_000_000);
      const batch = `[${Array.from({ length: 100 }, (_, id) => rpc('debug_traceTransaction', ['0x00'], id)).join(',')}]`;
      const refused = await post('/v1/', batch, headers);
      expect(refused.status).toBe(429);
      expect(await refused.json()).toMatchObject({
        id: null,
        error: {
          code: -32005,
          message: expect.stringMatching(/^request cost 20000 CU exceeds burst capacity \d+ CU$/),
        },
      });
      expect(refused.headers.get('retry-after')).toBeNull();
    });

    test('admits exactly the capacity of a bucket, then 429 with Retry-After', async () => {
      const { account, headers } = await newKey(10_000_000, 'trickle');
      const responses = await Promise.all(
        Array.from({ length: 30 }, (_, id) =>
          post('/v1/', rpc('eth_getBalance', [`0x${'00'.repeat(20)}`, 'latest'], id), headers),
        ),
      );
      const admitted = responses.filter((response) => response.status === 200);
      const refused = responses.filter((response) => response.status === 429);
      expect(admitted).toHaveLength(20);
      expect(refused).toHaveLength(10);
      for (const response of refused) {
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
        expect(await response.json()).toMatchObject({
          error: {
            code: -32005,
            message: 'rate limit exceeded',
            data: { reason: 'rate_limited', limit: 'cu' },
          },
        });
      }
      // One process answers them all from what it has learnt from the first, where it takes them at a time.
      const billed = admitted.map((response) => Number(response.headers.get('x-cu-billed')));
      await expectCharged(
        account,
        billed.reduce((sum, cu) => sum + cu, 0),
      );
    });

    test('stops a disabled key at once', async () => {
      const { account } = await newKey(1000);
      const key = await operator('key', 'create', account);
      const headers = { 'x-api-key': key.api_key };
      expect((await post('/v1/', rpc('eth_chainId'), headers)).status).toBe(200);
      await operator('key', 'disable', key.key_id);
      expect((await post('/v1/', rpc('eth_chainId'), headers)).status).toBe(404);
    });
  });

  test('a key that sends large requests for nothing has to wait for a moment, and then gets what its balance says', async () => {
    const operator = async (...args: string[]) =>
      JSON.parse((await gateway.operator([...args, '--json'])).stdout);
    const { account } = await operator('account', 'create');
    const headers = { 'x-api-key': (await operator('key', 'create', account)).api_key };
    const garbage = `{"jsonrpc":"2.0","id":"${'x'.repeat(MAX_BODY_BYTES - 1_024)}"`;
    let refused: Response | undefined;
    // Each process has a limit of its own.
    for (let sent = 0; sent < 100 && refused?.status !== 429; sent++) {
      refused = await post('/v1/', garbage, headers);
      expect([200, 429]).toContain(refused.status);
    }
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(refused?.headers.get('x-cu-billed')).toBe('0');
    expect(await refused?.json()).toMatchObject({
      id: null,
      error: {
        code: -32005,
        message: 'rate limit exceeded',
        data: { reason: 'rate_limited', retryable: true, limit: 'unmetered' },
      },
    });
    expect((await call(rpc('eth_chainId'))).status).toBe(200);
    const deadline = Date.now() + 20_000;
    const ask = async () => (await post('/v1/', rpc('eth_chainId'), headers)).status;
    let status = await ask();
    for (; status === 429 && Date.now() < deadline; status = await ask()) await sleep(200);
    expect(status).toBe(402);
  });

  describe('clients', () => {
    test('viem tells the status of a key that is refused', async () => {
      const client = createPublicClient({
        transport: http(`${gateway.baseUrl}/v1/rgw_${'0'.repeat(64)}`, { retryCount: 0 }),
      });
      await expect(client.getChainId()).rejects.toMatchObject({ status: 404 });
    });

    const ADDRESS = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

    test('viem, single and batch', async () => {
      const headers = { 'x-api-key': gateway.apiKey };
      for (const batch of [false, true]) {
        const client = createPublicClient({
          transport: http(`${gateway.baseUrl}/v1/`, { batch, fetchOptions: { headers } }),
        });
        const [chainId, block, balance] = await Promise.all([
          client.getChainId(),
          client.getBlock(),
          client.getBalance({ address: ADDRESS }),
        ]);
        expect(chainId).toBe(31337);
        expect(block.number).toBeGreaterThanOrEqual(0n);
        expect(balance).toBeGreaterThan(0n);
      }
    });

    test('ethers, single and batch', async () => {
      for (const batchMaxCount of [1, 100]) {
        const request = new FetchRequest(`${gateway.baseUrl}/v1/`);
        request.setHeader('x-api-key', gateway.apiKey);
        const provider = new JsonRpcProvider(request, 31337, { batchMaxCount, staticNetwork: true });
        const [block, balance] = await Promise.all([provider.getBlockNumber(), provider.getBalance(ADDRESS)]);
        expect(block).toBeGreaterThanOrEqual(0);
        expect(balance).toBeGreaterThan(0n);
        provider.destroy();
      }
    });
  });

  test('no log holds a key', () => {
    const logged = gateway.logs();
    expect(logged.length).toBeGreaterThan(0);
    expect(logged).not.toContain(gateway.apiKey);
    expect(logged).not.toMatch(/rgw_[0-9a-f]{64}/);
  });
});

describe('requests that share an environment', testInstances);
