import { connect } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { ScriptedNode } from '../../nodes/scripted-node.ts';
import type { RunningGateway } from '../running-gateway.ts';

const MAX_WAIT_MS = 120_000;
const PARALLEL_CALLS = 100;

const CALL = '{"jsonrpc":"2.0","id":1,"method":"eth_foo"}';
const RESPONSE = '{"jsonrpc":"2.0","id":1,"result":"0x1"}';
type Headers = readonly (readonly [name: string, value: string])[];

/**
 * Requests as no HTTP library would write them, on a socket.
 * @param running a stage whose status has few processes
 */
export function describeHttpEdge(running: () => RunningGateway, scripted: () => ScriptedNode): void {
  let node: ScriptedNode;
  let gateway: RunningGateway;

  beforeAll(() => {
    [gateway, node] = [running(), scripted()];
  });

  /** Sends bytes and resolves with all that comes back until the gateway closes the connection. */
  function exchange(bytes: string | Uint8Array): Promise<string> {
    const { hostname, port } = new URL(gateway.baseUrl);
    return new Promise((resolve, reject) => {
      let received = '';
      const socket = connect(Number(port), hostname, () => socket.write(bytes));
      socket.setTimeout(MAX_WAIT_MS, () => socket.destroy(new Error(`no end after: ${received}`)));
      socket.setEncoding('latin1').on('data', (text: string) => {
        received += text;
      });
      socket.once('error', reject).once('close', () => resolve(received));
    });
  }

  /** A request that asks for the connection to be closed. */
  function request(start: string, headers: Headers, body: string | Uint8Array = ''): Buffer {
    const bytes = Buffer.from(body);
    const lines = [
      ['Host', 'gateway'],
      ['Connection', 'close'],
      ['Content-Length', String(bytes.length)],
      ...headers,
    ].map(([name, value]) => `${name}: ${value}\r\n`);
    return Buffer.concat([Buffer.from(`${start} HTTP/1.1\r\n${lines.join('')}\r\n`), bytes]);
  }

  const statusOf = (response: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(response)?.[1]);
  const key = () => ['x-api-key', gateway.apiKey] as const;

  test.each<[string, () => Headers]>([
    ['no content type', () => [key()]],
    ['another content type', () => [key(), ['Content-Type', 'text/plain']]],
    ['a content type that is none', () => [key(), ['Content-Type', '<>;;']]],
    ['white space around the key', () => [['x-api-key', ` \t${gateway.apiKey}  `]]],
    ['two keys, of which the last counts', () => [['x-api-key', 'rgw_other'], key()]],
    [
      'a blank key before Bearer',
      () => [
        ['x-api-key', '  '],
        ['Authorization', `bearer  ${gateway.apiKey}`],
      ],
    ],
    ['Expect: 100-continue', () => [key(), ['Expect', '100-continue']]],
  ])('serves a call with %s', async (_, headers) => {
    const response = await exchange(request('POST /v1/', headers(), CALL));
    expect(response).toMatch(/^HTTP\/1\.1 (100 Continue\r\n\r\nHTTP\/1\.1 )?200 OK\r\n/);
    expect(response).toContain(RESPONSE);
  });

  test.each([
    ['POST /v1/?a=1', 200],
    ['POST //v1/', 200],
    ['POST /v1//', 200],
    ['POST /v1', 301],
    ['POST /v1?a=1', 301],
    ['POST /v1/example%5Fmainnet', 200],
    ['POST /v1/example_mainnet/', 200],
    ['POST /v1/{key}/', 200],
    ['POST /v1/example_mainnet/{key}', 200],
    ['POST /v1/__proto__', 404],
    ['POST /v1/%00', 404],
    ['POST /v1/%zz', 404],
    ['POST /v1/../v1/', 404],
    ['POST http://elsewhere/v1/', 404],
    ['POST *', 404],
    ['GET /v1/', 404],
    ['PUT /v1/', 404],
    ['OPTIONS /v1/', 404],
    ['GET /v1/example_mainnet', 404],
    ['POST /v1/status', 404],
    ['POST /', 404],
    ['GET /v2/status', 404],
    ['POST /v1/a/b/c/d', 404],
  ])('answers %s with %i: 404 is empty, without CORS', async (start, status) => {
    const headers: Headers = [['Origin', 'https://example.com'], ...(start.includes('{key}') ? [] : [key()])];
    const response = await exchange(request(start.replace('{key}', gateway.apiKey), headers, CALL));
    expect(statusOf(response)).toBe(status);
    if (status === 404) expect(response).toMatch(/\r\n\r\n$/);
    expect(response).not.toMatch(/^access-control/im);
  });

  test.each<[string, () => string]>([
    ['percent-encoded', () => `/v1/${gateway.apiKey.replace('r', '%72')}`],
    ['behind two slashes', () => `/v1//${gateway.apiKey}`],
    ['in capitals', () => `/v1/${gateway.apiKey.toUpperCase()}`],
    ['in the place of a chain', () => `/v1/${gateway.apiKey}/${gateway.apiKey}`],
  ])('takes no key %s', async (_, target) => {
    expect(statusOf(await exchange(request(`POST ${target()}`, [], CALL)))).toBe(404);
  });

  test('reads a chunked body, and pipelined requests in their order', async () => {
    const headers = `Host: gateway\r\nx-api-key: ${gateway.apiKey}\r\n`;
    const second = CALL.replace('"id":1', '"id":2');
    const chunked =
      `POST /v1/ HTTP/1.1\r\n${headers}Transfer-Encoding: chunked\r\n\r\n` +
      `a\r\n${CALL.slice(0, 10)}\r\n${(CALL.length - 10).toString(16)}\r\n${CALL.slice(10)}\r\n0\r\n\r\n`;
    const response = await exchange(chunked + request('POST /v1/', [key()], second).toString());
    expect(response.indexOf(RESPONSE)).toBeGreaterThan(0);
    expect(response.indexOf('"id":2,"result"')).toBeGreaterThan(response.indexOf(RESPONSE));
  });

  test('reads a body that is gzip', async () => {
    const response = await exchange(
      request('POST /v1/', [key(), ['Content-Encoding', 'gzip']], gzipSync(CALL)),
    );
    expect(response).toContain(RESPONSE);
  });

  test.each<[string, () => string | Uint8Array, number]>([
    [
      'a body that is compressed otherwise than by gzip',
      () => request('POST /v1/', [key(), ['Content-Encoding', 'br']], brotliCompressSync(CALL)),
      415,
    ],
    ['no body', () => request('POST /v1/', [key()]), 200],
    ['two lengths', () => request('POST /v1/', [key(), ['Content-Length', '5']], CALL), 400],
    ['a length and chunks', () => request('POST /v1/', [key(), ['Transfer-Encoding', 'chunked']], CALL), 400],
    ['headers over 10 KB', () => request('POST /v1/', [key(), ['x-large', 'a'.repeat(10_240)]], CALL), 431],
    ['no HTTP', () => 'hello\r\n\r\n', 400],
  ])('refuses %s without asking the node', async (_, bytes, status) => {
    const asked = node.requests.length;
    const response = await exchange(bytes());
    expect(statusOf(response)).toBe(status);
    if (status === 200) expect(response).toContain('"code":-32700');
    expect(node.requests).toHaveLength(asked);
  });

  test('every answer of GET /v1/status has CORS `*`, also those that API Gateway makes by itself', async () => {
    const ask = () => exchange(request('GET /v1/status', []));
    const responses = await Promise.all(Array.from({ length: PARALLEL_CALLS }, ask));
    const statuses = new Set(responses.map(statusOf));
    expect(statuses).toContain(200);
    expect(statuses.size).toBeGreaterThan(1);
    for (const response of responses) expect(response).toMatch(/^access-control-allow-origin: \*\r$/im);
  });

  test('no log holds a key', () => {
    const logged = gateway.logs();
    expect(logged).toContain('/v1/{credential}');
    expect(logged).not.toMatch(/rgw_[0-9a-f]{64}/i);
  });
}
