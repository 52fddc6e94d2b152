import assert from 'node:assert/strict';
import type { Checks } from '../clause.ts';
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
export const AUTHENTICATION_CHECKS: Checks = {
  'endpoints.1': async (probe) => expectResponse(await post(probe, `/v1/${probe.key}`)),
  'endpoints.2': async (probe) => {
    expectResponse(await post(probe, '/v1/', { 'x-api-key': probe.key }));
    expectResponse(await post(probe, '/v1/', { authorization: `Bearer ${probe.key}` }));
  },
  'endpoints.3': async (probe) => {
    const seen = await post(probe, '/v1', { 'x-api-key': probe.key });
    assert.equal(seen.status, 301);
    assert.match(seen.headers.get('location') ?? '', /\/v1\/$/);
  },
  'endpoints.4': async (probe) => {
    for (const path of ['/v1/', `/v1/${probe.key}`]) {
      const { status } = await probe.send(path, { headers: { 'x-api-key': probe.key } });
      assert.ok(status >= 400, `GET ${path === '/v1/' ? path : '/v1/{api_key}'} is answered by ${status}`);
    }
  },
  'endpoints.5': async (probe) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      for (const path of ['/v1/data/chains', `/v1/data/${probe.chain}/blocks/0`]) {
        const headers = { 'x-api-key': probe.key };
        const { status } = await probe.send(path, { method, headers });
        assert.ok(status >= 400 && status < 500, `${method} is answered by ${status}`);
      }
  },
  'authentication.3.1': async (probe) => {
    expectResponse(await post(probe, `/v1/${probe.key}`, { 'x-api-key': UNKNOWN_KEY }));
    expectUnknown(await post(probe, `/v1/${UNKNOWN_KEY}`, { 'x-api-key': probe.key }));
  },
  'authentication.3.2': async (probe) => {
    expectResponse(
      await post(probe, '/v1/', { 'x-api-key': probe.key, authorization: `Bearer ${UNKNOWN_KEY}` }),
    );
    expectUnknown(
      await post(probe, '/v1/', { 'x-api-key': UNKNOWN_KEY, authorization: `Bearer ${probe.key}` }),
    );
  },
  'authentication.3.3': async (probe) =>
    expectResponse(await post(probe, '/v1/', { 'x-api-key': '', authorization: `Bearer ${probe.key}` })),
  'authentication.4': async (probe) => {
    const seen = await probe.data('/chains');
    assert.equal(seen.status, 200);
  },
  'authentication.6': async (probe) => {
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
};
