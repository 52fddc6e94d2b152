/** A large body is read into its place, and is what was sent. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import fc from 'fast-check';
import { Connections } from '../../../lambdas/shared/http/connections.ts';
import { sendRequest } from '../../../lambdas/shared/http/send-request.ts';
import { selfSignedCertificate } from '../../probe/self-signed-certificate.ts';

const HOUR_MS = 3_600_000;
const MAX_BYTES = 4_000_000;
/** Bytes of which each tells its place: one that is not where it belongs is seen. */
const BYTES = Buffer.from(Uint8Array.from({ length: MAX_BYTES }, (_, place) => (place * 31) ^ (place >> 8)));

let server: Server;
let connections: Connections;
/** What the server writes to a request, a piece in each turn of the event loop. */
let pieces: readonly Buffer[];

async function open(secure: boolean): Promise<void> {
  const serve = (socket: Socket) => {
    socket.on('error', () => {});
    socket.on('data', () => void writeAll(socket));
  };
  const certificate = selfSignedCertificate('localhost', hoursFromNow(-1), hoursFromNow(1));
  if (secure) setDefaultCACertificates([certificate.cert]);
  server = secure ? createTlsServer(certificate, serve) : createServer(serve);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  connections = new Connections({
    origin: `${secure ? 'https' : 'http'}://localhost:${port}`,
    clock: { now: () => 0 },
    most: 8,
    mostIdle: 8,
    idleMs: HOUR_MS,
  });
}

function hoursFromNow(hours: number): Date {
  return new Date(Date.now() + hours * HOUR_MS);
}

async function writeAll(socket: Socket): Promise<void> {
  for (const piece of pieces) {
    socket.write(piece);
    await nextTurn();
  }
}

function ask() {
  return sendRequest({
    connections,
    method: 'GET',
    path: '/',
    headers: [],
    timeoutMs: 20_000,
    maxResponseBytes: MAX_BYTES,
  });
}

function head(length: number, more = ''): Buffer {
  return Buffer.from(`HTTP/1.1 200 OK\r\n${more}Content-Length: ${length}\r\n\r\n`);
}

/** A response, cut at places of its own. */
function cut(whole: Buffer, places: readonly number[]): Buffer[] {
  const cuts = [0, ...places.map((place) => place % whole.length).toSorted((a, b) => a - b), whole.length];
  return cuts.slice(1).map((end, index) => whole.subarray(cuts[index], end));
}

const trusted = getCACertificates('default');
const response = fc.record({
  length: fc.oneof(fc.nat(2_000), fc.integer({ min: 60_000, max: MAX_BYTES })),
  places: fc.array(fc.nat(), { maxLength: 8 }),
  headPlaces: fc.array(fc.nat(60), { maxLength: 4 }),
});

afterEach(async () => {
  connections.close();
  server.close();
  await once(server, 'close');
  setDefaultCACertificates(trusted);
});

test.each(['plain', 'TLS'])('what is read into its place is what was sent, %s', async (kind) => {
  await open(kind === 'TLS');
  await fc.assert(
    fc.asyncProperty(fc.array(response, { minLength: 1, maxLength: 3 }), async (responses) => {
      for (const { length, places, headPlaces } of responses) {
        const body = BYTES.subarray(MAX_BYTES - length);
        pieces = cut(Buffer.concat([head(length), body]), [...places, ...headPlaces]);
        const { body: read } = await ask();
        expect(read.equals(body)).toBe(true);
      }
    }),
    { numRuns: 40 },
  );
});

test('responses that come at the same time do not meet', async () => {
  await open(false);
  pieces = cut(Buffer.concat([head(MAX_BYTES), BYTES]), [1, 100, 1_000_000, 1_000_001, 3_999_999]);
  const bodies = await Promise.all(Array.from({ length: 8 }, ask));
  for (const { body } of bodies) expect(body.equals(BYTES)).toBe(true);
});

test('the memory of a large body is what is read into, and no other', async () => {
  await open(false);
  pieces = [head(MAX_BYTES), BYTES];
  await ask();
  const { arrayBuffers } = process.memoryUsage();
  const { body } = await ask();
  expect(body.equals(BYTES)).toBe(true);
  expect(process.memoryUsage().arrayBuffers - arrayBuffers).toBeLessThan(1.2 * MAX_BYTES);
});

test('a head of many pieces is whole, and so is the body after one that said nothing of its length', async () => {
  await open(false);
  const names = Array.from({ length: 40 }, (_, index) => `X-Long-${index}: ${'v'.repeat(200)}\r\n`).join('');
  const whole = Buffer.concat([head(MAX_BYTES, names), BYTES]);
  pieces = cut(
    whole,
    Array.from({ length: 60 }, (_, index) => index * 150),
  );
  const { headers, body } = await ask();
  expect([headers['x-long-0'], headers['x-long-39']]).toEqual(['v'.repeat(200), 'v'.repeat(200)]);
  expect(body.equals(BYTES)).toBe(true);
  const chunked = Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
  const chunk = Buffer.concat([
    Buffer.from(`${MAX_BYTES.toString(16)}\r\n`),
    BYTES,
    Buffer.from('\r\n0\r\n\r\n'),
  ]);
  pieces = cut(Buffer.concat([chunked, chunk]), [7, 70, 700_000]);
  expect((await ask()).body.equals(BYTES)).toBe(true);
});

test('what follows a body is no part of it', async () => {
  await open(false);
  pieces = [Buffer.concat([head(200_000), BYTES.subarray(0, 100_000)]), BYTES.subarray(100_000, 200_500)];
  const { body } = await ask();
  expect(body.equals(BYTES.subarray(0, 200_000))).toBe(true);
  expect(body).toHaveLength(200_000);
});

test('a body of which nobody can tell where it ends is no response', async () => {
  await open(false);
  pieces = [
    head(200_000, 'Transfer-Encoding: chunked\r\n'),
    Buffer.from('186a0\r\n'),
    BYTES.subarray(0, 100_000),
  ];
  await expect(ask()).rejects.toThrow('malformed');
});
