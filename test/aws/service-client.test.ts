import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { IDLE_CONNECTION_MS } from '../../lambdas/aws/connections.ts';
import { readPlace } from '../../lambdas/aws/place.ts';
import { connectService, type Service } from '../../lambdas/aws/service-client.ts';
import { pickPort } from '../../local/free-port.ts';

const SERVICE: Service = { name: 'thing', endpointVariable: 'URL_OF_THING', contentType: 'application/json' };
const CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test' };
/** Far above what a server of this process needs on a busy machine. */
const PATIENCE_MS = 120_000;

let server: Server;
let endpoint: string;
let requests: { readonly request: IncomingMessage; readonly body: string }[];
let answer: (response: ServerResponse) => void;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    requests.push({ request, body: await text(request) });
    answer(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  requests = [];
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

function connect(options: { endpoint?: string; now?: () => number; connectTimeoutMs?: number } = {}) {
  return connectService({
    service: SERVICE,
    config: { endpoint: options.endpoint ?? endpoint, region: 'us-east-1', credentials: CREDENTIALS },
    connectTimeoutMs: options.connectTimeoutMs ?? PATIENCE_MS,
    ...(options.now && { clock: { now: options.now } }),
  });
}

const request = { path: '/Do', input: { say: 'héllo' }, timeoutMs: PATIENCE_MS };

test('sends JSON and gives the JSON of the answer', async () => {
  answer = (response) => response.end('{"heard":"héllo"}');
  await expect(connect()({ ...request, target: 'V1.Do' })).resolves.toEqual({ heard: 'héllo' });
  const [received] = requests;
  expect(received?.body).toBe('{"say":"héllo"}');
  expect(received?.request).toMatchObject({ method: 'POST', url: '/Do' });
  expect(received?.request.headers).toMatchObject({
    'content-type': 'application/json',
    'content-length': '16',
    'x-amz-target': 'V1.Do',
  });
});

test('passes the trace on that the invocation is part of', async () => {
  answer = (response) => response.end('{}');
  process.env._X_AMZN_TRACE_ID = 'Root=1-2-3';
  await connect()(request).finally(() => delete process.env._X_AMZN_TRACE_ID);
  expect(requests[0]?.request.headers['x-amzn-trace-id']).toBe('Root=1-2-3');
  expect(requests[0]?.request.headers.authorization).not.toContain('x-amzn-trace-id');
});

test.each([
  ['the header', { 'x-amzn-errortype': 'BadThing:http://example.com/' }, '{"message":"no"}', 'BadThing'],
  ['the body', {}, '{"__type":"com.example.v1#BadThing","Message":"no"}', 'BadThing'],
  ['the status, where nothing else tells', {}, '<html>', 'HTTP 503'],
])('an error has the name that %s tells', async (_, headers, body, name) => {
  answer = (response) => response.writeHead(503, headers).end(body);
  const message = name === 'BadThing' ? 'no' : '';
  await expect(connect()(request)).rejects.toMatchObject({ name, message, status: 503 });
  expect(requests).toHaveLength(1);
});

test('an error keeps the other fields of its answer', async () => {
  answer = (response) => response.writeHead(400).end('{"__type":"Refused","Item":{"a":{"S":"b"}}}');
  await expect(connect()(request)).rejects.toMatchObject({ fields: { Item: { a: { S: 'b' } } } });
});

test('no answer in time, a broken and an unreadable answer: the request was sent', async () => {
  const failures: ((response: ServerResponse) => void)[] = [
    () => undefined,
    (response) => response.write('{"heard"'),
    (response) => response.socket?.resetAndDestroy(),
    (response) => response.end('<html>'),
    (response) => response.writeHead(200, { 'content-length': 9 }).write('{}', () => response.destroy()),
  ];
  for (const failure of failures) {
    answer = failure;
    const timeoutMs = failures.indexOf(failure) < 2 ? 200 : PATIENCE_MS;
    await expect(connect()({ ...request, timeoutMs })).rejects.toMatchObject({
      name: 'ExchangeError',
      sent: true,
    });
  }
  expect(requests).toHaveLength(failures.length);
});

test('no connection, no region, no credentials: nothing was sent', async () => {
  const notSent = { name: 'ExchangeError', sent: false };
  await expect(connect({ endpoint: `http://127.0.0.1:${await pickPort()}` })(request)).rejects.toMatchObject(
    notSent,
  );
  // A TLS handshake with a server that never answers it.
  const secure = connect({ endpoint: endpoint.replace('http', 'https'), connectTimeoutMs: 200 });
  await expect(secure(request)).rejects.toMatchObject(notSent);
  expect(() => readPlace(SERVICE, { credentials: CREDENTIALS }, {})).toThrow('AWS_REGION is not set');
  expect(() => readPlace(SERVICE, {}, { AWS_REGION: 'us-east-1' })).toThrow('AWS_ACCESS_KEY_ID is not set');
  expect(requests).toHaveLength(0);
});

test('an answer that is too large is given up', async () => {
  const chunk = Buffer.alloc(1024 * 1024);
  answer = (response) => {
    for (let count = 0; count < 40; count += 1) response.write(chunk);
    response.end();
  };
  await expect(connect()(request)).rejects.toThrow('an answer of more than 33554432 bytes');
});

test('a connection is kept, but not used again after it was idle for long', async () => {
  answer = (response) => response.end('{}');
  let now = 1_000_000;
  const send = connect({ now: () => now });
  const ports: (number | undefined)[] = [];
  for (const elapsedMs of [0, IDLE_CONNECTION_MS, IDLE_CONNECTION_MS + 1]) {
    now += elapsedMs;
    await send(request);
    ports.push(requests.at(-1)?.request.socket.remotePort);
  }
  expect(ports[1]).toBe(ports[0]);
  expect(ports[2]).not.toBe(ports[0]);
});

test(
  'a connection that was idle for long is closed, however often another was used',
  async () => {
    let now = 1_000_000;
    const send = connect({ now: () => now });
    const waiting: ServerResponse[] = [];
    answer = (response) => waiting.push(response);
    const both = Promise.all([send(request), send(request)]);
    while (waiting.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    for (const response of waiting) response.end('{}');
    await both;
    answer = (response) => response.end('{}');
    for (let count = 0; count < 4; count += 1) {
      now += IDLE_CONNECTION_MS - 1;
      await send(request);
    }
    const trickle = requests.at(-1)?.request.socket;
    const ports = new Set(requests.map(({ request: { socket } }) => socket.remotePort));
    expect(ports.size).toBe(2);
    const others = requests.map(({ request: { socket } }) => socket).filter((socket) => socket !== trickle);
    await Promise.all(others.map((socket) => socket.destroyed || once(socket, 'close')));
    expect(trickle?.destroyed).toBe(false);
  },
  PATIENCE_MS,
);

describe('the place', () => {
  const environment = {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'key',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'token',
  };

  test('is what Lambda says', async () => {
    const place = readPlace(SERVICE, {}, environment);
    expect(place.endpoint.href).toBe('https://thing.eu-west-1.amazonaws.com/');
    expect(place.region).toBe('eu-west-1');
    await expect(place.credentials()).resolves.toEqual({
      accessKeyId: 'key',
      secretAccessKey: 'secret',
      sessionToken: 'token',
    });
  });

  test.each([
    ['us-gov-west-1', 'thing.us-gov-west-1.amazonaws.com'],
    ['cn-north-1', 'thing.cn-north-1.amazonaws.com.cn'],
    ['eusc-de-east-1', 'thing.eusc-de-east-1.amazonaws.eu'],
    ['us-iso-east-1', 'thing.us-iso-east-1.c2s.ic.gov'],
    ['us-isob-east-1', 'thing.us-isob-east-1.sc2s.sgov.gov'],
    ['us-isof-south-1', 'thing.us-isof-south-1.csp.hci.ic.gov'],
    ['eu-isoe-west-1', 'thing.eu-isoe-west-1.cloud.adc-e.uk'],
  ])('of the region %s is %s', (region, host) => {
    expect(readPlace(SERVICE, {}, { ...environment, AWS_REGION: region }).endpoint.host).toBe(host);
  });

  test('is another endpoint where the environment or the caller names one', () => {
    const named = { ...environment, URL_OF_THING: 'http://127.0.0.1:1' };
    expect(readPlace(SERVICE, {}, named).endpoint.port).toBe('1');
    expect(readPlace(SERVICE, { endpoint: 'http://127.0.0.1:2' }, named).endpoint.port).toBe('2');
  });

  test('asks for credentials each time where they come from a provider', async () => {
    let asked = 0;
    const credentials = async () => {
      asked += 1;
      return { accessKeyId: `key${asked}`, secretAccessKey: 'secret' };
    };
    const place = readPlace(SERVICE, { credentials }, environment);
    await place.credentials();
    await expect(place.credentials()).resolves.toMatchObject({ accessKeyId: 'key2' });
  });
});
