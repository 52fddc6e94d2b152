import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Dashboard } from '../../../local/dashboard/dashboard.ts';
import { startDashboardServer } from '../../../local/dashboard/server.ts';
import type { DashboardView } from '../../../local/dashboard/view.ts';
import type { LocalServer } from '../../../local/processes/listen-locally.ts';

let server: LocalServer;
let ticks = 0;

beforeAll(async () => {
  const dashboard: Dashboard = {
    tick: () => {
      ticks += 1;
    },
    view: (rangeSeconds) => ({ rangeSeconds }) as DashboardView,
  };
  server = await startDashboardServer(dashboard);
});
afterAll(() => server.close());

/** A request as it is, which `fetch` would put in order. */
function ask(path: string, { method = 'GET', host = new URL(server.url).host } = {}) {
  const { hostname, port } = new URL(server.url);
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }>(
    (resolve, reject) => {
      request({ hostname, port, path, method, headers: { host } }, async (response) => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: await text(response) });
      })
        .on('error', reject)
        .end();
    },
  );
}

test('it ticks from the start', () => expect(ticks).toBe(1));

test.each([
  ['/', 'text/html; charset=utf-8', '<script type="module" src="page.js">'],
  ['/page.js', 'text/javascript; charset=utf-8', 'view.json'],
  ['/page.css', 'text/css; charset=utf-8', '.uplot'],
  ['/icon.svg', 'image/svg+xml', '<svg'],
])('%s', async (path, contentType, content) => {
  const { status, headers, body } = await ask(path);
  expect({ status, contentType: headers['content-type'] }).toEqual({ status: 200, contentType });
  expect(body).toContain(content);
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
  expect(headers['content-security-policy']).not.toContain('unsafe');
});

test('the page has no script and no style of its own', async () => {
  const { body } = await ask('/');
  expect(body).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|\sstyle=|https?:/);
});

test.each([
  ['/view.json?range=3600', 3_600],
  ['/view.json?range=7', 600],
  ['/view.json?range=toString', 600],
  ['/view.json', 600],
])('%s', async (path, range) => expect(JSON.parse((await ask(path)).body)).toEqual({ rangeSeconds: range }));

test.each([
  ['/', { method: 'POST' }, 405],
  ['/', { host: 'attacker.example' }, 421],
  ['/', { host: '127.0.0.1.attacker.example' }, 421],
  ['/view.json', { host: 'attacker.example' }, 421],
  ['/nothing', {}, 404],
  ['//', {}, 404],
  ['/../server.ts', {}, 404],
])('%s %j is %i', async (path, options, status) => expect((await ask(path, options)).status).toBe(status));
