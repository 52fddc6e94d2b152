import assert from 'node:assert/strict';
import { type Clause, unseen } from '../clause.ts';
import { expectJson, objectOf } from '../expect-shape.ts';
import type { Probe } from '../probe.ts';
import type { Seen } from '../seen.ts';

const UNKNOWN_KEY = `rgw_${'0'.repeat(64)}`;
const CALL = '{"jsonrpc":"2.0","id":7,"method":"eth_chainId"}';

function post(probe: Probe, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Seen> {
  const body = CALL;
  return probe.send(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
}

function expectResponse(seen: Seen): void {
  assert.equal(seen.status, 200);
  expectJson(seen);
  const { id, result } = objectOf(seen.json, 'the response');
  assert.equal(id, 7);
  assert.match(String(result), /^0x[0-9a-f]+$/);
}

function expectUnknown({ status, text }: Seen): void {
  assert.deepEqual([status, text], [404, '']);
}

/** How a key is presented, and where calls are sent. */
export const AUTHENTICATION_CLAUSES: readonly Clause[] = [
  {
    id: 'endpoints.1',
    words: 'POST `/v1/{api_key}`: JSON-RPC call or batch',
    check: async (probe) => expectResponse(await post(probe, `/v1/${probe.key}`)),
  },
  {
    id: 'endpoints.2',
    words: 'POST `/v1/`: same; key in header `x-api-key` or `Authorization: Bearer <API_KEY>`',
    check: async (probe) => {
      expectResponse(await post(probe, '/v1/', { 'x-api-key': probe.key }));
      expectResponse(await post(probe, '/v1/', { authorization: `Bearer ${probe.key}` }));
    },
  },
  {
    id: 'endpoints.3',
    words: 'The trailing slash is required: without it the server redirects with 301',
    check: async (probe) => {
      const seen = await post(probe, '/v1', { 'x-api-key': probe.key });
      assert.equal(seen.status, 301);
      assert.match(seen.headers.get('location') ?? '', /\/v1\/$/);
    },
  },
  {
    id: 'endpoints.4',
    words: 'clients typically re-issue the redirected request as GET, which fails',
    check: async (probe) => {
      for (const path of ['/v1/', `/v1/${probe.key}`]) {
        const { status } = await probe.send(path, { headers: { 'x-api-key': probe.key } });
        assert.ok(status >= 400, `GET ${path === '/v1/' ? path : '/v1/{api_key}'} is answered by ${status}`);
      }
    },
  },
  {
    id: 'endpoints.5',
    words: 'The Data API is read-only: GET, and no other method',
    check: async (probe) => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
        for (const path of ['/v1/data/chains', `/v1/data/${probe.chain}/blocks/0`]) {
          const headers = { 'x-api-key': probe.key };
          const { status } = await probe.send(path, { method, headers });
          assert.ok(status >= 400 && status < 500, `${method} is answered by ${status}`);
        }
    },
  },
  {
    id: 'authentication.3.1',
    words: 'URL path: `POST /v1/{api_key}` is the first in priority',
    check: async (probe) => {
      expectResponse(await post(probe, `/v1/${probe.key}`, { 'x-api-key': UNKNOWN_KEY }));
      expectUnknown(await post(probe, `/v1/${UNKNOWN_KEY}`, { 'x-api-key': probe.key }));
    },
  },
  {
    id: 'authentication.3.2',
    words: 'Header `x-api-key: <API_KEY>`. When non-empty it wins over Bearer.',
    check: async (probe) => {
      expectResponse(
        await post(probe, '/v1/', { 'x-api-key': probe.key, authorization: `Bearer ${UNKNOWN_KEY}` }),
      );
      expectUnknown(
        await post(probe, '/v1/', { 'x-api-key': UNKNOWN_KEY, authorization: `Bearer ${probe.key}` }),
      );
    },
  },
  {
    id: 'authentication.3.3',
    words: 'Header `Authorization: Bearer <API_KEY>`. Used only when `x-api-key` is absent or empty.',
    check: async (probe) =>
      expectResponse(await post(probe, '/v1/', { 'x-api-key': '', authorization: `Bearer ${probe.key}` })),
  },
  {
    id: 'authentication.4',
    words: 'Data API requests pass the key in header `x-api-key`.',
    check: async (probe) => {
      const seen = await probe.data('/chains');
      assert.equal(seen.status, 200);
    },
  },
  {
    id: 'authentication.6',
    words:
      'A missing, unknown or disabled key returns HTTP 404 with an empty body; the reason is not distinguished.',
    check: async (probe) => {
      const refused = [
        await post(probe, '/v1/'),
        await post(probe, '/v1/', { 'x-api-key': UNKNOWN_KEY }),
        await post(probe, '/v1/', { 'x-api-key': 'rgw_short' }),
        await post(probe, `/v1/${UNKNOWN_KEY}`),
        await probe.send('/v1/data/chains'),
        await probe.send('/v1/data/chains', { headers: { 'x-api-key': UNKNOWN_KEY } }),
        await probe.send(`/v1/data/${probe.chain}/blocks/0`, { headers: { 'x-api-key': UNKNOWN_KEY } }),
      ];
      for (const seen of refused) expectUnknown(seen);
    },
  },
  unseen(
    'authentication.7',
    'When the account balance is zero or negative, the response is HTTP 402 with JSON-RPC code -32020.',
    'the key has a balance',
  ),
];
