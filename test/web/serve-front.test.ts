import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { frontFailure } from '../../lambdas/rpc/response/front-errors.ts';
import { FRONT_HEADERS } from '../../lambdas/shared/runtime/front-headers.ts';
import { FrontFigures } from '../../lambdas/web/front-figures.ts';
import type { HeadedStream } from '../../lambdas/web/headed-stream.ts';
import { type StreamingHandler, serveFront } from '../../lambdas/web/serve-front.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';

const SECRET = 'the secret';
const FRONT: Readonly<Record<string, string>> = {
  [FRONT_HEADERS.secret]: SECRET,
  [FRONT_HEADERS.requestId]: 'request-1',
  [FRONT_HEADERS.sourceIp]: '192.0.2.1',
  [FRONT_HEADERS.resource]: '/v1/{credential}',
  [FRONT_HEADERS.path]: '-',
  [FRONT_HEADERS.credential]: 'two',
  [FRONT_HEADERS.apiKey]: '-',
};
const HEAD = { statusCode: 200, headers: { 'X-Test': 'yes' } };

let server: Server;
let telemetry: RecordedTelemetry;
let events: APIGatewayProxyEvent[];
let now: number;
let agent: Agent;

beforeEach(() => {
  telemetry = new RecordedTelemetry();
  events = [];
  now = 1_000_000;
  agent = new Agent({ keepAlive: true });
});
afterEach(async () => {
  agent.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Starts a server with a handler that answers by its stream. */
async function serve(
  handle: (stream: HeadedStream, context: Parameters<StreamingHandler>[2]) => Promise<void>,
  isFromFront = async (presented: string) => presented === SECRET,
): Promise<number> {
  const clock = { now: () => now };
  server = serveFront({
    handler: async (event, stream, context) => {
      events.push(event);
      await handle(stream, context);
    },
    isFromFront,
    failure: frontFailure,
    figures: new FrontFigures(clock, telemetry),
    revision: 'revision-1',
    timeoutMs: 42_000,
    clock,
    telemetry,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

interface Got {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

function ask(port: number, headers: Readonly<Record<string, string>> = FRONT, body = '{}'): Promise<Got> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, agent, method: 'POST', headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.once('error', reject);
      response.once('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, body: text }),
      );
    });
    request.once('error', reject);
    request.end(body);
  });
}

/** As middy answers: the head, nothing, a body. */
function answer(stream: HeadedStream, ...pieces: readonly string[]): Promise<void> {
  stream.setHead(HEAD);
  stream.write('');
  for (const piece of pieces) stream.write(piece);
  return new Promise((resolve, reject) => {
    stream.once('error', reject);
    stream.end(resolve);
  });
}

test('the handler gets the event, its time and its version, and its response of one piece has a length', async () => {
  let context: Parameters<StreamingHandler>[2] | undefined;
  const port = await serve(async (stream, of) => {
    context = of;
    await answer(stream, 'an answer');
  });
  const got = await ask(port, FRONT, '{"id":1}');
  expect(got).toMatchObject({ status: 200, body: 'an answer' });
  expect(got.headers).toMatchObject({ 'x-test': 'yes', 'content-length': '9' });
  expect(Buffer.from(events[0]?.body ?? '', 'base64').toString()).toBe('{"id":1}');
  expect(context).toMatchObject({ functionVersion: 'revision-1', awsRequestId: 'request-1' });
  now += 2_000;
  expect(context?.getRemainingTimeInMillis()).toBe(40_000);
});

test('a response of many pieces is passed on whole, and one without any has no body', async () => {
  const pieces = Array.from({ length: 40 }, (_, index) => String(index % 10).repeat(100_000));
  const port = await serve((stream) => answer(stream, ...(events.length === 1 ? pieces : [])));
  expect((await ask(port)).body).toBe(pieces.join(''));
  const empty = await ask(port);
  expect([empty.headers['content-length'], empty.body]).toEqual(['0', '']);
});

test.each([
  ['without the secret', { [FRONT_HEADERS.secret]: undefined }],
  ['with another', { [FRONT_HEADERS.secret]: 'another' }],
  ['with an empty one', { [FRONT_HEADERS.secret]: '' }],
  ['without the route', { [FRONT_HEADERS.resource]: undefined }],
])(
  'a request %s is an unknown route, whatever it says of itself, and its body is not read',
  async (_, change) => {
    const port = await serve((stream) => answer(stream, 'never'));
    const headers = Object.fromEntries(
      Object.entries({ ...FRONT, ...change }).filter(([, value]) => value !== undefined),
    ) as Record<string, string>;
    const got = await ask(port, headers, 'x'.repeat(100));
    expect(got).toMatchObject({ status: 404, body: '' });
    expect(got.headers).not.toHaveProperty('x-request-id');
    expect(events).toEqual([]);
    expect(telemetry.metrics()).toEqual([{ RequestsUnderWay: 0, RequestsWithoutSecret: 1 }]);
  },
);

test('while the secret cannot be read, a request is asked to come again', async () => {
  const port = await serve(
    (stream) => answer(stream, 'never'),
    () => Promise.reject(new Error('away')),
  );
  const got = await ask(port);
  expect(got.status).toBe(503);
  expect(got.headers['retry-after']).toBe('1');
  expect(JSON.parse(got.body)).toMatchObject({ error: { code: -32_030 } });
});

test('a handler that throws is the error that API Gateway gives for one, and the next request is served', async () => {
  const port = await serve(async (stream) => {
    if (events.length === 1) throw new Error('a defect');
    await answer(stream, 'served');
  });
  const got = await ask(port);
  expect(got.status).toBe(502);
  expect(got.headers['x-request-id']).toBe('request-1');
  expect(JSON.parse(got.body)).toMatchObject({ error: { code: -32_030, data: { retryable: true } } });
  expect((await ask(port)).body).toBe('served');
});

test('a handler that fails in the midst of its response cuts the connection', async () => {
  const port = await serve(async (stream) => {
    stream.setHead(HEAD);
    stream.write('half');
    stream.write('more');
    await pause(20);
    throw new Error('a defect');
  });
  await expect(ask(port)).rejects.toThrow();
});

test('the handler comes to its end when the client goes away, with a response of any length', async () => {
  let ended = 0;
  const leave = Promise.withResolvers<void>();
  const port = await serve(async (stream) => {
    await leave.promise;
    await answer(stream, ...Array.from({ length: 64 }, () => 'x'.repeat(65_536)));
    ended += 1;
  });
  const socket = connect(port, '127.0.0.1');
  const lines = Object.entries({ ...FRONT, 'content-length': '2' }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.write(['POST / HTTP/1.1', 'host: x', ...lines, '', '{}'].join('\r\n'));
  while (events.length === 0) await pause(5);
  socket.destroy();
  await once(socket, 'close');
  await pause(20);
  leave.resolve();
  while (ended === 0) await pause(5);
  expect(ended).toBe(1);
});

test('a body larger than any of API Gateway is refused', async () => {
  const port = await serve((stream) => answer(stream, 'never'));
  const got = await ask(port, FRONT, 'x'.repeat(10 * 1024 * 1024 + 1));
  expect(got.status).toBe(413);
  expect(events).toEqual([]);
});

test('requests under way are told once a minute, at most', async () => {
  const held = Promise.withResolvers<void>();
  const port = await serve(async (stream) => {
    await held.promise;
    await answer(stream, 'late');
  });
  const asked = Array.from({ length: 8 }, () => ask(port));
  while (events.length < 8) await pause(5);
  expect(telemetry.metrics()).toEqual([{ RequestsUnderWay: 1 }]);
  now += 60_000;
  const next = ask(port);
  while (events.length < 9) await pause(5);
  expect(telemetry.metrics().at(-1)).toEqual({ RequestsUnderWay: 9 });
  held.resolve();
  await Promise.all([...asked, next]);
});
