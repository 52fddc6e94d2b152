import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { loadStageConfig } from '../../../lib/config/config.ts';
import { stageFile } from '../../../lib/config/stage-files.ts';
import type { Dashboard } from '../../../local/dashboard/dashboard.ts';
import type { DashboardView, SeriesView } from '../../../local/dashboard/view.ts';
import type { LocalServer } from '../../../local/processes/listen-locally.ts';
import { startSite } from '../../../local/site.ts';

const HOSTILE = '<script>x</script>';
const times = [100, 110, 120, 130, 140, 150];
const line = (label: string, ...values: (number | null)[]): SeriesView => ({
  label,
  periodSeconds: 10,
  values,
  availability: 'available',
  reason: null,
});
const VIEW: DashboardView = {
  stage: 'test',
  chains: ['one', 'two'],
  nowMs: 150_000,
  startedAtMs: 90_000,
  rangeSeconds: 600,
  stepSeconds: 10,
  isIncomplete: false,
  widgets: [
    { kind: 'heading', title: 'Is it up?' },
    {
      kind: 'metrics',
      title: 'Requests',
      times,
      series: [
        line('one', 1, 2, null, 4, null, 1_234.5),
        line('two', 7, null, null, null, null, null),
        line(HOSTILE, 1, 1, 1, 1, 1, 0.000_000_35),
        line('nothing', null, null, null, null, null, null),
      ],
    },
    { kind: 'logs', title: 'Who asks' },
  ],
  alarms: [
    {
      name: 'LostCharges',
      arn: 'a',
      description: '[page] A charge is lost. docs/runbook.md#lostcharges',
      tells: true,
      state: 'ALARM',
      reason: '1 (alarm: > 0 in 1 of 1)',
      sinceMs: 90_000,
    },
    { name: 'Fine', arn: 'b', description: '', tells: true, state: 'OK', reason: '', sinceMs: 0 },
  ],
};

let server: LocalServer;

beforeAll(async () => {
  const dashboard: Dashboard = {
    tick: () => {},
    view: (rangeSeconds) => ({ ...VIEW, rangeSeconds }),
  };
  server = await startSite(loadStageConfig(stageFile('local')), 'http://127.0.0.1:1', { dashboard });
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

test.each([
  ['/dashboard.html', 'text/html; charset=utf-8', '<script type="module" src="dashboard.js">'],
  ['/dashboard.js', 'text/javascript; charset=utf-8', 'refresh'],
  ['/dashboard.css', 'text/css; charset=utf-8', ':root'],
])('%s', async (path, contentType, content) => {
  const { status, headers, body } = await ask(path);
  expect({ status, contentType: headers['content-type'] }).toEqual({ status: 200, contentType });
  expect(body).toContain(content);
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
  expect(headers['content-security-policy']).not.toContain('unsafe');
});

test('the page has no script and no style of its own', async () => {
  const { body } = await ask('/dashboard.html');
  expect(body).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|\sstyle=|https?:/);
});

/** Text of the page by rows and paragraphs, with what a reader sees of it. */
function seen(body: string): string {
  return body.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
}

test('a figure is the latest value, with its time if it has had no successor; what has none is named, and names stay text', async () => {
  const { body } = await ask('/dashboard.html');
  const past = new Date(100_000).toTimeString().slice(0, 8);
  expect(seen(body)).toContain(`Is it up? Requests per 10 s one 1,230 two 7 at ${past} &lt;script`);
  expect(seen(body)).toContain('script&gt; 0.00000035 no data: nothing Without data: Who asks');
  expect(body).not.toContain(HOSTILE);
});

test('a chart begins at zero, and is broken where there is no value', async () => {
  const [, chart = ''] =
    /one<\/th>.*?<svg[^>]*>(.*?)<\/svg>/s.exec((await ask('/dashboard.html')).body) ?? [];
  expect(chart).toBe(
    '<polyline points="3.0,21.0 25.8,21.0"/><circle cx="71.4" cy="20.9" r="1.8"/><circle cx="117.0" cy="3.0" r="1.8"/>',
  );
});

test('an alarm that is on stands above, with its section of the runbook; the others are one line', async () => {
  const { body } = await ask('/dashboard.html');
  expect(seen(body)).toContain('1 alarm.');
  expect(seen(body)).toMatch(
    /LostCharges page, in alarm A charge is lost. For 1 min: 1 .* See docs\/runbook.md#lostcharges Alarms: 1 ok Fine/,
  );
  expect(body).toContain('href="runbook.html#lostcharges"');
});

test('a chain that is chosen leaves out the lines of the others', async () => {
  const { body } = await ask('/dashboard.html?range=600&chain=one');
  expect([seen(body).includes('one 1,230'), seen(body).includes('two 7')]).toEqual([true, false]);
  expect(body).toContain('href="?range=3600&amp;chain=one">1 h');
});

test.each([
  ['/dashboard.html?range=3600', '1 h'],
  ['/dashboard.html?range=7', '10 min'],
  ['/dashboard.html?range=toString', '10 min'],
  ['/dashboard.html', '10 min'],
])('%s shows %s', async (path, range) =>
  expect((await ask(path)).body).toMatch(new RegExp(`aria-current="true">${range}<`)),
);

test.each([
  ['/dashboard.html', { method: 'POST' }, 405],
  ['/dashboard.html', { host: 'attacker.example' }, 421],
  ['/dashboard.html', { host: '127.0.0.1.attacker.example' }, 421],
  ['/dashboard.js', { host: 'attacker.example' }, 421],
  ['/nothing', {}, 404],
  ['//', {}, 404],
  ['/../show-dashboard.ts', {}, 404],
])('%s %j is %i', async (path, options, status) => expect((await ask(path, options)).status).toBe(status));
