import { readFileSync, statSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import type { Browser, Page } from 'playwright-core';
import { keyIdOf } from '../../../lambdas/access/keys/api-key.ts';
import { listeningPorts } from '../../local/listening-ports.ts';
import { describeAtLength } from '../../support/at-length-tests.ts';
import { chromiumPath, openBrowser, testInBrowser } from '../clients/browser.ts';
import type { RunningGateway } from '../running-gateway.ts';

const EVIL = 'evil.example';
/** A stranger's name that points to this machine, in a browser that lets pages use it without asking. */
const BROWSER_FLAGS = [
  `--host-resolver-rules=MAP ${EVIL} 127.0.0.1`,
  '--disable-features=LocalNetworkAccessChecks',
];
const DYNAMODB_JSON = 'application/x-amz-json-1.0';
const FORGED_KEY = `rgw_${'f'.repeat(64)}`;

type Headers = Readonly<Record<string, string>>;

/** What a client of an endpoint sends. */
interface Call {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string;
}

/** What a page sends. */
interface PageRequest {
  readonly method: string;
  readonly mode?: 'no-cors';
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

function table(name: 'Keys' | 'Accounts'): string {
  return String(gateway.gatewayJson.outputs[`${name}TableName`]);
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
    headers: { 'content-type': DYNAMODB_JSON, 'x-amz-target': 'AmazonSQS.GetQueueAttributes' },
    body: JSON.stringify({ QueueUrl: gateway.gatewayJson.outputs.ChargeQueueUrl, AttributeNames: ['All'] }),
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
  dashboard: () => ({
    url: `${gateway.gatewayJson.dashboard_url}/view.json`,
    method: 'GET',
    headers: {},
    body: '',
  }),
  site: () => ({ url: `${gateway.gatewayJson.site_url}/`, method: 'GET', headers: {}, body: '' }),
};
const OF_AWS = ['dynamodb', 'sqs', 'rds_data'];

/** The names of secrets are the same on each machine: a page knows them. */
function masterSecretArn(): string {
  const secrets: object = JSON.parse(readFileSync(join(gateway.dataDir, 'database', 'secrets.json'), 'utf8'));
  const logicalId = Object.keys(secrets).find((name) => name.includes('ChainDatabaseClusterSecret'));
  const reader = String(gateway.gatewayJson.outputs.ChainDatabaseReaderSecretArn);
  return reader.replace(/ChainDatabaseReaderSecret\w+$/, String(logicalId));
}

/** A statement of the role that may change most. */
function statement(sql: string): string {
  const { outputs } = gateway.gatewayJson;
  return JSON.stringify({
    resourceArn: outputs.ChainDatabaseArn,
    secretArn: masterSecretArn(),
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

  describe.each(Object.keys(CALLS))('%s', (name) => {
    const evil = (call: Call) => `${EVIL}:${new URL(call.url).port}`;

    test('answers a client of the run', async () => {
      expect((await send(callOf(name))).status).toBe(200);
    });

    test.each([
      ['another origin', (call: Call) => ({ ...call.headers, origin: `http://${EVIL}` }), 403],
      ['no origin to tell', (call: Call) => ({ ...call.headers, origin: 'null' }), 403],
      ['a host of another name', (call: Call) => ({ ...call.headers, host: evil(call) }), 421],
      [
        'a name that points here',
        (call: Call) => ({ ...call.headers, host: evil(call), origin: `http://${evil(call)}` }),
        421,
      ],
    ])('refuses a page with %s, and lets it not read why', async (_, headers, status) => {
      const call = callOf(name);
      const refused = await send({ ...call, headers: headers(call) });
      expect(refused.status).toBe(status);
      expect(Object.keys(refused.headers).filter((one) => one.startsWith('access-control-'))).toEqual([]);
    });

    test('grants no preflight', async () => {
      const asked = { origin: `http://${EVIL}`, 'access-control-request-method': 'POST' };
      const refused = await send({ ...callOf(name), method: 'OPTIONS', headers: asked, body: '' });
      expect(refused.status).toBe(403);
      expect(Object.keys(refused.headers).filter((one) => one.startsWith('access-control-'))).toEqual([]);
    });
  });

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

  describeAtLength('a page of another site', () => {
    const pageTest = testInBrowser();
    let browser: Browser;
    let page: Page;
    /** Serves the page, and stands for a program of this machine that looks at nothing. */
    let server: Server;
    let careless: { readonly url: string; readonly heard: string[] };

    beforeAll(async () => {
      if (chromiumPath() === undefined) return;
      const heard: string[] = [];
      server = createServer(async (incoming, response) => {
        if (incoming.method === 'POST') heard.push(await text(incoming));
        response.setHeader('access-control-allow-origin', '*').setHeader('access-control-allow-headers', '*');
        response.setHeader('content-type', 'text/html').end('<title>evil</title>');
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      careless = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, heard };
      browser = await openBrowser(BROWSER_FLAGS);
      page = await browser.newPage();
      await page.goto(careless.url.replace('127.0.0.1', EVIL));
    });
    afterAll(async () => {
      await browser?.close();
      server?.close();
      server?.closeAllConnections();
    });

    /** What comes of a `fetch` of the page: its status, or that it failed. */
    function fetchInPage(url: string, init: PageRequest): Promise<number | string> {
      return page.evaluate(
        ([address, options]) =>
          fetch(address, options).then(
            ({ status, type }) => (type === 'opaque' ? 'opaque' : status),
            (error: Error) => error.name,
          ),
        [url, init] as const,
      );
    }

    const dynamo = (operation: string, body: object): PageRequest => ({
      method: 'POST',
      headers: {
        'content-type': DYNAMODB_JSON,
        'x-amz-target': `DynamoDB_20120810.${operation}`,
      },
      body: JSON.stringify(body),
    });
    const forgery = () => ({
      TableName: table('Keys'),
      Item: {
        key_id: { S: keyIdOf(FORGED_KEY) },
        account: { S: gateway.gatewayJson.demo_account },
        status: { S: 'active' },
      },
    });
    const attacks = (): readonly PageRequest[] => [
      dynamo('ListTables', {}),
      dynamo('Scan', { TableName: table('Keys') }),
      dynamo('Scan', { TableName: table('Accounts') }),
      dynamo('PutItem', forgery()),
    ];

    async function nothingCameOfIt(): Promise<void> {
      const { headers } = callOf('dynamodb');
      const key = { TableName: table('Keys'), Key: { key_id: forgery().Item.key_id } };
      const read = await send({
        ...callOf('dynamodb'),
        headers: { ...headers, 'x-amz-target': 'DynamoDB_20120810.GetItem' },
        body: JSON.stringify(key),
      });
      expect(read).toMatchObject({ status: 200, body: '{}' });
      const called = await fetch(`${gateway.baseUrl}/v1/account`, { headers: { 'x-api-key': FORGED_KEY } });
      expect(called.status).toBe(404);
      const database = new pg.Client({ connectionString: gateway.endpoints.database });
      await database.connect();
      const { rowCount } = await database.query("SELECT FROM pg_tables WHERE tablename = 'evil'");
      await database.end();
      expect(rowCount).toBe(0);
    }

    pageTest('neither reads nor writes the tables', async () => {
      // So that a failure is the run's doing, and not the browser's.
      expect(
        await fetchInPage(careless.url, { method: 'POST', headers: { 'x-a': 'b' }, body: 'heard' }),
      ).toBe(200);
      expect(careless.heard).toEqual(['heard']);
      for (const attack of attacks())
        expect(await fetchInPage(`${gateway.endpoints.dynamodb}/`, attack)).toBe('TypeError');
      await nothingCameOfIt();
    });

    pageTest('runs no statement blindly', async () => {
      const blind = { method: 'POST', mode: 'no-cors', headers: { 'content-type': 'text/plain' } } as const;
      const body = statement('CREATE TABLE public.evil (a int)');
      expect(await fetchInPage(`${gateway.endpoints.rds_data}/Execute`, { ...blind, body })).toBe('opaque');
      for (const { url, body: other } of [callOf('node'), callOf('sqs')])
        expect(await fetchInPage(url, { ...blind, body: other })).toBe('opaque');
      await nothingCameOfIt();
    });

    pageTest('gains nothing from a name that points here', async () => {
      for (const name of ['dynamodb', 'rds_data', 'node', 'sqs']) {
        const { url, headers, body } = callOf(name);
        const { authorization: _, ...unsigned } = headers;
        const address = url.replace('127.0.0.1', EVIL);
        expect((await page.goto(new URL('/', address).href))?.status()).toBe(421);
        const init = { method: 'POST', headers: { ...unsigned, ...signedWith('local') }, body };
        expect(await fetchInPage(address, init)).toBe(421);
        if (name !== 'dynamodb') continue;
        for (const attack of attacks()) expect(await fetchInPage(address, attack)).toBe(421);
      }
      await nothingCameOfIt();
    });
  });
}
