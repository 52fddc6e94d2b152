import { statSync } from 'node:fs';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { listeningPorts } from '../../local/listening-ports.ts';
import type { RunningGateway } from '../running-gateway.ts';

const EVIL = 'evil.example';
const DYNAMODB_JSON = 'application/x-amz-json-1.0';

type Headers = Readonly<Record<string, string>>;

/** What a client of an endpoint sends. */
interface Call {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string;
}

let gateway: RunningGateway;

/** Sends a call as it is, which `fetch` would put in order, with a host of its own if need be. */
function send({
  url,
  method,
  headers,
  body,
}: Call): Promise<{ status: number; headers: Headers; body: string }> {
  const { hostname, port, pathname, host } = new URL(url);
  return new Promise((resolve, reject) => {
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    const sent = { host, ...(body !== '' && length), ...headers };
    request({ hostname, port, path: pathname, method, headers: sent, agent: false }, async (response) => {
      const head = { status: response.statusCode ?? 0, headers: response.headers as Headers };
      resolve({ ...head, body: await text(response) });
    })
      .on('error', reject)
      .end(body);
  });
}

function signedWith(accessKeyId: string): Headers {
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/20261123/us-east-1/any/aws4_request, SignedHeaders=host, Signature=0`;
  return { 'x-amz-date': '20261123T000000Z', authorization };
}

/** What a client of the run may ask of each endpoint. */
const CALLS: Readonly<Record<string, () => Call>> = {
  dynamodb: () => ({
    url: `${gateway.endpoints.dynamodb}/`,
    method: 'POST',
    headers: { 'content-type': DYNAMODB_JSON, 'x-amz-target': 'DynamoDB_20120810.ListTables' },
    body: '{}',
  }),
  sqs: () => ({
    url: `${gateway.endpoints.sqs}/`,
    method: 'POST',
    headers: { 'content-type': DYNAMODB_JSON, 'x-amz-target': 'AmazonSQS.SendMessage' },
    body: JSON.stringify({
      QueueUrl: gateway.gatewayJson.outputs.ChargeQueueUrl,
      MessageBody: 'no charge',
      // Longer than the run.
      DelaySeconds: 900,
    }),
  }),
  rds_data: () => ({
    url: `${gateway.endpoints.rds_data}/Execute`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: statement('SELECT 1'),
  }),
  node: () => ({
    url: `${gateway.endpoints.upstream}/`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}',
  }),
  site: () => ({ url: `${gateway.gatewayJson.site_url}/`, method: 'GET', headers: {}, body: '' }),
};
const OF_AWS = ['dynamodb', 'sqs', 'rds_data'];

/** A statement of the role that reads. */
function statement(sql: string): string {
  const { outputs } = gateway.gatewayJson;
  return JSON.stringify({
    resourceArn: outputs.ChainDatabaseArn,
    secretArn: outputs.ChainDatabaseReaderSecretArn,
    database: outputs.ChainDatabaseName,
    sql,
  });
}

function callOf(name: string): Call {
  const call = CALLS[name]?.();
  if (call === undefined) throw new Error(`no endpoint ${name}`);
  if (!OF_AWS.includes(name)) return call;
  return { ...call, headers: { ...call.headers, ...signedWith(gateway.gatewayJson.access_key_id) } };
}

/** What a local run listens on is for its user's programs, and not for pages of other sites. */
export function describeLocalPorts(running: () => RunningGateway): void {
  beforeAll(() => {
    gateway = running();
  });

  test.each(Object.keys(CALLS))(
    '%s answers a client of the run, and refuses a page without a reason that it could read',
    async (name) => {
      const call = callOf(name);
      expect((await send(call)).status).toBe(200);
      const preflight = { origin: `http://${EVIL}`, 'access-control-request-method': 'POST' };
      for (const page of [
        { ...call, headers: { ...call.headers, origin: `http://${EVIL}` } },
        { ...call, method: 'OPTIONS', headers: preflight, body: '' },
      ]) {
        const refused = await send(page);
        expect(refused.status).toBe(403);
        expect(Object.keys(refused.headers).filter((one) => one.startsWith('access-control-'))).toEqual([]);
      }
    },
  );

  test.each([...OF_AWS, 'node'])('%s refuses a text', async (name) => {
    const call = callOf(name);
    expect((await send({ ...call, headers: { ...call.headers, 'content-type': 'text/plain' } })).status).toBe(
      415,
    );
  });

  test.each(OF_AWS)('%s refuses other access keys, and requests without one', async (name) => {
    const call = callOf(name);
    const { authorization: _, ...unsigned } = call.headers;
    for (const key of ['local', `${gateway.gatewayJson.access_key_id}0`]) {
      const refused = await send({ ...call, headers: { ...unsigned, ...signedWith(key) } });
      expect(refused).toMatchObject({
        status: 403,
        body: expect.stringContaining('UnrecognizedClientException'),
      });
    }
    expect((await send({ ...call, headers: unsigned })).status).toBe(403);
  });

  test('whatever the run listens on refuses a foreign name, or no page can find it', async () => {
    const api = Number(new URL(gateway.baseUrl).port);
    const database = Number(new URL(gateway.endpoints.database ?? '').port);
    const found = listeningPorts(gateway.gatewayJson.pid);
    const known = Object.keys(CALLS).map((name) => Number(new URL(callOf(name).url).port));
    expect(found.map(({ port }) => port)).toEqual(expect.arrayContaining([...known, api, database]));
    const hidden = found.filter(({ host }) => host !== '127.0.0.1');
    for (const { host } of hidden) expect(host).toMatch(/^127\.(?!0\.0\.)/);
    expect(hidden.map(({ program }) => program).sort()).toEqual(['anvil', 'dynoxide']);
    // The API is for all that have a key, PostgreSQL speaks another language and asks for a password.
    const others = found.filter((one) => !hidden.includes(one) && one.port !== api && one.port !== database);
    for (const { port } of others) {
      const url = `http://127.0.0.1:${port}/`;
      const headers = { host: `${EVIL}:${port}` };
      expect((await send({ url, method: 'GET', headers, body: '' })).status).toBe(421);
    }
  });

  test('what the run tells its tools is its user’s alone', () => {
    expect(statSync(gateway.dataDir).mode & 0o777).toBe(0o700);
    expect(statSync(`${gateway.dataDir}/gateway.json`).mode & 0o777).toBe(0o600);
    const told = gateway.output() + JSON.stringify(gateway.gatewayJson.endpoints);
    expect(told).not.toContain(gateway.gatewayJson.access_key_id);
  });
}
