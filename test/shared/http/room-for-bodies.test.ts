/** A large response waits for room and takes none while it waits, in each form of HTTP. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Connections } from '../../../lambdas/shared/http/connections.ts';
import { type HeldBodies, LargeBodies, MAX_ROOM_WAIT_MS } from '../../../lambdas/shared/http/large-bodies.ts';
import { sendRequest } from '../../../lambdas/shared/http/send-request.ts';
import { systemClock } from '../../../lambdas/shared/runtime/clock.ts';
import { testAtLength } from '../../support/at-length-tests.ts';
import { untilTrue } from '../../support/until-true.ts';

const MAX_BYTES = 32 * 1024 * 1024;
const AMPLE_MS = 60_000;
/** A deadline that passes when a test says so: no other timer is as long. */
const DEADLINE_MS = 61_000;
/** What the kernel holds of a connection that is not read, at the most. */
const KERNEL_BYTES = 12_000_000;
const JSON_BYTES = Buffer.from(
  `{"jsonrpc":"2.0","id":1,"result":[${Array.from({ length: 500_000 }, (_, index) => `{"n":"0x${(index * 7_919).toString(16)}"}`).join(',')}]}`,
);
const LONG = Buffer.concat([JSON_BYTES, Buffer.alloc(30_000_000 - JSON_BYTES.length, ' ')]);

type Respond = (response: ServerResponse, request: IncomingMessage) => void;
const declared: Respond = (response) => response.writeHead(200, { 'content-length': LONG.length }).end(LONG);
const undeclared: Respond = (response) => {
  response.writeHead(200).write(LONG.subarray(0, 100));
  response.end(LONG.subarray(100));
};
const closing: Respond = (response) =>
  response.writeHead(200, { connection: 'close', 'content-length': LONG.length }).end(LONG);
const coded =
  (encoded: Buffer, isDeclared: boolean): Respond =>
  (response) => {
    response.writeHead(200, {
      'content-encoding': 'gzip',
      ...(isDeclared && { 'content-length': encoded.length }),
    });
    response.end(encoded);
  };
const gzip = (body: Buffer) => gzipSync(body, { level: 1 });
const CODED = gzip(LONG);
/** Of which the last member says that it decodes to next to nothing. */
const TWO_MEMBERS = Buffer.concat([gzip(LONG.subarray(0, -10)), gzip(LONG.subarray(-10))]);
const FORMS: readonly (readonly [string, Respond])[] = [
  ['of a declared length', declared],
  ['of no declared length', undeclared],
  ['over a connection that the server closes', closing],
  ['coded, of a declared length', coded(CODED, true)],
  ['coded, of no declared length', coded(CODED, false)],
  ['coded in two members', coded(TWO_MEMBERS, true)],
];

let server: Server;
let connections: Connections;
let bodies: LargeBodies;
/** A request that has all of the room. */
let other: HeldBodies;
let respond: Respond;
/** Whether the server closes connections in the middle of bodies. */
let sockets: Set<ServerResponse>;

beforeEach(async () => {
  respond = declared;
  sockets = new Set();
  server = createServer((request, response) => {
    sockets.add(response);
    respond(response, request);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  connections = new Connections({
    origin: `http://127.0.0.1:${port}`,
    clock: systemClock,
    most: 64,
    mostIdle: 64,
    idleMs: AMPLE_MS,
  });
  bodies = new LargeBodies(MAX_BYTES);
  other = bodies.open('other');
});

afterEach(async () => {
  connections.close();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

interface Asking {
  readonly held?: HeldBodies;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

function ask({ held = bodies.open('key'), timeoutMs = AMPLE_MS, signal }: Asking = {}): Promise<Buffer> {
  return sendRequest({
    connections,
    method: 'GET',
    path: '/',
    headers: [],
    timeoutMs,
    maxResponseBytes: MAX_BYTES,
    held,
    signal,
    watch: { filled: () => {} },
  }).then(({ body }) => body);
}

/** Asks, and lets the deadline pass once the response waits for room. */
async function askUntilDeadline(): Promise<Buffer> {
  const timers = jest.spyOn(globalThis, 'setTimeout');
  const asked = ask({ timeoutMs: DEADLINE_MS });
  const pass = timers.mock.calls.find(([, milliseconds]) => milliseconds === DEADLINE_MS)?.[0];
  timers.mockRestore();
  await untilWaiting(1);
  pass?.();
  return asked;
}

/** Takes all of the room, for another request. */
function fill(): void {
  bodies.take(other, MAX_BYTES, () => {}).keep(new Uint8Array(MAX_BYTES));
}

const untilWaiting = (count: number) =>
  untilTrue(() => bodies.waiting === count, {
    withinMs: AMPLE_MS,
    everyMs: 5,
    failure: () => `${bodies.waiting} bodies wait for room, not ${count}`,
  });

test.each(FORMS)('a large response %s has room until its request ends', async (_, form) => {
  respond = form;
  const held = bodies.open('key');
  const body = await ask({ held });
  expect(body.equals(LONG)).toBe(true);
  expect(bodies.takenBytes).toBe(LONG.length);
  held.release();
  expect(bodies.takenBytes).toBe(0);
});

test.each(FORMS)('one %s waits for room, and is whole when it has had it', async (_, form) => {
  respond = form;
  fill();
  const held = bodies.open('key');
  const asked = ask({ held });
  await untilWaiting(1);
  other.release();
  expect((await asked).equals(LONG)).toBe(true);
  held.release();
  expect(bodies.takenBytes).toBe(0);
});

test.each(FORMS)('one %s fails for lack of room at its deadline, and takes none', async (_, form) => {
  respond = form;
  fill();
  await expect(askUntilDeadline()).rejects.toThrow('no_room');
  expect([bodies.takenBytes, bodies.waiting]).toEqual([MAX_BYTES, 0]);
});

test('waits for room for so long and no longer', async () => {
  fill();
  const startedAt = performance.now();
  await expect(ask()).rejects.toThrow('no_room');
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(MAX_ROOM_WAIT_MS - 50);
});

test('one that is given up while it waits for room waits no longer', async () => {
  fill();
  const giveUp = new AbortController();
  const asked = ask({ signal: giveUp.signal });
  await untilWaiting(1);
  giveUp.abort('given up');
  await expect(asked).rejects.toThrow('aborted');
  expect(bodies.waiting).toBe(0);
});

test('of one that waits for room, no more is read than the kernel takes', async () => {
  fill();
  const asked = ask();
  await untilWaiting(1);
  await expect(asked).rejects.toThrow('no_room');
  const [response] = sockets;
  const { bytesWritten = 0, writableLength = 0 } = response?.socket ?? {};
  expect(bytesWritten - writableLength).toBeLessThan(KERNEL_BYTES);
});

test.each([
  ['of a declared length', declared],
  ['over a connection that is to be closed', closing],
  ['of no declared length', undeclared],
])('one %s whose connection breaks while it waits fails, and gives its room back', async (_, form) => {
  respond = form;
  fill();
  const asked = ask();
  await untilWaiting(1);
  for (const response of sockets) response.socket?.resetAndDestroy();
  other.release();
  await expect(asked).rejects.toThrow('malformed');
  expect([bodies.takenBytes, bodies.waiting]).toEqual([0, 0]);
});

test('one that is short of its declared length gives its room back', async () => {
  respond = (response) => {
    response.writeHead(200, { 'content-length': LONG.length }).write(LONG.subarray(0, 2_000_000));
    setTimeout(() => response.socket?.destroy(), 20);
  };
  await expect(ask()).rejects.toThrow('malformed');
  expect(bodies.takenBytes).toBe(0);
});

test('small responses neither take room nor wait for it', async () => {
  fill();
  const small = Buffer.from('"0x1"');
  respond = coded(gzip(small), true);
  expect((await ask()).equals(small)).toBe(true);
  respond = (response) => response.end(small);
  expect((await ask()).equals(small)).toBe(true);
  expect([bodies.takenBytes, bodies.waiting]).toEqual([MAX_BYTES, 0]);
});

testAtLength('60 large responses at once never have more than the room, and each is whole', async () => {
  bodies = new LargeBodies(3 * LONG.length);
  let most = 0;
  const asked = Array.from({ length: 60 }, async (_, index) => {
    const held = bodies.open(`key ${index % 2}`);
    const body = await ask({ held }).catch((error: Error) => error.message);
    most = Math.max(most, bodies.takenBytes);
    held.release();
    return typeof body === 'string' ? body : body.equals(LONG);
  });
  const outcomes = new Set(await Promise.all(asked));
  outcomes.delete('upstream no_room');
  expect([...outcomes]).toEqual([true]);
  expect(most).toBeLessThanOrEqual(3 * LONG.length);
  expect([bodies.takenBytes, bodies.waiting]).toEqual([0, 0]);
});
