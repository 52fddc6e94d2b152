import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { startGuardedPort } from '../../../local/guard/guarded-port.ts';
import { refuseOtherThanJsonRpc } from '../../../local/guard/refusal.ts';

type GuardedPort = Awaited<ReturnType<typeof startGuardedPort>>;

/** More than the guard reads before it decides. */
const LARGE_BYTES = 3_000_000;

let backend: Server;
let guard: GuardedPort;
/** Bodies that have reached the program behind the guard. */
let reached: string[];
const sockets = new Set<Socket>();

beforeEach(async () => {
  reached = [];
  backend = createServer(async (request, response) => {
    const body = await text(request);
    reached.push(body);
    response.end(body);
  });
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.2', resolve));
  const { port } = backend.address() as AddressInfo;
  guard = await startGuardedPort({ host: '127.0.0.2', port }, refuseOtherThanJsonRpc);
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await guard.close();
  backend.closeAllConnections();
  await new Promise((resolve) => backend.close(resolve));
});

function open(): Socket {
  const socket = connect(guard.port, guard.host);
  sockets.add(socket.on('error', () => undefined));
  return socket;
}

function post(body: string, headers: string[] = []): string {
  const all = [`Host: ${guard.host}:${guard.port}`, 'Content-Type: application/json', ...headers];
  return `POST / HTTP/1.1\r\n${[...all, `Content-Length: ${body.length}`].join('\r\n')}\r\n\r\n${body}`;
}

async function untilReached(count: number): Promise<void> {
  while (reached.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function send(body: string) {
  const response = await fetch(guard.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  return response.text();
}

test('large requests and answers pass, in both directions', async () => {
  const body = 'x'.repeat(LARGE_BYTES);
  expect((await Promise.all([send(body), send(body), send('y')])).map(({ length }) => length)).toEqual([
    LARGE_BYTES,
    LARGE_BYTES,
    1,
  ]);
});

test('a head that comes byte by byte passes, and so does the next request of its connection', async () => {
  const socket = open().setNoDelay();
  const heard = text(socket);
  for (const byte of post('one')) {
    socket.write(byte);
    await new Promise(setImmediate);
  }
  await untilReached(1);
  socket.end(post('two', ['Connection: close']));
  expect(await heard).toMatch(/one[\s\S]*two$/);
  expect(reached).toEqual(['one', 'two']);
});

test.each([
  ['a page', (): string => post('{}', ['Origin: http://evil.example']), 403],
  ['no HTTP', (): string => `${'\u0016\u0003'.repeat(8)}\r\n\r\n`, 400],
  ['two hosts', (): string => post('{}', ['Host: evil.example']), 400],
  ['a head without an end', (): string => `GET / HTTP/1.1\r\nA: ${'a'.repeat(64 * 1024)}`, 400],
])('%s is refused with a reason, and nothing after it is read', async (_, request, status) => {
  const socket = open();
  socket.write(request());
  socket.write(post('more'));
  const response = await text(socket);
  const [begin = '', body = ''] = response.split('\r\n\r\n');
  expect(begin).toMatch(new RegExp(`^HTTP/1.1 ${status} Refused\r\n`));
  expect(begin).toMatch(/\r\nconnection: close$/);
  expect(JSON.parse(body)).toEqual({ __type: expect.any(String), message: expect.any(String) });
  expect(response.split(/HTTP\/1.1 \d/).length).toBe(2);
  expect(reached).toEqual([]);
});

test('a connection that sends nothing more ends, without a response', async () => {
  const socket = open();
  socket.end('POST / HTTP/1.1\r\n');
  expect(await text(socket)).toBe('');
});

test('when the program is gone, a client hears of it', async () => {
  await expect(send('before')).resolves.toBe('before');
  backend.closeAllConnections();
  await new Promise((resolve) => backend.close(resolve));
  await expect(send('after')).rejects.toThrow();
});

test('closing it ends the connections that are open', async () => {
  const socket = open();
  socket.write(post('one'));
  await once(socket, 'data');
  const closed = once(socket, 'close');
  await guard.close();
  await closed;
});
