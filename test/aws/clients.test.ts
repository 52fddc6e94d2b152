import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { clientSettings } from '../../lambdas/shared/aws/client-settings.ts';
import { connectDynamo } from '../../lambdas/shared/aws/dynamo-client.ts';
import { isRefusal, responseStatus } from '../../lambdas/shared/aws/refusal.ts';
import { pickPort } from '../../local/processes/free-port.ts';
import { listen, type TestServer } from '../support/listen.ts';

const IDLE_CONNECTION_MS = 10_000;

const CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test', sessionToken: 'token' };
/** Far above what a server of this process needs on a busy machine. */
const PATIENCE_MS = 120_000;

let server: TestServer;
let endpoint: string;
let requests: { readonly request: IncomingMessage; readonly body: string }[];
let answer: (response: ServerResponse) => void;

beforeAll(async () => {
  server = await listen(async (request, response) => {
    requests.push({ request, body: await text(request) });
    answer(response);
  });
  endpoint = server.url;
});
beforeEach(() => {
  requests = [];
});
afterAll(() => server.close());

interface Differences {
  readonly endpoint?: string;
  readonly now?: () => number;
  readonly connectTimeoutMs?: number;
  readonly timeoutMs?: number;
}

/** Reads an item by a client of these settings. */
function connect({
  now,
  timeoutMs = PATIENCE_MS,
  connectTimeoutMs = PATIENCE_MS,
  ...place
}: Differences = {}) {
  const client = connectDynamo({
    config: { endpoint: place.endpoint ?? endpoint, region: 'us-east-1', credentials: CREDENTIALS },
    connectTimeoutMs,
    timeoutMs,
    ...(now && { clock: { now } }),
  });
  return () => client.send(new GetItemCommand({ TableName: 'table', Key: { id: { S: 'héllo' } } }));
}

test('sends a signed request and gives what is answered', async () => {
  answer = (response) => response.end('{"Item":{"id":{"S":"héllo"},"n":{"N":"7"}}}');
  await expect(connect()()).resolves.toMatchObject({ Item: { id: { S: 'héllo' }, n: { N: '7' } } });
  const [received] = requests;
  expect(JSON.parse(received?.body ?? '')).toEqual({ TableName: 'table', Key: { id: { S: 'héllo' } } });
  expect(received?.request).toMatchObject({ method: 'POST', url: '/' });
  expect(received?.request.headers).toMatchObject({
    'content-length': String(Buffer.byteLength(received?.body ?? '')),
    'x-amz-target': 'DynamoDB_20120810.GetItem',
    'x-amz-security-token': 'token',
    authorization: expect.stringContaining('Credential=test/'),
  });
});

test('a refusal is told apart from an answer that says nothing of what was done', async () => {
  const statuses = [400, 413, 500, 503];
  const seen: [number | undefined, boolean][] = [];
  for (const status of statuses) {
    answer = (response) => response.writeHead(status).end(status === 503 ? '<html>' : '{"__type":"a#Bad"}');
    await connect()().catch((error: unknown) => seen.push([responseStatus(error), isRefusal(error)]));
  }
  expect(seen).toEqual(statuses.map((status) => [status, status < 500]));
  expect(requests).toHaveLength(statuses.length);
});

test('no answer in time, a broken and an unreadable answer are no refusal, and nothing is sent twice', async () => {
  const failures: readonly [(response: ServerResponse) => void, timeoutMs: number][] = [
    [() => undefined, 200],
    [(response) => response.write('{"Item"'), 200],
    [(response) => response.socket?.resetAndDestroy(), PATIENCE_MS],
    [(response) => response.end('<html>'), PATIENCE_MS],
    [
      (response) => response.writeHead(200, { 'content-length': 9 }).write('{}', () => response.destroy()),
      PATIENCE_MS,
    ],
  ];
  for (const [failure, timeoutMs] of failures) {
    answer = failure;
    const failed = await connect({ timeoutMs })().catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(Error);
    expect(isRefusal(failed)).toBe(false);
  }
  expect(requests).toHaveLength(failures.length);
});

test('an answer that trickles is given up when its time is over', async () => {
  answer = (response) => {
    const timer = setInterval(() => response.write(' '), 20);
    response.once('close', () => clearInterval(timer));
  };
  await expect(connect({ timeoutMs: 300 })()).rejects.toThrow('upstream timeout');
});

test('a connection that is refused, or never made, is given up', async () => {
  const nobody = `http://127.0.0.1:${await pickPort()}`;
  await expect(connect({ endpoint: nobody })()).rejects.toThrow('ECONNREFUSED');
  // A TLS handshake with a server that never answers it.
  const silent = createTcpServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const secure = connect({ endpoint: `https://127.0.0.1:${port}`, connectTimeoutMs: 200 });
  await expect(secure()).rejects.toThrow('upstream timeout (NO_CONNECTION)');
  silent.close();
  expect(requests).toHaveLength(0);
});

test('an answer that is too large is given up', async () => {
  const chunk = Buffer.alloc(1024 * 1024);
  answer = (response) => {
    for (let count = 0; count < 40; count += 1) response.write(chunk);
    response.end();
  };
  await expect(connect()()).rejects.toThrow('upstream too_large');
});

test('a client remembers nothing of the requests that it has sent', async () => {
  answer = (response) => response.end('{}');
  const send = connect();
  for (let count = 0; count < 20; count += 1) await send();
  const lengths = requests.map(({ request }) => JSON.stringify(request.headers).length);
  expect(new Set(lengths).size).toBe(1);
  // One with a mode is noted in what a client keeps, once for each request.
  const { retryStrategy } = clientSettings('AWS_ENDPOINT_URL_SQS', { connectTimeoutMs: 1, timeoutMs: 1 });
  expect(retryStrategy).not.toHaveProperty('mode');
});

test('a client does each of its steps once', () => {
  const client = connectDynamo({ connectTimeoutMs: 1, timeoutMs: 1 });
  const steps = client.middlewareStack.identify().map((step) => step.split(' - ')[0]);
  expect(steps).toEqual([...new Set(steps)]);
  expect(steps).toEqual(expect.arrayContaining(['serializerMiddleware', 'deserializerMiddleware']));
  expect(steps).not.toContain('loggerMiddleware');
});

test('a connection is kept, but not used again after it was idle for long', async () => {
  answer = (response) => response.end('{}');
  let now = 1_000_000;
  const send = connect({ now: () => now });
  const ports: (number | undefined)[] = [];
  for (const elapsedMs of [0, IDLE_CONNECTION_MS, IDLE_CONNECTION_MS + 1]) {
    now += elapsedMs;
    await send();
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
    const both = Promise.all([send(), send()]);
    while (waiting.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    for (const response of waiting) response.end('{}');
    await both;
    answer = (response) => response.end('{}');
    for (let count = 0; count < 4; count += 1) {
      now += IDLE_CONNECTION_MS - 1;
      await send();
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

describe('in the environment of a function', () => {
  const ENVIRONMENT = {
    AWS_LAMBDA_FUNCTION_NAME: 'function',
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'key',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'session',
    _X_AMZN_TRACE_ID: 'Root=1-2-3',
  };
  const TIMES = { connectTimeoutMs: PATIENCE_MS, timeoutMs: PATIENCE_MS };
  const { env } = process;
  beforeEach(() => {
    process.env = { ...env, ...ENVIRONMENT };
  });
  afterEach(() => {
    process.env = env;
  });

  test('a client is of its region, at the endpoint that the environment or the caller names', () => {
    expect(clientSettings('AWS_ENDPOINT_URL_SQS', TIMES)).toMatchObject({ region: 'eu-west-1' });
    expect(clientSettings('AWS_ENDPOINT_URL_SQS', TIMES)).not.toHaveProperty('endpoint');
    process.env.AWS_ENDPOINT_URL_SQS = 'http://127.0.0.1:1';
    expect(clientSettings('AWS_ENDPOINT_URL_SQS', TIMES)).toMatchObject({ endpoint: 'http://127.0.0.1:1' });
    const config = { endpoint: 'http://127.0.0.1:2', region: 'us-east-2' };
    expect(clientSettings('AWS_ENDPOINT_URL_SQS', { ...TIMES, config })).toMatchObject(config);
  });

  test.each([
    ['us-east-1', 'dynamodb.us-east-1.amazonaws.com'],
    ['cn-north-1', 'dynamodb.cn-north-1.amazonaws.com.cn'],
    ['eusc-de-east-1', 'dynamodb.eusc-de-east-1.amazonaws.eu'],
  ])('a request in the region %s goes to %s', async (region, host) => {
    process.env.AWS_REGION = region;
    const client = connectDynamo({ ...TIMES, config: { credentials: CREDENTIALS } });
    const hosts: unknown[] = [];
    const note = { name: 'noteHost', step: 'finalizeRequest', priority: 'low' } as const;
    client.middlewareStack.add(
      () => async (args) => {
        hosts.push(Object(args.request).hostname);
        throw new Error('not sent');
      },
      note,
    );
    await expect(client.send(new GetItemCommand({ TableName: 't', Key: {} }))).rejects.toThrow('not sent');
    expect(hosts).toEqual([host]);
  });

  test('a request is part of the trace that the invocation is part of', async () => {
    answer = (response) => response.end('{}');
    await connect()();
    expect(requests[0]?.request.headers['x-amzn-trace-id']).toBe('Root=1-2-3');
  });
});
