import fc from 'fast-check';
import { createClient, type DataClient } from '../../clients/typescript/src/client.ts';
import {
  BadRequestError,
  ConflictError,
  ConnectionError,
  ForbiddenError,
  GatewayError,
  InsufficientBalanceError,
  KeyNotActiveError,
  NotFoundError,
  RateLimitedError,
  UnavailableError,
  UnprocessableError,
} from '../../clients/typescript/src/errors.ts';
import { listen, type TestServer } from '../support/listen.ts';

const KEY = `rgw_${'0a'.repeat(32)}`;
const META = { as_of_block: 960, finalized_block: 704, coverage: 'full' };

type Reply =
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly body: string }
  | Error;

/** A client of a gateway that gives these replies, one after the other and the last one for ever. */
function world(
  replies: readonly Reply[],
  options: { retries?: number; maxWaitMs?: number; chain?: string } = {},
) {
  const asked: string[] = [];
  const waited: number[] = [];
  const client = createClient({
    baseUrl: 'http://gateway/',
    apiKey: KEY,
    ...options,
    fetch: async (url, init) => {
      asked.push(String(url));
      expect(new Headers(init?.headers).get('x-api-key')).toBe(KEY);
      const reply = replies[Math.min(asked.length, replies.length) - 1];
      if (reply === undefined || reply instanceof Error) throw reply;
      return new Response(reply.body, {
        status: reply.status ?? 200,
        ...(reply.headers && { headers: reply.headers }),
      });
    },
    sleep: async (ms) => {
      waited.push(ms);
    },
  });
  return { client, asked, waited };
}

function page(numbers: readonly number[], next_cursor?: string): Reply {
  return { body: JSON.stringify({ data: numbers.map((number) => ({ number })), next_cursor, meta: META }) };
}

function refusal(status: number, code: string, headers: Record<string, string> = {}): Reply {
  return { status, headers, body: JSON.stringify({ error: { code, message: `it is ${code}` } }) };
}

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  );
}

const block = (client: DataClient) => client.get('getBlock', { number: 5 });
const OK: Reply = { body: JSON.stringify({ data: { number: 5 }, meta: META }) };

test('a request has its parameters where they belong, and the chain of the client, the call, or the default', async () => {
  const { client, asked } = world([OK], { chain: 'example_mainnet' });
  await block(client);
  await client.get('getBlock', { number: 5, chain: 'example_testnet' });
  await client.get('listLogs', { address: '0xAB', from_block: 0, clamp: true });
  await client.get('getTokenPrice', { token: '0xab', at: '2026-01-01T00:00:00+01:00' });
  await client.get('listChains');
  await client.get('listAccountUsage', { limit: 1 });
  expect(asked).toEqual([
    'http://gateway/v1/data/example_mainnet/blocks/5',
    'http://gateway/v1/data/example_testnet/blocks/5',
    'http://gateway/v1/data/example_mainnet/logs?address=0xAB&from_block=0&clamp=true',
    'http://gateway/v1/data/example_mainnet/tokens/0xab/price?at=2026-01-01T00%3A00%3A00%2B01%3A00',
    'http://gateway/v1/data/chains',
    'http://gateway/v1/account/usage?limit=1',
  ]);
  const direct = world([OK]);
  await block(direct.client);
  expect(direct.asked).toEqual(['http://gateway/v1/blocks/5']);
});

test('what stands in a path is encoded, and what is missing is told before anything is sent', async () => {
  const { client, asked } = world([OK]);
  await client.get('getToken', { token: '../account?x#' });
  expect(asked).toEqual(['http://gateway/v1/tokens/..%2Faccount%3Fx%23']);
  // @ts-expect-error: the token is required
  expect(await failureOf(client.get('getToken', {}))).toBeInstanceOf(TypeError);
});

test('an answer has what its headers say of the request', async () => {
  const headers = { 'x-request-id': 'r', 'x-cu-cost': '10', 'x-cu-billed': '1', 'x-cu-balance': '998' };
  const { data, meta, request } = await block(world([{ ...OK, headers } as Reply]).client);
  expect([data.number, meta.coverage]).toEqual([5, 'full']);
  expect(request).toEqual({ id: 'r', cuCost: 10, cuBilled: 1, cuBalance: 998 });
});

test('pages and rows go on to the end with the same parameters, and no further than they are asked', async () => {
  const replies = [page([3, 2], 'a'), page([], 'b'), page([1])];
  const all = world(replies);
  const rows: number[] = [];
  for await (const { number } of all.client.rows('listBlocks', { limit: 2 })) rows.push(number);
  expect(rows).toEqual([3, 2, 1]);
  expect(all.asked.map((url) => new URL(url).search)).toEqual([
    '?limit=2',
    '?limit=2&cursor=a',
    '?limit=2&cursor=b',
  ]);
  const some = world(replies);
  for await (const { data } of some.client.pages('listBlocks')) if (data.length === 2) break;
  expect(some.asked).toHaveLength(1);
});

describe('a list that never ends', () => {
  test.each([
    [['a'], 2],
    [['a', 'b'], 3],
    [['a', 'b', 'c', 'b'], 4],
    [['a', 'b', 'a', 'c'], 3],
  ])('because its cursors are %j in a circle is told after %i pages', async (circle, pages) => {
    const { client, asked } = world(
      Array.from({ length: 20 }, (_, at) => page([at], circle[at % circle.length])),
    );
    const read = async () => {
      for await (const _ of client.rows('listBlocks'));
    };
    expect(await failureOf(read())).toMatchObject({
      name: ConnectionError.name,
      message: expect.stringContaining('a cursor came again'),
    });
    expect(asked).toHaveLength(pages);
  });

  test('because a page names the cursor it was asked for with is told', async () => {
    const { client, asked } = world([page([1], 'a')]);
    const pages = client.pages('listBlocks', { cursor: 'a' });
    await pages.next();
    expect(await failureOf(pages.next())).toBeInstanceOf(ConnectionError);
    expect(asked).toHaveLength(1);
  });

  test('is told however large its circle is, and wherever that begins', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(1_500), fc.integer({ min: 1, max: 1_500 }), async (before, length) => {
        const most = before + length + 3 * Math.max(before, length);
        let asked = 0;
        const fetch = async () => {
          const cursor = asked < before ? asked : before + ((asked - before) % length);
          asked += 1;
          return new Response(JSON.stringify({ data: [], meta: META, next_cursor: String(cursor) }));
        };
        const pages = createClient({ baseUrl: 'http://gateway.test', apiKey: KEY, fetch }).pages(
          'listBlocks',
        );
        const read = async () => {
          for await (const _ of pages) if (asked > most + 1) return;
        };
        expect(await failureOf(read())).toBeInstanceOf(ConnectionError);
        expect(asked).toBeGreaterThan(before + length);
        expect(asked).toBeLessThanOrEqual(most + 1);
      }),
      { numRuns: 8 },
    );
  });
});

describe('a path value that would be another path', () => {
  test.each(['', '.', '..'])('is refused before anything is sent: %j', async (token) => {
    const { client, asked } = world([OK]);
    expect(await failureOf(client.get('listTokenTransfers', { token }))).toBeInstanceOf(TypeError);
    expect(await failureOf(client.get('listBlocks', { chain: token }))).toBeInstanceOf(TypeError);
    expect(asked).toEqual([]);
  });

  test('is none with three dots, or in the query', async () => {
    const { client, asked } = world([OK]);
    await client.get('getToken', { token: '...' });
    await client.get('listLogs', { address: '..' });
    expect(asked.map((url) => new URL(url).href)).toEqual([
      'http://gateway/v1/tokens/...',
      'http://gateway/v1/logs?address=..',
    ]);
  });
});

describe('a redirect', () => {
  let elsewhere: TestServer;
  let gateway: TestServer;
  const received: string[] = [];
  beforeAll(async () => {
    elsewhere = await listen(({ rawHeaders }, response) => {
      received.push(...rawHeaders);
      response.end('{}');
    });
    gateway = await listen(({ url = '' }, response) => {
      response.writeHead(Number(url.split('/').at(-1)), { location: `${elsewhere.url}/stolen` }).end();
    });
  });
  afterAll(() => Promise.all([elsewhere, gateway].map((server) => server.close())));

  test.each([301, 302, 303, 307, 308])(
    '%i to another port is an error, and does not pass on the key',
    async (status) => {
      const client = createClient({ baseUrl: gateway.url, apiKey: KEY, retries: 1 });
      const error = await failureOf(client.get('getBlock', { number: status }));
      expect(error).toBeInstanceOf(GatewayError);
      expect(error).toMatchObject({
        status,
        reason: 'redirected',
        message: expect.stringContaining('not followed'),
      });
      expect(received).toEqual([]);
    },
  );

  test('is one in a browser, too, which does not show where it leads', async () => {
    const client = createClient({
      baseUrl: 'http://gateway',
      apiKey: KEY,
      fetch: async (_, init) => {
        expect(init?.redirect).toBe('manual');
        return Object.defineProperty(Response.error(), 'type', { value: 'opaqueredirect' });
      },
    });
    expect(await failureOf(block(client))).toMatchObject({ status: 0, reason: 'redirected' });
  });
});

test.each([
  [400, 'bad_request', BadRequestError],
  [402, 'insufficient_balance', InsufficientBalanceError],
  [403, 'forbidden', ForbiddenError],
  [404, 'not_found', NotFoundError],
  [409, 'finality_exceeded', ConflictError],
  [422, 'no_coverage', UnprocessableError],
  [429, 'cost_exceeds_burst', RateLimitedError],
  [500, 'internal_error', UnavailableError],
])('%i %s is an error of its class, and is not sent again', async (status, code, Kind) => {
  const { client, asked } = world([refusal(status, code, { 'x-request-id': 'r' })]);
  const error = await failureOf(block(client));
  expect(error).toBeInstanceOf(Kind);
  expect(error).toBeInstanceOf(GatewayError);
  expect(error).toMatchObject({
    status,
    code,
    reason: code,
    message: `it is ${code}`,
    requestId: 'r',
    name: Kind.name,
  });
  expect(asked).toHaveLength(1);
});

test('a key that is not active is an error of its own, not that of what does not exist', async () => {
  const headers = { 'content-type': 'text/plain', 'x-request-id': 'r' };
  for (const reply of [
    { status: 404, body: '' },
    { status: 404, headers, body: '' },
  ]) {
    const error = await failureOf(block(world([reply]).client));
    expect(error).toBeInstanceOf(KeyNotActiveError);
    expect(error).not.toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({
      name: 'KeyNotActiveError',
      code: undefined,
      reason: 'key_not_active',
      message: expect.stringContaining('disabled'),
    });
  }
  // What API Gateway says of a path that it does not know.
  const unknown = { status: 404, headers: { 'content-type': 'application/json' }, body: '' };
  expect(await failureOf(block(world([unknown]).client))).toBeInstanceOf(NotFoundError);
});

test.each([
  'http://gateway',
  'http://gateway/',
  'http://gateway/v1',
  'http://gateway/v1/',
  'http://gateway//',
])('asks the same of %s', async (baseUrl) => {
  const asked: string[] = [];
  const ask = async (url: unknown) => {
    asked.push(String(url));
    return new Response(JSON.stringify({ data: {}, meta: META }));
  };
  const client = createClient({ baseUrl, apiKey: KEY, fetch: ask as typeof fetch });
  await client.get('getBlock', { number: 1 });
  expect(asked).toEqual(['http://gateway/v1/blocks/1']);
});

test('an operation that there is not is named, and nothing is sent', async () => {
  const { client, asked } = world([page([])]);
  const error = await failureOf(client.get('listNothing' as 'listBlocks'));
  expect(error).toEqual(new TypeError('there is no operation listNothing'));
  expect(asked).toEqual([]);
});

test('a connection that fails says why', async () => {
  const refused = new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } });
  const { client } = world([refused], { retries: 0 });
  expect(await failureOf(block(client))).toMatchObject({
    name: 'ConnectionError',
    message: 'the gateway gave no whole answer: ECONNREFUSED',
  });
});

test('what API Gateway answers has its slug as the reason, and is asked for again', async () => {
  const data = { reason: 'gateway_unavailable', retryable: true };
  const error = { code: -32030, message: 'rpc gateway unavailable', data };
  const { client, waited } = world(
    [{ status: 503, body: JSON.stringify({ jsonrpc: '2.0', id: null, error }) }],
    {
      retries: 2,
    },
  );
  expect(await failureOf(block(client))).toMatchObject({
    status: 503,
    code: -32030,
    reason: 'gateway_unavailable',
  });
  expect(waited).toHaveLength(2);
});

test('Retry-After is waited for, in seconds, as often as the options say', async () => {
  const limited = refusal(429, 'rate_limited', { 'retry-after': '3' });
  const lucky = world([limited, limited, OK]);
  expect((await block(lucky.client)).data.number).toBe(5);
  expect(lucky.waited).toEqual([3_000, 3_000]);
  const unlucky = world([limited]);
  expect(await failureOf(block(unlucky.client))).toMatchObject({
    name: 'RateLimitedError',
    retryAfterMs: 3_000,
  });
  expect(unlucky.asked).toHaveLength(5);
});

test('a query that took too long is not asked for again: it would take as long', async () => {
  const { client, asked } = world([refusal(503, 'query_timeout'), OK]);
  expect(await failureOf(block(client))).toMatchObject({ status: 503, reason: 'query_timeout' });
  expect(asked).toHaveLength(1);
});

test('a wait longer than the longest is not begun', async () => {
  const { client, asked } = world([refusal(503, 'unavailable', { 'retry-after': '31' })]);
  expect(await failureOf(block(client))).toMatchObject({ reason: 'unavailable', retryAfterMs: 31_000 });
  expect(asked).toHaveLength(1);
});

test.each<[string, Reply]>([
  ['no answer', new TypeError('fetch failed')],
  ['half an answer', { body: '{"data":{"number":5}' }],
])('after %s the waits grow, each within twice its base', async (_, reply) => {
  const { client, waited } = world([reply]);
  expect(await failureOf(block(client))).toBeInstanceOf(ConnectionError);
  expect(waited).toHaveLength(4);
  for (const [attempt, wait] of waited.entries()) {
    expect(wait).toBeGreaterThanOrEqual(500 * 2 ** attempt);
    expect(wait).toBeLessThan(1_000 * 2 ** attempt);
  }
});

test('a signal ends a call with its reason, while it waits too', async () => {
  const abort = new AbortController();
  const asked: unknown[] = [];
  const client = createClient({
    baseUrl: 'http://gateway',
    apiKey: KEY,
    fetch: async (url) => {
      asked.push(url);
      queueMicrotask(() => abort.abort(new Error('enough')));
      return new Response('{}', { status: 503, headers: { 'retry-after': '30' } });
    },
  });
  expect(await failureOf(client.get('getBlock', { number: 5 }, { signal: abort.signal }))).toEqual(
    new Error('enough'),
  );
  expect(asked).toHaveLength(1);
});
