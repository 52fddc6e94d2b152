import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { loadStageConfig } from '../../lib/config/config.ts';
import { stageFile } from '../../lib/config/stage-files.ts';
import { startSite } from '../../local/site.ts';
import { listen, type TestServer } from '../support/listen.ts';

let gateway: TestServer;
let site: Awaited<ReturnType<typeof startSite>>;
let received: {
  readonly method: string;
  readonly url: string;
  readonly key: unknown;
  readonly body: string;
}[];
let answered = '{"data":1}';

beforeAll(async () => {
  gateway = await listen(async (incoming, response) => {
    const { method = '', url = '', headers } = incoming;
    received.push({ method, url, key: headers['x-api-key'], body: await text(incoming) });
    response.writeHead(200, { 'content-type': 'application/json', 'x-cu-billed': '5', 'set-cookie': 'a=b' });
    response.end(answered);
  });
  site = await startSite(loadStageConfig(stageFile('local')), gateway.url);
});
beforeEach(() => {
  received = [];
  answered = '{"data":1}';
});
afterAll(async () => {
  await site.close();
  await gateway.close();
});

/** As a program may: `fetch` would not let an origin be chosen. */
const send = (method: string, path: string, headers: Readonly<Record<string, string>>, body = '') =>
  new Promise<{ status: number | undefined; headers: object; text: string }>((resolve, reject) => {
    const asked = request(new URL(path, site.url), { method, headers }, (response) => {
      let text = '';
      response.on('data', (piece) => {
        text += piece;
      });
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    asked.on('error', reject);
    asked.end(body);
  });

test('a request of the reference goes to the gateway with its key, and its response comes back', async () => {
  const origin = site.url.replace(/\/$/, '');
  const given = { 'x-api-key': 'rgw_1', origin };
  const got = await send('GET', '/try/v1/data/example/blocks?limit=2', given);
  expect(got).toMatchObject({ status: 200, text: '{"data":1}', headers: { 'x-cu-billed': '5' } });
  expect(got.headers).not.toHaveProperty('set-cookie');
  await send('POST', '/try/v1/', given, '{"method":"eth_chainId"}');
  expect(received).toEqual([
    { method: 'GET', url: '/v1/data/example/blocks?limit=2', key: 'rgw_1', body: '' },
    { method: 'POST', url: '/v1/', key: 'rgw_1', body: '{"method":"eth_chainId"}' },
  ]);
});

test.each([
  [
    'a page of another origin',
    'POST',
    '/try/v1/',
    { 'x-api-key': 'rgw_1', origin: 'https://evil.example' },
    403,
  ],
  [
    'the question of a browser whether it may',
    'OPTIONS',
    '/try/v1/',
    { origin: 'https://evil.example' },
    403,
  ],
  [
    'a name that points to this machine',
    'GET',
    '/try/v1/status',
    { 'x-api-key': 'rgw_1', host: 'evil.example' },
    421,
  ],
  ['a request without a key', 'GET', '/try/v1/status', {}, 400],
  ['another method', 'DELETE', '/try/v1/', { 'x-api-key': 'rgw_1' }, 405],
  ['another path', 'GET', '/try/latest', { 'x-api-key': 'rgw_1' }, 404],
])('%s is not passed on', async (_, method, path, headers, status) => {
  expect((await send(method, path, headers)).status).toBe(status);
  expect(received).toEqual([]);
});

test('bodies and answers have a bound', async () => {
  const key = { 'x-api-key': 'rgw_1' };
  expect((await send('POST', '/try/v1/', key, 'x'.repeat(64 * 1024 + 1))).status).toBe(413);
  answered = 'x'.repeat(1024 * 1024 + 1);
  expect((await send('GET', '/try/v1/status', key)).status).toBe(502);
});

test('only the pages of a local run offer it', async () => {
  const { text } = await send('GET', '/data-blocks.html', {});
  expect(text).toContain('<html lang="en" data-try>');
  expect(text).toContain('<form class="try" ');
});
