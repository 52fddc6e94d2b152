import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { hourOf } from '../../../lambdas/shared/runtime/clock.ts';
import { visibleText } from '../../site/visible-text.ts';
import { describeAtLength } from '../../support/at-length-tests.ts';
import { untilTrue } from '../../support/until-true.ts';
import { chromiumPath, openBrowser, testInBrowser } from '../clients/browser.ts';
import type { RunningGateway } from '../running-gateway.ts';

const run = promisify(execFile);
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1440, height: 900 };
const COMMAND_TIMEOUT_MS = 120_000;
/** A sample that no node can carry out: the reader has to sign the transaction. */
const REFUSED_BY_NODE = 'eth_sendRawTransaction';
/** Indexing, rollups, and the first snapshot of balances, which is looked for once a minute. */
const DERIVED_WITHIN_MS = 180_000;
const POLL_MS = 1_000;
/** Data API operations whose example finds nothing, with what to put in its last place: blocks differ by their times. */
const DIFFERENT_IN_EACH_RUN: ReadonlyMap<string, () => Promise<string>> = new Map([
  ['getBlockByHash', blockHash],
  ['listAccountLanes', async () => `lanes?hour=${hourOf(Date.now())}`],
  ['listSettlementLanes', lanesOfThisHour],
  ['listAccountReceipts', receiptsOnceSigned],
]);
/** Operations of which the demo chain has nothing: there is no consensus layer beside it. */
const NOTHING_TO_FIND = ['listAddressWithdrawals'];

async function lanesOfThisHour(): Promise<string> {
  await settleThisHour();
  return `../${hourOf(Date.now())}/lanes`;
}

/** Receipts are signed from the first hourly run on. */
async function receiptsOnceSigned(): Promise<string> {
  const { code, stderr } = await gateway.operator(['seal']);
  if (code !== 0) throw new Error(stderr);
  return `receipts?hour=${hourOf(Date.now())}`;
}

let gateway: RunningGateway;
let site: string;

async function textOf(file: string): Promise<string> {
  const response = await fetch(`${site}/${file}`);
  expect(response.status).toBe(200);
  return visibleText(await response.text());
}

async function filesOfSite(): Promise<string[]> {
  const found = (await (await fetch(`${site}/search.json`)).json()) as { readonly href: string }[];
  return [...new Set(found.map(({ href }) => href.split('#')[0] ?? ''))];
}

/** Tests of the reference that a run on the demo chain serves. */
export function describeSite(running: () => RunningGateway): void {
  beforeAll(() => {
    gateway = running();
    site = gateway.gatewayJson.site_url;
  });

  describe('what the reference says', saysWhatIsTrue);
  describeAtLength('in a browser', worksInABrowser);
}

function saysWhatIsTrue(): void {
  test('is announced, served with its headers, and 404 for what is not there', async () => {
    expect(gateway.output()).toContain(`Reference ${site}`);
    const response = await fetch(`${site}/`);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(response.headers.get('content-security-policy')).toContain(`${gateway.baseUrl}/v1/status`);
    expect(await response.text()).not.toContain('{base_url}');
    expect((await fetch(`${site}/../gateway.json`)).status).toBe(404);
    expect((await fetch(`${site}/constructor`)).status).toBe(404);
    expect((await fetch(`${site}/`, { method: 'POST' })).status).toBe(405);
  });

  test('works as it is written: the quick start in curl', async () => {
    const page = await (await fetch(`${site}/index.html`)).text();
    const [, after = ''] = page.split('data-tab="curl"');
    const sample = visibleText(/<code>([\s\S]*?)<\/code>/.exec(after)?.[1] ?? '');
    const { stdout } = await run('sh', ['-c', sample], {
      env: { ...process.env, GATEWAY_KEY: gateway.apiKey },
      timeout: COMMAND_TIMEOUT_MS,
    });
    expect(stdout).toMatch(/^X-CU-Billed: 1\r$/im);
    expect(stdout).toMatch(/"result":"0x[0-9a-f]+"/);
  });

  test('is a call that the chain answers, for every method', async () => {
    const text = await textOf('rpc-methods.html');
    const calls = [...text.matchAll(/ -d '(\{[\s\S]*?\})'/g)].map(
      ([, body = '']) => JSON.parse(body) as { readonly method: string },
    );
    expect(calls.length).toBeGreaterThan(25);
    const response = await fetch(`${gateway.baseUrl}/v1/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': gateway.apiKey },
      body: JSON.stringify(calls.map((call, id) => ({ ...call, id }))),
    });
    const responses = (await response.json()) as { readonly error?: object; readonly result?: unknown }[];
    const failed = calls.filter((_, index) => responses[index]?.error !== undefined);
    expect(failed.map(({ method }) => method)).toEqual([REFUSED_BY_NODE]);
    const unknown = calls.filter((_, index) => responses[index]?.result === null);
    expect(unknown.map(({ method }) => method)).toEqual(['eth_getBlockByHash']);
  });

  test(
    'is a request that finds something on the demo chain, for every operation',
    async () => {
      const requests = await dataRequests();
      for (const id of NOTHING_TO_FIND) requests.delete(id);
      expect(requests.size).toBeGreaterThan(50);
      expect(await textOf('index.html')).toContain(`curl -s ${requests.get('listAddressBalances')} `);
      // Hours turn meanwhile, and bring settlements and receipts: it asks again until each request finds something.
      let unfound = [...requests.keys()];
      const within = {
        withinMs: DERIVED_WITHIN_MS,
        everyMs: POLL_MS,
        failure: () => `not found: ${unfound}`,
      };
      await untilTrue(async () => {
        const found = await Promise.all(unfound.map((id) => findsData(requests.get(id) ?? '')));
        unfound = unfound.filter((_, index) => found[index] === false);
        if (unfound.includes('listAccountSettlements')) await settleThisHour();
        return unfound.every((id) => DIFFERENT_IN_EACH_RUN.has(id));
      }, within);
      for (const [id, valueOfThisRun] of DIFFERENT_IN_EACH_RUN) {
        const url = new URL(requests.get(id) ?? '');
        unfound = [id];
        await untilTrue(async () => findsData(new URL(await valueOfThisRun(), url).href), within);
      }
    },
    2 * DERIVED_WITHIN_MS,
  );
}

/** The request of each Data API operation, as its curl example has it. */
async function dataRequests(): Promise<Map<string, string>> {
  const files = (await filesOfSite()).filter((file) => file.startsWith('data-') && file !== 'data-api.html');
  const pages = await Promise.all(files.map(async (file) => (await fetch(`${site}/${file}`)).text()));
  const entries = pages.flatMap((page) => page.split('<article class="entry" id="').slice(1));
  return new Map(
    entries.map((entry) => {
      const [id = ''] = entry.split('"', 1);
      return [id, /curl -s '([^']+)'/.exec(visibleText(entry))?.[1] ?? ''];
    }),
  );
}

async function askData(url: string): Promise<{ readonly status: number; readonly data: unknown }> {
  const response = await fetch(url, { headers: { 'x-api-key': gateway.apiKey } });
  const { data } = (await response.json()) as { readonly data?: unknown };
  return { status: response.status, data };
}

async function findsData(url: string): Promise<boolean> {
  const { status, data } = await askData(url);
  return status === 200 && Object.keys(data ?? {}).length > 0;
}

/** Usage of an hour is settled after it; this run has not had one that is over. */
async function settleThisHour(): Promise<void> {
  await gateway.operator(['settle', '--hour', hourOf(Date.now()), '--force']);
}

async function blockHash(): Promise<string> {
  const { data } = await askData((await dataRequests()).get('getBlock') ?? '');
  return (data as { readonly hash: string }).hash;
}

function worksInABrowser(): void {
  const testHere = testInBrowser();
  let browser: Browser;
  /** The one that tests look at which need no page of their own: that takes three times as long. */
  let page: Page;

  beforeAll(async () => {
    if (chromiumPath() === undefined) return;
    browser = await openBrowser();
    page = await browser.newPage({ viewport: DESKTOP });
  });
  afterAll(async () => {
    await browser?.close();
  });

  const visit = (file: string, on = page) => on.goto(`${site}/${file}`);

  async function stateOf(shown: Page, state: string): Promise<string> {
    await shown.waitForSelector(`[data-live][data-state="${state}"]`);
    return shown.locator('[data-live]').innerText();
  }

  testHere('every page shows without an error or a foreign request, on a desk and in a hand', async () => {
    const requested: string[] = [];
    const problems: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(String(error)));
    for (const file of await filesOfSite()) {
      await visit(file);
      await page.waitForSelector('[data-pill][data-state]');
      for (const viewport of [PHONE, DESKTOP]) {
        await page.setViewportSize(viewport);
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        const { width } = viewport;
        expect({ file, width, overflow }).toEqual({ file, width, overflow: 0 });
      }
    }
    expect(problems).toEqual([]);
    const foreign = requested.filter(
      (url) => !url.startsWith(`${site}/`) && url.split('?')[0] !== `${gateway.baseUrl}/v1/status`,
    );
    expect(foreign).toEqual([]);
  });

  testHere('the status is that of the gateway, and asked again', async () => {
    const timeless = await browser.newPage();
    await timeless.clock.install();
    await visit('status.html', timeless);
    const shown = await stateOf(timeless, 'ok');
    expect(shown).toContain('All chains are up');
    expect(shown).toContain('example_mainnet');
    expect(shown).toContain('31337');
    const asked = timeless.waitForRequest(`${gateway.baseUrl}/v1/status`);
    await timeless.clock.fastForward(10_000);
    await asked;
    await timeless.close();
  });

  testHere('the status says honestly what is not well', async () => {
    const timeless = await browser.newPage();
    await timeless.clock.install();
    const chain = {
      chain: 'x',
      chain_id: 7,
      head: { block: 1_234, time: '2026-11-20T09:30:00Z', lag_seconds: 190 },
    };
    let response: object | undefined = { gateway: { status: 'degraded' }, chains: [chain] };
    await timeless.route(`${gateway.baseUrl}/v1/status`, (route) =>
      response === undefined
        ? route.abort()
        : route.fulfill({ json: response, headers: { 'access-control-allow-origin': '*' } }),
    );
    const next = async (body: object | undefined, state: string) => {
      response = body;
      await timeless.clock.fastForward(10_000);
      return stateOf(timeless, state);
    };
    await visit('status.html', timeless);
    const degraded = await stateOf(timeless, 'degraded');
    expect(degraded).toContain('1,234');
    expect(degraded).toContain('3 min');
    const gone = await next(undefined, 'unreachable');
    expect(gone).toContain('The gateway cannot be reached');
    expect(gone).not.toMatch(/1,234|Chain id/);
    expect(await timeless.locator('[data-pill]').innerText()).toBe('unreachable');
    expect(await next({ gateway: { status: 'ok' }, chains: [chain] }, 'ok')).toContain('1,234');
    expect(await next({ gateway: { status: 'down' }, chains: [] }, 'down')).toContain('No chain is there');
    expect(await next({ unheard: 'of' }, 'unreachable')).toContain('not understood');
    await timeless.close();
  });

  testHere('the search leads to a method by the keyboard alone', async () => {
    await visit('index.html');
    await page.keyboard.press('/');
    await page.keyboard.type('eth_getl');
    await page.waitForSelector('[role=option][aria-selected=true]');
    expect(await page.locator('[role=option]').first().innerText()).toContain('eth_getLogs');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${site}/rpc-methods.html#eth_getLogs`);
    await page.keyboard.press('/');
    await page.keyboard.type('balances of');
    await page.waitForSelector('[role=option]');
    const titles = await page.locator('[role=option] strong').allInnerTexts();
    expect(titles[0]).toBe('Token balances of an address');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Escape');
    expect(await page.locator('#search-results').isVisible()).toBe(false);
    await page.keyboard.type('zzqxj nothing');
    await page.waitForSelector('#search-results .none');
  });

  testHere('the chosen language holds for all samples, and for the next page', async () => {
    await visit('index.html');
    await page.locator('[role=tab]', { hasText: 'curl' }).first().focus();
    await page.keyboard.press('ArrowRight');
    for (const section of ['#first-call', '#try']) {
      expect(await page.locator(`${section} [data-tab=viem]`).isVisible()).toBe(true);
      expect(await page.locator(`${section} [data-tabs=language] [data-tab=curl]`).isVisible()).toBe(false);
    }
    await visit('rpc-methods.html#eth_call');
    await page.waitForSelector('#eth_call [data-tab=viem]');
    expect(await page.locator('#eth_call [data-tab=curl]').isVisible()).toBe(false);
  });

  testHere('dark and light are what the system prefers', async () => {
    await visit('index.html');
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await ground();
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await ground()).not.toBe(light);
  });

  testHere('a phone has the navigation behind a button', async () => {
    await page.setViewportSize(PHONE);
    await visit('data-blocks.html');
    expect(await page.locator('nav').isVisible()).toBe(false);
    await page.click('button.menu');
    expect(await page.locator('nav').isVisible()).toBe(true);
    await page.locator('nav a', { hasText: /^Errors$/ }).click();
    await page.waitForURL(`${site}/errors.html`);
  });

  testHere('without scripts everything is there to read', async () => {
    const plain = await browser.newPage({ javaScriptEnabled: false });
    await visit('rpc-methods.html', plain);
    await plain.locator('#eth_call > summary').click();
    expect(await plain.locator('#eth_call [data-tab]').count()).toBe(5);
    for (const sample of await plain.locator('#eth_call [data-tab]').all())
      expect(await sample.isVisible()).toBe(true);
  });
}
