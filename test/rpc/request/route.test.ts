/** A chain has one address in each spelling that RFC 3986 calls the same, on the routes of JSON-RPC too; a key has one. */
import fc from 'fast-check';
import { presentedKey } from '../../../lambdas/access/middlewares.ts';
import { type ChainEvent, resolveChain } from '../../../lambdas/rpc/served-chains.ts';

const KEY = `rgw_${'a1'.repeat(32)}`;
const UNKNOWN = 'unknown_chain';
const NAME = fc.stringMatching(/^[a-z][a-z0-9_-]{1,20}$/);

/** A text with some of its characters escaped. */
function escaped(text: string, escapes: readonly boolean[]): string {
  return [...text]
    .map((one, index) => (escapes[index % escapes.length] ? `%${one.charCodeAt(0).toString(16)}` : one))
    .join('');
}

/** The chain that a request is for, where every name but one is of one, or what it is answered. */
function route(resource: string, pathParameters: Record<string, string> | null, path = '/v1/x'): unknown {
  const get = (chain: string) => (chain === UNKNOWN ? undefined : chain);
  const requestContext = { path: '/stage/v1', requestId: 'r' };
  const event = { resource, pathParameters, path, requestContext } as unknown as ChainEvent<string>;
  const { before } = resolveChain({ get } as ReadonlyMap<string, string>, 'default_chain');
  return before?.({ event } as Parameters<NonNullable<typeof before>>[0]) ?? event.chain;
}

test('a chain is the same chain, however it is escaped', () => {
  fc.assert(
    fc.property(NAME, fc.array(fc.boolean(), { minLength: 1 }), (chain, escapes) => {
      const credential = escaped(chain, escapes);
      expect(route('/v1/{credential}', { credential })).toBe(chain);
      expect(route('/v1/{credential}/{api_key}', { credential, api_key: KEY })).toBe(chain);
    }),
  );
});

test('a key is taken as it is', () => {
  expect(route('/v1/{credential}', { credential: KEY })).toBe('default_chain');
  const credential = KEY.replace('r', '%72');
  expect(route('/v1/{credential}', { credential })).toBe(KEY);
  expect(presentedKey({ pathKey: '%zz', headers: {} })).toBe('%zz');
});

test('what is no escape stays as it is, and names no chain', () => {
  expect(route('/v1/{credential}', { credential: '%zz' })).toBe('%zz');
});

test('without a name it is the default chain, at the path with a slash, to which the other is sent', () => {
  expect(route('/v1', null, '/v1/')).toBe('default_chain');
  expect(route('/v1', null, '/v1')).toMatchObject({ statusCode: 301, headers: { Location: '/stage/v1/' } });
});

test('a chain that is not served, and a path of no chain, are not found', () => {
  expect(route('/v1/{credential}/{api_key}', { credential: UNKNOWN })).toMatchObject({ statusCode: 404 });
  expect(route('/v2/{proxy+}', null)).toMatchObject({ statusCode: 404 });
});
