/** That the reference of a local run is a playground: forms of what is described, one key, and what a chain says only as text. */
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { loadStageConfig } from '../../lib/config/config.ts';
import { stageFile } from '../../lib/config/stage-files.ts';
import type { LocalServer } from '../../local/processes/listen-locally.ts';
import { startSite } from '../../local/site.ts';
import { chromiumPath, openBrowser, testInBrowser } from '../end-to-end/clients/browser.ts';
import { sampled } from '../support/at-length.ts';
import { listen, type TestServer } from '../support/listen.ts';

const KEY = `rgw_${'7'.repeat(64)}`;
const SPITEFUL = '<img src=x onerror="document.title=1">';
const LINK = 'javascript:document.title=1';
const DAY = '2026-11-20T09:';
const CANDLES = Array.from({ length: 20 }, (_, minute) => ({
  start: `${DAY}${String(minute + 10)}:00Z`,
  open: String(175 + (minute % 3)),
  high: String(178 + (minute % 2)),
  low: '174.5',
  close: String(175 + (minute % 5)),
  trades: minute,
}));
const BALANCES = [
  { token: '0x01', symbol: SPITEFUL, balance: '500', uri: LINK },
  { token: '0x02', symbol: 'USD', balance: '100000000000000000001', uri: null },
];
/** Actions from the landing page to a plot of a price and to a paid call. */
const MOST_ACTIONS = 10;

const ANY_PAGE = { 'access-control-allow-origin': '*' };
/** Two hours of a day, with an hour between them in which nothing ran. */
const HISTORY = [...Array(12).keys(), ...[...Array(12).keys()].map((one) => one + 24)].map((window) => ({
  time: new Date(Date.parse('2026-11-20T06:00:00Z') + window * 300_000).toISOString(),
  block: 100 + window,
  lag_seconds: window,
  latency_ms: window === 3 ? null : 4,
  answered: 1,
}));

function statusOf(url: string): string {
  const head = { block: 136, time: '2026-11-20T09:00:00Z', lag_seconds: 1 };
  const chains = ['example_mainnet', SPITEFUL].map((chain) => ({
    chain,
    chain_id: 7,
    head,
    ...(url.endsWith(`=${chain}`) && { history: HISTORY }),
  }));
  return JSON.stringify({ checked_at: '2026-11-20T09:00:30Z', gateway: { status: 'ok' }, chains });
}

/** A request that came through the page. */
interface Came {
  readonly url: string;
  readonly body: string;
}

const testHere = testInBrowser();
let gateway: TestServer;
let site: LocalServer;
let browser: Browser;
let page: Page;
let came: Came[];
/** What scripts of the page threw. */
let faults: string[] = [];

beforeAll(async () => {
  if (chromiumPath() === undefined) return;
  gateway = await listen(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const url = request.url ?? '';
    if (url.startsWith('/v1/status')) return response.writeHead(200, ANY_PAGE).end(statusOf(url));
    came.push({ url, body });
    if (url.includes('/away/'))
      return response.writeHead(503).end('{"error":{"code":"unavailable","message":"it is away"}}');
    if (request.headers['x-api-key'] !== KEY) return response.writeHead(404).end();
    const answer = url.includes('candles')
      ? { data: CANDLES }
      : url.includes('balances')
        ? { data: BALANCES }
        : { id: 1, result: '0x3c0' };
    response.writeHead(200, {
      'content-type': 'application/json',
      'x-cu-billed': '2',
      'x-cu-balance': '998',
    });
    return response.end(JSON.stringify(answer));
  });
  site = await startSite(loadStageConfig(stageFile('local')), gateway.url);
  browser = await openBrowser();
});

beforeEach(async () => {
  came = [];
  if (browser === undefined) return;
  faults = [];
  page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.on('pageerror', (error) => faults.push(String(error)));
});

afterEach(async () => {
  await page?.close();
  expect(faults).toEqual([]);
});

afterAll(async () => {
  await browser?.close();
  await site?.close();
  await gateway?.close();
});

const visit = (file: string) => page.goto(`${site.url}/${file}`);
const form = (operation: string) => page.locator(`#${operation} form.try`);

async function typeKey(key: string): Promise<void> {
  await page.locator('#api-key').click();
  await page.keyboard.insertText(key);
}

async function send(operation: string): Promise<string> {
  const answered = page.waitForResponse((response) => response.url().includes('/try/'));
  await form(operation).locator('[type=submit]').click();
  await answered;
  const facts = form(operation).locator('figure.answer figcaption span');
  await facts.waitFor();
  return facts.innerText();
}

testHere(
  'a form has the parameters that are described, writes the request in each language, and sends it',
  async () => {
    await visit('data-addresses.html#listAddressBalances');
    await typeKey(KEY);
    await form('listAddressBalances').locator('summary').click();
    await form('listAddressBalances').locator('[name=limit]').fill('5');
    expect(await page.locator('#listAddressBalances [data-tab=curl] code').innerText()).toContain(
      '/balances?limit=5',
    );
    const facts = await send('listAddressBalances');
    expect(came.at(-1)?.url).toMatch(
      /^\/v1\/data\/example_mainnet\/addresses\/0x[0-9a-f]{40}\/balances\?limit=5$/,
    );
    expect(facts).toMatch(/^200 · [\d.]+ ms · [\d,]+ bytes · 2 CU billed$/);
    const shown = form('listAddressBalances').locator('figure.answer');
    await shown.locator('[role=tab]', { hasText: 'Response' }).click();
    expect(await shown.locator('pre').innerText()).toContain('"balance": "100000000000000000001"');
  },
);

testHere('a method is called with what stands in its fields', async () => {
  await visit('rpc-methods.html#eth_getBalance');
  await typeKey(KEY);
  await form('eth_getBalance').locator('input').first().fill('0x00000000000000000000000000000000000000ff');
  for (const label of ['curl', 'viem', 'ethers', 'Python', 'Go'])
    expect(await page.locator(`#eth_getBalance [data-tab="${label}"] code`).textContent()).toContain('00ff');
  await send('eth_getBalance');
  expect(JSON.parse(came.at(-1)?.body ?? '')).toMatchObject({
    method: 'eth_getBalance',
    params: ['0x00000000000000000000000000000000000000ff', expect.any(String)],
  });
});

testHere(
  'a key is kept for the tab once it worked; a wrong one is not, and what is pasted takes its place',
  async () => {
    await visit('data-stocks.html#listStocks');
    await typeKey('rgw_wrong');
    expect(await send('listStocks')).toContain('404');
    expect(await form('listStocks').locator('figure.answer').innerText()).toContain(
      'paste it into the field at the top',
    );
    await visit('data-blocks.html#getBlock');
    expect(await page.locator('#api-key').inputValue()).toBe('');
    await typeKey(KEY);
    await send('getBlock');
    await visit('data-stocks.html#listStocks');
    expect(await page.locator('#api-key').inputValue()).toBe(KEY);
    await typeKey('rgw_wrong');
    expect(await page.locator('#api-key').inputValue()).toBe('rgw_wrong');
  },
);

testHere(
  'a portfolio asks each chain, names the one that fails first, and shows all balances as one table',
  async () => {
    await visit('portfolio.html');
    await typeKey(KEY);
    await form('portfolio').locator('[name=chains]').fill('example_mainnet, away,example_mainnet');
    expect(await page.locator('#portfolio [data-tab=curl] code').innerText()).toContain(
      "for chain in 'example_mainnet' 'away'; do",
    );
    expect(await send('portfolio')).toContain('2 CU billed');
    expect(came.map(({ url }) => url.replace(/0x[0-9a-f]{40}/, 'A'))).toEqual(
      ['example_mainnet', 'away'].map((chain) => `/v1/data/${chain}/addresses/A/balances/usd?limit=500`),
    );
    const answer = form('portfolio').locator('figure.answer');
    const rows = await answer.locator('tbody tr').allInnerTexts();
    expect(rows.map((row) => row.split('\t').slice(0, 3).join(' '))).toEqual([
      'away unavailable it is away',
      expect.stringMatching(/^example_mainnet/),
      expect.stringMatching(/^example_mainnet/),
    ]);
    expect(await answer.locator('img, a, script').count()).toBe(0);
  },
);

testHere('no sample holds a key, whatever was sent', async () => {
  await visit('data-stocks.html#listStocks');
  await typeKey(KEY);
  await send('listStocks');
  await visit('data-stocks.html#listStockCandles');
  await form('listStockCandles').locator('[name=token]').fill(`0x'"\\ ${SPITEFUL}`);
  expect(await page.locator('[data-tabs]').allInnerTexts()).not.toContainEqual(expect.stringContaining(KEY));
  expect(await page.content()).not.toContain(KEY);
});

testHere('what a chain says is text on the page, in the table and in the plot', async () => {
  await visit('data-addresses.html#listAddressBalances');
  await typeKey(KEY);
  await send('listAddressBalances');
  const answer = form('listAddressBalances').locator('figure.answer');
  expect(await answer.locator('[role=tab]').allInnerTexts()).toEqual(['Plot', 'Table', 'Response']);
  expect(await answer.locator('svg').textContent()).toContain(SPITEFUL);
  for (const view of ['Table', 'Response']) {
    await answer.locator('[role=tab]', { hasText: view }).click();
    expect(await answer.innerText()).toContain('javascript:');
  }
  expect(await answer.locator('img, a, script').count()).toBe(0);
  expect(await page.title()).not.toBe('1');
});

testHere(
  'a plot of a price and a paid call are ten actions of the keyboard away, without a typed path',
  async () => {
    await visit('index.html');
    let actions = 0;
    const press = async (key: string) => {
      actions++;
      await page.keyboard.press(key);
    };
    const type = async (text: string) => {
      actions++;
      await page.keyboard.insertText(text);
    };
    await press('k');
    await type(KEY);
    await press('Enter');
    await press('Enter');
    await page.locator('#try figure.answer').waitFor();
    expect(JSON.parse(came.at(-1)?.body ?? '')).toMatchObject({ method: 'eth_blockNumber' });
    await press('/');
    await type('stock candles');
    await page.waitForSelector('[role=option][aria-selected=true]');
    await press('Enter');
    await page.waitForURL(/#listStockCandles$/);
    await page.locator('#listStockCandles [type=submit]:focus').waitFor();
    await press('Enter');
    const plot = form('listStockCandles').locator('svg');
    await plot.waitFor();
    expect(await plot.locator('g.rises, g.falls').count()).toBe(CANDLES.length);
    expect(actions).toBeLessThanOrEqual(MOST_ACTIONS);
  },
);

testHere('a page that is deployed sends nothing, and writes requests all the same', async () => {
  await page.route('**/*.html', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replace(' data-try>', '>') });
  });
  await visit('data-blocks.html#getBlock');
  expect(await page.locator('#api-key').isVisible()).toBe(false);
  expect(await form('getBlock').locator('[type=submit]').isVisible()).toBe(false);
  await form('getBlock').locator('[name=number]').fill('7');
  expect(await page.locator('#getBlock [data-tab=curl] code').innerText()).toContain('/blocks/7');
});

testHere('the status page plots the last day of a chain, and draws nothing over a gap', async () => {
  await visit('status.html');
  const plots = page.locator('#day figure svg');
  await plots.first().waitFor();
  expect(await plots.count()).toBe(4);
  const figures = await plots.evaluateAll((all) =>
    all.map((one) => [one.querySelectorAll('polyline').length, one.querySelectorAll('circle').length]),
  );
  expect(figures).toEqual([
    [2, 24],
    [2, 24],
    [3, 23],
    [2, 24],
  ]);
  await page.locator('#day select').selectOption(SPITEFUL);
  await page.locator('#day', { hasText: 'No five minutes are on record yet' }).waitFor();
  expect(await page.title()).not.toBe('1');
});

const LOOKS = [
  ['desk', 'dark', 1280],
  ['hand', 'light', 390],
  ['desk', 'light', 1280],
  ['hand', 'dark', 390],
] as const;
testHere.each(sampled(LOOKS))(
  'axe finds nothing serious on a %s in the %s',
  async (_, colorScheme, width) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 844 });
    const problems: unknown[] = [];
    for (const file of [
      'index.html',
      'rpc-methods.html#eth_call',
      'data-stocks.html#listStockCandles',
      'data-status.html#listCoverage',
      'status.html',
    ]) {
      await visit(file);
      if (file.includes('Candles')) {
        await page.locator('#api-key').fill(KEY);
        await send('listStockCandles');
      }
      await page.evaluate(axe.source);
      const found = (await page.evaluate('axe.run({ resultTypes: ["violations"] })')) as axe.AxeResults;
      problems.push(
        ...found.violations
          .filter(({ impact }) => impact === 'serious' || impact === 'critical')
          .map(({ id, nodes }) => ({
            file,
            id,
            where: nodes.slice(0, 3).map(({ target }) => target.join(' ')),
          })),
      );
    }
    expect(problems).toEqual([]);
  },
);
