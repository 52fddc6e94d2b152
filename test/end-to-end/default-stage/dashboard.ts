import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { describeAtLength } from '../../support/at-length-tests.ts';
import { chromiumPath, openBrowser, testInBrowser } from '../clients/browser.ts';
import { type RunningGateway, TWO_RUNS_MS } from '../running-gateway.ts';
import { sendMessage } from '../send-message.ts';

const SHOWN_WITHIN_MS = 120_000;
const REQUESTS = 12;
/** What the window of a small laptop shows. */
const FIRST_SCREEN = { width: 1_440, height: 900 };
const ONE_LINE_PIXELS = 60;

const pageTest = testInBrowser();
let gateway: RunningGateway;
let browser: Browser;
/** The one that all tests look at: a page of its own for each would take three times as long. */
let page: Page;
/** What went wrong in pages, and hosts other than that of the page that they asked. */
let complaints: string[];

async function openPage(): Promise<Page> {
  const opened = await browser.newPage();
  opened.setDefaultTimeout(SHOWN_WITHIN_MS);
  opened.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  opened.on('pageerror', (error) => complaints.push(String(error)));
  opened.on('request', (request) => {
    if (new URL(request.url()).origin !== gateway.gatewayJson.site_url) complaints.push(request.url());
  });
  return opened;
}

async function showDashboard(): Promise<void> {
  await page.goto(gateway.gatewayJson.dashboard_url);
  await page.locator('article').first().waitFor();
}

const widget = (title: string) => page.locator(`article[data-title="${title}"]`);
const alarm = (name: string) => page.locator(`[data-alarm="${name}"]`);

function call(method: string, key = gateway.apiKey): Promise<Response> {
  return fetch(`${gateway.baseUrl}/v1/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method }),
  });
}

/** Puts a message where charges wait that no delivery could apply. */
async function loseCharge(): Promise<void> {
  const names = readdirSync(join(gateway.dataDir, 'queues'));
  const deadLetters = names.find((name) => name.includes('ChargesDeadLetters')) ?? '';
  await sendMessage(gateway, 'no charge', { queue: deadLetters });
}

/** Opens the browser for some tests of the dashboard. */
function inBrowser(running: () => RunningGateway): void {
  beforeAll(async () => {
    gateway = running();
    if (chromiumPath() === undefined) return;
    browser = await openBrowser();
    page = await openPage();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    complaints = [];
    await page?.unrouteAll();
  });
}

/**
 * The dashboard of a run shows what the template has.
 * @param running a run that nobody has used yet
 */
export function describeDashboard(running: () => RunningGateway): void {
  inBrowser(running);

  pageTest('the start tells where the dashboard is, beside the reference', () => {
    const { dashboard_url: url, site_url } = gateway.gatewayJson;
    expect(url).toBe(`${site_url}/dashboard.html`);
    expect(gateway.output()).toContain(`Dashboard ${url}\n`);
  });

  describeAtLength('in each of its states', () => {
    pageTest('traffic is seen in the widgets of the template', async () => {
      await showDashboard();
      await expect(page.title()).resolves.toBe('Gateway local');
      const headings = await page.locator('h2').allTextContents();
      expect(headings).toEqual([
        'Is it up, and is it worth it?',
        'Who spends, and on what?',
        'What fails?',
        'What is slow?',
        'Which requests are refused, and why?',
        'Is billing correct?',
        'Is the data fresh?',
        'Is there room, and what does it cost?',
      ]);
      for (let request = 0; request < REQUESTS; request += 1) {
        expect((await call('eth_blockNumber')).status).toBe(200);
        expect((await call('eth_blockNumber', 'rgw_unknown')).status).toBe(404);
      }
      const compute = widget('Compute units').locator('tr', { hasText: 'billed' });
      await compute.locator('.available', { hasText: new RegExp(`^${REQUESTS}$`) }).waitFor();
      await widget('Requests')
        .locator('tr', { hasText: 'JSON-RPC' })
        .locator('.available', { hasText: /^\d+$/ })
        .waitFor();
      await widget('5xx of the API')
        .locator('tr', { hasText: '5xx' })
        .locator('.available', { hasText: /^0$/ })
        .waitFor();
      expect(await widget('5xx of the API').locator('tr').count()).toBe(1);
      const refused = widget('4xx of the API: unknown keys and paths among them');
      await refused.locator('.available', { hasText: /^[1-9]/ }).waitFor();
      await widget('USD per hour at list prices')
        .locator('.available', { hasText: /0\.0/ })
        .first()
        .waitFor();
      expect(await widget('Requests').locator('svg').count()).toBeGreaterThan(0);
      expect(complaints).toEqual([]);
    });

    pageTest('what only an account knows is said to be so, and is no zero', async () => {
      await showDashboard();
      await page.locator('summary', { hasText: 'Capacity of the database, ACU' }).click();
      const capacity = widget('Capacity of the database, ACU');
      await capacity
        .locator('.unavailable', { hasText: /^not available locally$/ })
        .first()
        .waitFor();
      expect(await capacity.locator('svg').count()).toBe(0);
      expect(await page.locator('.faulty').count()).toBe(0);
      expect(complaints).toEqual([]);
    });

    pageTest(
      'the first screen has traffic, failures, latency and money; alarms take one line while none is on',
      async () => {
        await page.setViewportSize({ width: FIRST_SCREEN.width, height: FIRST_SCREEN.height });
        await showDashboard();
        const alarms = page.locator('#alarms-others');
        await alarms.locator('summary', { hasText: /^Alarms: none on, \d+ ok/ }).waitFor();
        expect((await alarms.boundingBox())?.height).toBeLessThan(ONE_LINE_PIXELS);
        for (const title of ['Requests', 'Failed, %', 'Latency, ms', 'USD per hour']) {
          const { y = 0, height = 0 } = (await widget(title).boundingBox()) ?? {};
          expect(y + height).toBeLessThanOrEqual(FIRST_SCREEN.height);
        }
        expect(
          await page.locator('article:visible', { hasText: 'not available locally' }).count(),
        ).toBeLessThan(5);
        const links = await page.locator('#pages a').allInnerTexts();
        expect(links).toEqual(['reference', 'status', 'runbook']);
        const figure = widget('Requests in 5 minutes').locator('.available', { hasText: /^[1-9]/ });
        await figure.waitFor();
      },
    );

    pageTest('an alarm goes off, and says where in the runbook it stands', async () => {
      await showDashboard();
      await alarm('LostCharges').and(page.locator('[data-state="OK"]')).waitFor({ state: 'attached' });
      await page.locator('#health', { hasText: /^No alarm\.$/ }).waitFor();
      await loseCharge();
      await alarm('LostCharges').and(page.locator('[data-state="ALARM"]')).waitFor();
      expect(await alarm('LostCharges').textContent()).toContain('docs/runbook.md#lostcharges');
      const href = await alarm('LostCharges').locator('a').getAttribute('href');
      expect(href).toBe('runbook.html#lostcharges');
      const section = `${gateway.gatewayJson.site_url}/${href}`;
      expect(await (await fetch(section)).text()).toContain('<section id="lostcharges">');
      expect(await page.locator('#health').textContent()).toBe('1 alarm.');
      expect(await alarm('BooksDoNotBalance').getAttribute('data-state')).toBe('OK');
      expect(await alarm('BooksDoNotBalance').isVisible()).toBe(false);
      await page.locator('#alarms-others summary', { hasText: /\d+ ok/ }).click();
      await alarm('BooksDoNotBalance').waitFor();
      expect(complaints).toEqual([]);
    });

    pageTest('another range asks for it', async () => {
      await showDashboard();
      const asked = page.waitForRequest((request) => request.url().includes('range=10800'));
      await page.getByText('3 h', { exact: true }).click();
      await asked;
      await widget('Requests').locator('small', { hasText: 'per 5 min' }).waitFor();
      expect(complaints).toEqual([]);
    });

    pageTest.each([1_400, 800, 380])('the page fits a window of %i pixels, light and dark', async (width) => {
      await page.setViewportSize({ width, height: 800 });
      await showDashboard();
      await widget('Requests').locator('svg').first().waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
        expect(overflow).toBeLessThanOrEqual(0);
      }
      expect(complaints).toEqual([]);
    });

    pageTest('a page whose run has ended says so', async () => {
      await showDashboard();
      await page.route('**/*', (route) => route.abort());
      await page.locator('#health', { hasText: 'The run does not answer' }).waitFor();
    });
  });
}

/**
 * An open page of the dashboard goes from one run to the next.
 * @param again stops the run and starts the next of the same folder, after some work in between
 */
export function describeNextRun(
  running: () => RunningGateway,
  again: (between: () => Promise<void>) => Promise<RunningGateway>,
): void {
  inBrowser(running);

  describeAtLength('an open page', () => {
    pageTest(
      'a page that is open shows the next run of the same folder',
      async () => {
        const isShown = () => page.locator('#health', { hasText: /^(?:No alarm|\d+ alarms?)\.$/ }).waitFor();
        const { dashboard_url, site_url } = gateway.gatewayJson;
        await page.goto(dashboard_url);
        await isShown();
        const second = await again(() =>
          page.locator('#health', { hasText: 'The run does not answer' }).waitFor(),
        );
        expect(second.gatewayJson).toMatchObject({ dashboard_url, site_url });
        await isShown();
      },
      TWO_RUNS_MS,
    );
  });
}
