import { readlinkSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { FRONT_HEADERS } from '../../lambdas/shared/runtime/front-headers.ts';
import { ROUTES } from '../../lib/edge/api-routes.ts';
import { listeningPorts } from '../local/listening-ports.ts';
import { processesMentioning } from '../local/processes.ts';
import { untilTrue } from '../support/until-true.ts';
import { type HoldingNode, startHoldingNode } from './nodes/holding-node.ts';
import { nodeStage } from './nodes/node-stage.ts';
import { chargedSoFar } from './operator/charged-cu.ts';
import { type RunningGateway, START_TIMEOUT_MS, startGateway, stopGateways } from './running-gateway.ts';

const LOOK_INTERVAL_MS = 50;
const WITHIN_MS = 120_000;
/** Longer than a busy machine takes to have all requests under way. */
const UPSTREAM_TIMEOUT_MS = 240_000;
const TIMEOUT_SECONDS = 300;
const REQUESTS = 64;
/** Time for which a request holds its place behind its answer, at the most. */
const TAIL_MS = 1_500;
/** So many that one key may have all these requests wait, for as long as a busy machine takes. */
const MAX_ENVIRONMENTS = 64;
/** Each has few of the requests, so that none is refused for the sake of the others. */
const CHAINS = ['one', 'two', 'three', 'four'];
const FORGED = 'forged';
const TRANSACTION = 'eth_sendRawTransaction';

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly answer: unknown;
}

/** A stage whose JSON-RPC function is a web function, at a node that answers when it is told to. */
describe('a web function', () => {
  let node: HoldingNode;
  let gateway: RunningGateway;
  /** What all answers so far said that they were billed. */
  let billedCu = 0;
  let sent = 0;

  beforeAll(async () => {
    node = await startHoldingNode();
    const { chains: [chain] = [], ...stage } = nodeStage(node.url);
    if (chain === undefined) throw new Error('the stage has no chain');
    gateway = await startGateway({
      config: {
        ...stage,
        chains: CHAINS.map((name, index) => ({ ...chain, chain: name, default: index === 0 })),
        plans: { standard: { bucketCapacity: 1_000_000, refillPerSecond: 10_000 } },
        upstreamTimeoutMs: UPSTREAM_TIMEOUT_MS,
        functions: {
          rpc: {
            hosting: 'web',
            timeoutSeconds: TIMEOUT_SECONDS,
            environments: { max: MAX_ENVIRONMENTS },
          },
        },
      },
    });
  }, START_TIMEOUT_MS);

  afterAll(async () => {
    node?.release();
    await stopGateways();
    await node?.close();
  });

  /** Process ids of the environments of this run. */
  const environments = () =>
    processesMentioning('functions/web-bootstrap.ts').filter((pid) =>
      readlinkSync(`/proc/${pid}/cwd`).startsWith(gateway.dataDir),
    );

  /** Sends a transaction, which is asked of the node once whatever happens. */
  async function send(
    path?: string,
    headers?: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<Answered> {
    sent += 1;
    const chain = CHAINS[sent % CHAINS.length];
    const response = await fetch(`${gateway.baseUrl}${path ?? `/v1/${chain}`}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(headers ?? { 'x-api-key': gateway.apiKey }),
      },
      body: `{"jsonrpc":"2.0","id":${sent},"method":"${TRANSACTION}","params":["0x${String(sent).padStart(8, '0')}"]}`,
      redirect: 'manual',
      ...(signal && { signal }),
    });
    billedCu += Number(response.headers.get('x-cu-billed') ?? 0);
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      answer: text.startsWith('{') ? JSON.parse(text) : text,
    };
  }

  const chargedCu = () => chargedSoFar(gateway, gateway.gatewayJson.demo_account);

  function until(condition: () => boolean | Promise<boolean>): Promise<void> {
    return untilTrue(condition, {
      withinMs: WITHIN_MS,
      everyMs: LOOK_INTERVAL_MS,
      failure: () => `in vain:\n${gateway.logs().slice(-5_000)}`,
    });
  }

  test('starts from no environment', async () => {
    expect(environments()).toEqual([]);
    const { status, headers } = await send();
    expect(status).toBe(200);
    expect(environments()).toHaveLength(1);
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get('x-request-id')).toBe(headers.get('x-amzn-requestid'));
    expect(headers.get('content-length')).not.toBeNull();
    expect(headers.get('lambda-web-request-id')).not.toBeNull();
  });

  test('serves 64 requests in one environment, and starts a second for the next', async () => {
    await sleep(TAIL_MS);
    const requests = await node.hold(REQUESTS, send);
    expect(environments()).toHaveLength(1);
    const next = await node.hold(1, send);
    expect(environments()).toHaveLength(2);
    node.release();
    const answers = await Promise.all([...requests, ...next]);
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(billedCu).toBeGreaterThan(REQUESTS);
  });

  test('stores what it held back without another request', async () => {
    await until(async () => (await chargedCu()) === billedCu);
  });

  test('takes the key from the path and from the header', async () => {
    const key = gateway.apiKey;
    for (const path of [`/v1/${key}`, `/v1/${key}/`, `/v1/two/${key}`, `/v1/two/${key}/`])
      expect(await send(path, {})).toMatchObject({ status: 200, answer: { result: '0x1' } });
    for (const path of ['/v1/', '/v1/two', '/v1/two/'])
      expect(await send(path, { 'X-API-Key': key })).toMatchObject({ status: 200 });
    for (const path of ['/v1/', '/v1/two', '/v1/unknown', `/v1/unknown/${key}`, `/v1/two/${key.slice(1)}`])
      expect(await send(path, {})).toMatchObject({ status: 404, answer: '' });
    const redirect = await send('/v1', { 'x-api-key': key });
    expect([redirect.status, redirect.headers.get('location')]).toEqual([301, '/v1/']);
  });

  test.each(ROUTES.filter(({ target }) => target === 'rpc').map(({ path }) => path))(
    'takes nothing from a client that sends the headers of the API itself, on %s',
    async (path) => {
      const forged = Object.fromEntries(Object.values(FRONT_HEADERS).map((name) => [name, FORGED]));
      const key = gateway.apiKey;
      const to = (first: string, second: string) =>
        `${path.replace('{credential}', first).replace('{api_key}', second)}${path === '/v1' ? '/' : ''}`;
      const good = await send(to('two', key), { ...forged, 'x-api-key': key });
      expect(good).toMatchObject({ status: 200, answer: { result: '0x1' } });
      expect(good.headers.get('x-request-id')).toBe(good.headers.get('x-amzn-requestid'));
      // A key, a chain and a route that only the forged headers name.
      const told = {
        ...forged,
        [FRONT_HEADERS.apiKey]: key,
        [FRONT_HEADERS.credential]: key,
        [FRONT_HEADERS.resource]: '/v1/{credential}/{api_key}',
        [FRONT_HEADERS.path]: '/v1/',
      };
      expect(await send(to('two', 'none'), told)).toMatchObject({ status: 404, answer: '' });
    },
  );

  test('binds a key to the address of the connection, whatever a client says of itself', async () => {
    const made = await gateway.operator([
      ...['key', 'create', gateway.gatewayJson.demo_account, '--label', 'elsewhere'],
      ...['--ips', '192.0.2.1', '--json'],
    ]);
    const { api_key: bound } = JSON.parse(made.stdout);
    const claims = {
      'x-api-key': bound,
      [FRONT_HEADERS.sourceIp]: '192.0.2.1',
      'x-forwarded-for': '192.0.2.1',
    };
    expect(await send('/v1/two', claims)).toMatchObject({ status: 404, answer: '' });
  });

  test('answers a request that does not come through the API like an unknown route, and reads no body', async () => {
    const [pid] = environments();
    const [{ port } = { port: 0 }] = listeningPorts(Number(pid));
    const direct = (headers: readonly string[]) =>
      new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
        const request = httpRequest(
          {
            host: '127.0.0.1',
            port,
            method: 'POST',
            path: '/',
            headers: ['Host', 'x', 'Content-Length', '1000000', ...headers],
          },
          (response) => {
            let body = '';
            response.on('data', (chunk) => {
              body += chunk;
            });
            response.on('end', () => resolve({ status: response.statusCode, body }));
          },
        );
        request.once('error', reject);
        request.flushHeaders();
      });
    const all = Object.values(FRONT_HEADERS).flatMap((name) => [name, '-']);
    for (const headers of [[], ['x-api-key', gateway.apiKey], all, [...all, FRONT_HEADERS.secret, '']])
      expect(await direct(headers)).toEqual({ status: 404, body: '' });
  });

  test('charges for an answer whose client has gone away', async () => {
    await until(async () => (await chargedCu()) === billedCu);
    const before = billedCu;
    const leaving = new AbortController();
    const [request] = await node.hold(1, () => send(undefined, undefined, leaving.signal));
    leaving.abort();
    await expect(request).rejects.toThrow();
    node.release();
    await until(async () => (await chargedCu()) > before);
    billedCu = await chargedCu();
    expect(billedCu - before).toBeLessThanOrEqual(100);
  });

  test('hands over what it holds back when it gets SIGTERM, and finishes what is under way', async () => {
    await until(async () => (await chargedCu()) === billedCu);
    const quick = await send();
    expect(quick.status).toBe(200);
    const requests = await node.hold(4, send);
    for (const pid of environments()) process.kill(pid, 'SIGTERM');
    await until(async () => (await chargedCu()) === billedCu);
    node.release();
    for (const { status } of await Promise.all(requests)) expect(status).toBe(200);
    await until(() => environments().length === 0);
    await until(async () => (await chargedCu()) === billedCu);
  });

  test('loses no charge that is a second old when it is killed in the middle of 64 requests', async () => {
    for (let request = 0; request < 5; request++) expect((await send()).status).toBe(200);
    await until(async () => (await chargedCu()) === billedCu);
    const requests = await node.hold(REQUESTS, send);
    const before = environments();
    for (const pid of before) process.kill(pid, 'SIGKILL');
    const answers = await Promise.all(requests);
    node.forget();
    for (const { status, headers, answer } of answers) {
      expect(status).toBe(502);
      // Lambda's own, which is not of the specification's form.
      expect(headers.get('lambda-web-error-type')).not.toBeNull();
      expect(answer).not.toHaveProperty('error');
    }
    expect(await chargedCu()).toBe(billedCu);
    expect((await send()).status).toBe(200);
    expect(environments().filter((pid) => before.includes(pid))).toEqual([]);
  });
});
