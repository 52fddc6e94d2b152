/** That JSON-RPC is, to a client, what the specification says, however the function is hosted; and what instances promise beside it. */
import { setTimeout as sleep } from 'node:timers/promises';
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
  });

  test('no log holds a key', () => {
    const logged = gateway.logs();
    expect(logged.length).toBeGreaterThan(0);
    expect(logged).not.toContain(gateway.apiKey);
    expect(logged).not.toMatch(/rgw_[0-9a-f]{64}/);
  });
});

describe('requests that share an environment', testInstances);
