/** Whatever a node does to a request ends in time, in bounded bytes, and as a failure of its kind. */
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { UpstreamError } from '../../../../lambdas/shared/http/upstream-error.ts';
import { systemClock } from '../../../../lambdas/shared/runtime/clock.ts';
import {
  connectNode,
  type NodeConnection,
} from '../../../../lambdas/shared/upstream/connection/node-connection.ts';
import {
  announcing,
  body,
  byReuse,
  closing,
  halfBody,
  rawBytes,
  result,
  stalling,
  trickling,
  unbounded,
} from '../../../nodes/replies.ts';
import { type Reply, type ScriptedNode, startScriptedNode } from '../../../nodes/scripted-node.ts';

const MAX_RESPONSE_BYTES = 1024 * 1024;
const AMPLE_MS = 20_000;
const SHORT_MS = 200;
/** Bytes that socket buffers on both sides may hold beyond the limit. */
const SOCKET_SLACK_BYTES = 16 * 1024 * 1024;
const CALL = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}');

let node: ScriptedNode;
const open: NodeConnection[] = [];
let failures: UpstreamError[];

beforeEach(async () => {
  node = await startScriptedNode(result('"0x1"'));
  failures = [];
});

afterEach(async () => {
  for (const connection of open.splice(0)) connection.close();
  await node.close();
});

function connect(url = node.url): NodeConnection {
  const connection = connectNode({
    url,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    clock: systemClock,
    onFailure: (error) => failures.push(error),
  });
  open.push(connection);
  return connection;
}

function post(connection: NodeConnection, { idempotent = true, timeoutMs = AMPLE_MS } = {}) {
  return connection.post({ body: CALL, idempotent, deadline: systemClock.now() + timeoutMs });
}

async function failureOf(exchange: Promise<unknown>): Promise<UpstreamError> {
  const error = await exchange.then(
    () => undefined,
    (raised: unknown) => raised,
  );
  if (!(error instanceof UpstreamError)) throw new Error(`no upstream error but ${String(error)}`);
  return error;
}

describe('what travels', () => {
  test('the body as it is, and no header but those of the body', async () => {
    const response = await post(connect());
    expect(response.status).toBe(200);
    expect(response.body.toString()).toBe('{"jsonrpc":"2.0","id":1,"result":"0x1"}');
    const [request] = node.requests;
    expect(request?.method).toBe('POST');
    expect(request?.body.equals(CALL)).toBe(true);
    expect(Object.keys(request?.headers ?? {}).sort()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'content-length',
      'content-type',
      'host',
    ]);
    expect(request?.headers['content-type']).toBe('application/json');
  });

  test('path and query of the URL; user and password become basic authentication', async () => {
    await post(connect(`${node.url.replace('//', '//us%40er:pa%3Ass@')}/v3/secret?network=one`));
    const [request] = node.requests;
    expect(request?.path).toBe('/v3/secret?network=one');
    expect(request?.headers.authorization).toBe(`Basic ${Buffer.from('us@er:pa:ss').toString('base64')}`);
  });

  test('a redirect is a response like any other', async () => {
    node.script(body('', 307, { location: `${node.url}/elsewhere` }));
    expect((await post(connect())).status).toBe(307);
    expect(node.requests).toHaveLength(1);
  });

  test.each([200, 400, 429, 500, 503])('status %i comes back with its body', async (status) => {
    node.script(body('{"a":1}', status));
    const response = await post(connect());
    expect([response.status, response.body.toString()]).toEqual([status, '{"a":1}']);
  });

  test('a URL that is none, or of another protocol, is refused without being repeated', () => {
    for (const url of ['nonsense-key', 'ftp://secret-key@node']) {
      expect(() => connect(url)).toThrow('must start with http:// or https://');
      expect(() => connect(url)).not.toThrow('key');
    }
  });
});

describe('connections', () => {
  test('one connection serves one request after the other', async () => {
    const connection = connect();
    for (let count = 0; count < 5; count += 1) await post(connection);
    expect(node.connectionCount()).toBe(1);
  });

  test('a request that acts has a connection of its own, which is closed', async () => {
    const connection = connect();
    await post(connection);
    await post(connection, { idempotent: false });
    expect(node.requests.map((request) => request.connection)).toEqual([0, 1]);
    expect(node.requests[1]?.headers.connection).toBe('close');
  });

  test('a read whose kept connection turns out closed is sent once more', async () => {
    await node.close();
    node = await startScriptedNode(byReuse(result('"0x1"'), closing));
    const connection = connect();
    await post(connection);
    const response = await post(connection);
    expect(response.body.toString()).toContain('0x1');
    expect(node.requests.map((request) => request.connection)).toEqual([0, 0, 1]);
    expect(failures.map((error) => error.kind)).toEqual(['closed']);
  });

  test('a read is sent once more only if that is allowed', async () => {
    await node.close();
    node = await startScriptedNode(byReuse(result('"0x1"'), closing));
    const connection = connect();
    await post(connection);
    const request = { body: CALL, idempotent: true, deadline: systemClock.now() + AMPLE_MS };
    const error = await failureOf(connection.post({ ...request, mayRepeat: () => false }));
    expect([error.kind, error.reusedSocket, node.requests.length]).toEqual(['closed', true, 2]);
  });

  test('a request that is given up ends at once, and is no failure of the node', async () => {
    node.script(stalling);
    const giveUp = new AbortController();
    const request = { body: CALL, idempotent: true, deadline: systemClock.now() + AMPLE_MS };
    const connection = connect();
    const exchange = failureOf(connection.post({ ...request, signal: giveUp.signal }));
    giveUp.abort();
    expect((await exchange).kind).toBe('aborted');
    await node.idle();
    expect((await failureOf(connection.post({ ...request, signal: giveUp.signal }))).sent).toBe(false);
    expect(failures).toEqual([]);
  });

  test('a read whose new connection is closed is not sent again', async () => {
    node.script(closing);
    const error = await failureOf(post(connect()));
    expect([error.kind, error.sent, error.reusedSocket]).toEqual(['closed', true, false]);
    expect(node.requests).toHaveLength(1);
  });

  test('a request that acts is never sent again', async () => {
    const connection = connect();
    await post(connection);
    node.script(closing, closing);
    const error = await failureOf(post(connection, { idempotent: false }));
    expect([error.kind, error.sent]).toEqual(['closed', true]);
    expect(node.requests).toHaveLength(2);
  });

  test('closing leaves the requests on their way alone, and keeps no connection', async () => {
    const connection = connect();
    await post(connection);
    let finish = () => {};
    const started = new Promise<void>((resolve) => {
      node.script((request, response) => {
        finish = () => result('"0x3"')(request, response);
        resolve();
      });
    });
    const busy = post(connection);
    await started;
    await post(connection);
    connection.close();
    finish();
    expect((await busy).body.toString()).toContain('0x3');
    await node.idle();
    expect(node.connectionCount()).toBe(2);
  });

  test('a node that answers before it has read the request loses the connection', async () => {
    const large = Buffer.alloc(64 * 1024 * 1024, ' ');
    const accepted: Socket[] = [];
    const server = createServer((socket) => {
      accepted.push(socket.on('error', () => {}));
      socket.once('data', () => socket.pause().write('HTTP/1.1 413 No\r\ncontent-length: 0\r\n\r\n'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const connection = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const deadline = systemClock.now() + AMPLE_MS;
    expect((await connection.post({ body: large, idempotent: true, deadline })).status).toBe(413);
    const [socket] = accepted as [Socket];
    await new Promise((resolve) => socket.once('close', resolve).resume());
    expect(socket.bytesRead).toBeLessThan(large.length);
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('failures', () => {
  test.each<[string, Reply, string]>([
    ['closes after the request', closing, 'closed'],
    ['sends half a body', halfBody('{"jsonrpc":"2.0"'), 'malformed'],
    ['speaks no HTTP', rawBytes('hello\r\n\r\n'), 'malformed'],
    ['sends headers without end', rawBytes(`HTTP/1.1 200 OK\r\na: ${'b'.repeat(100_000)}`), 'malformed'],
    [
      'breaks its chunks',
      rawBytes('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxx\r\n'),
      'malformed',
    ],
    [
      'switches protocols',
      rawBytes('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
      'closed',
    ],
    ['uses a coding that it was not offered', body('{}', 200, { 'content-encoding': 'br' }), 'malformed'],
    ['sends no gzip for gzip', body('{}', 200, { 'content-encoding': 'gzip' }), 'malformed'],
    [
      'cuts its gzip short',
      body(gzipSync('{"jsonrpc":"2.0"}').subarray(0, 20), 200, { 'content-encoding': 'gzip' }),
      'malformed',
    ],
  ])('a node that %s', async (_name, reply, kind) => {
    node.script(reply);
    const error = await failureOf(post(connect()));
    expect([error.kind, error.sent]).toEqual([kind, true]);
  });

  test('a node that closes every connection at once', async () => {
    node.closeAtAccept(true);
    const error = await failureOf(post(connect()));
    expect(['closed', 'unreachable']).toContain(error.kind);
    expect(node.requests).toHaveLength(0);
  });

  test('a node that does not listen', async () => {
    const { url } = node;
    await node.close();
    const error = await failureOf(post(connect(url)));
    expect([error.kind, error.sent, error.message]).toEqual([
      'unreachable',
      false,
      'upstream unreachable (ECONNREFUSED)',
    ]);
    node = await startScriptedNode(stalling);
  });

  test('a node without the TLS that its URL names gets nothing', async () => {
    const error = await failureOf(post(connect(node.url.replace('http:', 'https:'))));
    expect([error.kind, error.sent]).toEqual(['unreachable', false]);
    expect(node.requests).toHaveLength(0);
  });

  test.each<[string, Reply]>([
    ['stalls', stalling],
    ['trickles', trickling(5)],
    ['stalls within its headers', rawBytes('HTTP/1.1 200 OK\r\n')],
    [
      'stalls within its gzip',
      (_request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        response.write(gzipSync('{"jsonrpc":"2.0"}').subarray(0, 12));
      },
    ],
  ])('a node that %s is cut off at the deadline', async (_name, reply) => {
    node.script(reply);
    const error = await failureOf(post(connect(), { timeoutMs: SHORT_MS }));
    expect([error.kind, error.sent]).toEqual(['timeout', true]);
    await node.idle();
  });

  test('nothing is sent after the deadline', async () => {
    const error = await failureOf(post(connect(), { timeoutMs: 0 }));
    expect([error.kind, error.sent]).toEqual(['timeout', false]);
    expect(node.connectionCount()).toBe(0);
  });

  test('no error tells the URL', async () => {
    const { url } = node;
    await node.close();
    const error = await failureOf(post(connect(`${url.replace('//', '//canary:canary@')}/canary`)));
    const told = `${error.message} ${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;
    expect(told).not.toMatch(/canary|127\.0\.0\.1/);
    node = await startScriptedNode(stalling);
  });
});

describe('size', () => {
  test.each([
    ['declared', body(' '.repeat(MAX_RESPONSE_BYTES), 200, { 'content-length': `${MAX_RESPONSE_BYTES}` })],
    ['chunked', body(' '.repeat(MAX_RESPONSE_BYTES), 200, { 'transfer-encoding': 'chunked' })],
    ['gzip', body(gzipSync(' '.repeat(MAX_RESPONSE_BYTES)), 200, { 'content-encoding': 'gzip' })],
  ])('a response of exactly the limit passes (%s)', async (_name, reply) => {
    node.script(reply);
    expect((await post(connect())).body).toHaveLength(MAX_RESPONSE_BYTES);
  });

  test.each([
    ['one byte over the limit', body(' '.repeat(MAX_RESPONSE_BYTES + 1))],
    ['10 GB, declared', unbounded(10_000_000_000)],
    ['10 GB, declared and not begun', announcing(10_000_000_000)],
    ['without an end', unbounded()],
    [
      'a gzip bomb',
      body(gzipSync(Buffer.alloc(200 * MAX_RESPONSE_BYTES)), 200, { 'content-encoding': 'gzip' }),
    ],
  ])('a larger response is cut at the limit (%s)', async (_name, reply) => {
    node.script(reply);
    const error = await failureOf(post(connect()));
    expect([error.kind, error.sent]).toEqual(['too_large', true]);
    await node.idle();
    expect(node.sentBytes()).toBeLessThan(MAX_RESPONSE_BYTES + SOCKET_SLACK_BYTES);
  });

  test.each(['GZIP', 'x-gzip', 'Identity'])('a coding that is called %s is known', async (coding) => {
    const plain = Buffer.from('{"jsonrpc":"2.0","id":1,"result":"0x2"}');
    const sent = coding === 'Identity' ? plain : gzipSync(plain);
    node.script(body(sent, 200, { 'content-encoding': coding }));
    expect((await post(connect())).body.equals(plain)).toBe(true);
  });

  test('gzip is decoded', async () => {
    node.script(result('"0x2"', { gzip: true }));
    expect((await post(connect())).body.toString()).toContain('"0x2"');
  });
});
