import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lookUp, operationsOf, readDescription } from '../../api/read-description.ts';
import { RPC_METHODS } from '../../api/rpc-methods.ts';
import { buildSite, type SiteFiles } from '../../docs/site/build-site.ts';
import { schemaFieldsOf } from '../../docs/site/operations.ts';
import { FRONT_ERRORS } from '../../lambdas/rpc/response/front-errors.ts';
import { ERROR_CATALOGUE } from '../../lambdas/shared/jsonrpc/error-catalogue.ts';
import { matchesPattern, WEIGHTS } from '../../lambdas/shared/methods/method-facts.ts';
import { ALLOWED_PATTERNS, BLOCKED_METHODS } from '../../lambdas/shared/methods/method-table.ts';
import { loadStageConfig } from '../../lib/config/config.ts';
import { stageFile } from '../../lib/config/stage-files.ts';
import { visibleText } from './visible-text.ts';

const PROJECT = join(import.meta.dirname, '..', '..');
const DESCRIPTION = readDescription();
const OPERATIONS = operationsOf(DESCRIPTION);
const STAGE = loadStageConfig(stageFile('example-production'));

let site: SiteFiles;

beforeAll(async () => {
  site = await buildSite(STAGE);
});

function page(name: string): string {
  const text = site[name];
  if (text === undefined) throw new Error(`there is no ${name}`);
  return text;
}

function pages(): [name: string, text: string][] {
  return Object.entries(site).filter(([name]) => name.endsWith('.html'));
}

/** The element of a name that holds an anchor. */
function around(name: string, markup: string, id: string): string {
  const at = markup.indexOf(` id="${id}"`);
  if (at < 0) throw new Error(`there is no #${id}`);
  return markup.slice(markup.lastIndexOf(`<${name}`, at), markup.indexOf(`</${name}>`, at));
}

describe('the Data API', () => {
  test.each(OPERATIONS.map((one) => [one.operation.operationId, one] as const))(
    'has %s with all that is described',
    (id, { path, operation, parameters }) => {
      const tag = operation.tags[0]?.toLowerCase();
      const entry = visibleText(around('article', page(`data-${tag}.html`), id));
      expect(entry).toContain(`/v1/data${path}`);
      expect(entry).toContain(`${operation['x-compute-units']} CU`);
      for (const { name, description } of parameters) {
        expect(entry).toContain(name);
        expect(entry).toContain(description.replaceAll('`', ''));
      }
      for (const [status, reference] of Object.entries(operation.responses)) {
        if (status === '200') continue;
        for (const code of lookUp(DESCRIPTION, 'responses', reference)['x-error-codes'] ?? []) {
          expect(entry).toContain(`${status} ${code}`);
        }
      }
    },
  );

  test('has every field of every row, within rows too', () => {
    for (const { operation } of OPERATIONS) {
      const entry = around(
        'article',
        page(`data-${operation.tags[0]?.toLowerCase()}.html`),
        operation.operationId,
      );
      const response = lookUp(DESCRIPTION, 'responses', operation.responses['200'] ?? { $ref: '' });
      const data = response.content?.['application/json'].schema.properties?.data ?? {};
      const fields = schemaFieldsOf(DESCRIPTION, data.items ?? data);
      expect(fields.length).toBeGreaterThan(0);
      for (const { name } of fields) expect(entry).toContain(`<td><code>${name}</code>`);
    }
    const detail = schemaFieldsOf(DESCRIPTION, { $ref: '#/components/schemas/TransactionDetail' });
    expect(detail.map(({ name }) => name)).toContain('logs[].topics');
  });

  test('has an example request that each parameter of its path accepts', () => {
    const requests = OPERATIONS.map(({ path, operation, parameters }) => {
      const entry = around(
        'article',
        page(`data-${operation.tags[0]?.toLowerCase()}.html`),
        operation.operationId,
      );
      const request = /\{base_url\}(\/v1\/data[^']*)/.exec(visibleText(entry))?.[1] ?? '';
      const form = path.replace('{chain}', 'example_mainnet').replace(/\{(\w+)\}/g, (_, name) => {
        const { pattern, type } = parameters.find((one) => one.name === name)?.schema ?? {};
        if (pattern !== undefined) return pattern.slice(1, -1);
        return type === 'integer' ? '\\d+' : '[\\w:.-]+';
      });
      return { request, form: `^/v1/data${form}(\\?.*)?$` };
    });
    expect(requests.filter(({ request, form }) => !new RegExp(form).test(request))).toEqual([]);
  });
});

test('every example in TypeScript is what the typed client takes', () => {
  const samples = pages().flatMap(([, text]) =>
    [...visibleText(text).matchAll(/const \{ data \} = await client\.get\(.*?\);/gs)].map(
      ([sample]) => sample,
    ),
  );
  expect(samples.length).toBeGreaterThanOrEqual(OPERATIONS.length);
  const folder = mkdtempSync(join(tmpdir(), 'samples-'));
  try {
    const client = `import { createClient } from '${join(PROJECT, 'clients/typescript/src/client.ts')}';
const client = createClient({ baseUrl: '', apiKey: '' });`;
    const program = [client, ...samples.map((sample) => `{\n${sample}\n}`)].join('\n');
    writeFileSync(join(folder, 'samples.mts'), program);
    const extended = join(PROJECT, 'clients/typescript/tsconfig.json');
    const options = {
      noEmit: true,
      allowImportingTsExtensions: true,
      rewriteRelativeImportExtensions: false,
      noUnusedLocals: false,
      rootDir: '/',
    };
    const settings = { extends: extended, compilerOptions: options, files: ['samples.mts'], include: [] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
    const compiler = join(PROJECT, 'node_modules/typescript/bin/tsc');
    expect(spawnSync(process.execPath, [compiler, '--project', folder], { encoding: 'utf8' }).stdout).toBe(
      '',
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

describe('JSON-RPC', () => {
  test('has a call of every method or pattern that has a price of its own', () => {
    const shown = Object.values(RPC_METHODS).flat();
    for (const [pattern] of WEIGHTS)
      expect([pattern, shown.filter(({ method }) => matchesPattern(method, pattern))]).not.toEqual([
        pattern,
        [],
      ]);
  });

  test('has every pattern that is allowed, and every method that is blocked', () => {
    const policy = page('json-rpc.html');
    for (const name of [...ALLOWED_PATTERNS, ...BLOCKED_METHODS])
      expect(policy).toContain(`<code>${name}</code>`);
  });

  test.each(Object.entries({ ...ERROR_CATALOGUE, ...FRONT_ERRORS }))(
    'leads to the error %s in its row',
    (reason, { code, message }) => {
      const row = visibleText(around('tr', page('errors.html'), `rpc-${reason}`));
      expect(row).toContain(`${code}`);
      expect(row).toContain(message.split('<')[0]);
    },
  );
});

test('has every header that a function answers with', () => {
  const headers = new Set(
    sources(join(PROJECT, 'lambdas')).flatMap((source) =>
      [...source.matchAll(/['\s{](X-[A-Z][\w-]+|RateLimit(?:-Policy)?|Retry-After|ETag)'?:/g)].map(
        ([, name]) => name ?? '',
      ),
    ),
  );
  expect(headers).toContain('X-CU-Billed');
  expect(headers.size).toBeGreaterThanOrEqual(9);
  const described = page('json-rpc.html') + page('data-api.html');
  for (const header of headers) expect(described).toContain(`<code>${header}</code>`);
});

test('has every plan and every public chain of the stage, and no other chain', () => {
  const metering = visibleText(page('metering.html')).replaceAll(',', '');
  for (const [name, { bucketCapacity, refillPerSecond }] of Object.entries(STAGE.plans)) {
    expect(metering).toContain(name);
    expect(metering).toContain(`${bucketCapacity} CU${refillPerSecond} CU a second`);
  }
  const everything = Object.values(site).join('');
  for (const { chain, public: isPublic } of STAGE.chains) {
    if (isPublic) expect(metering).toContain(chain);
    else expect(everything).not.toContain(chain);
  }
  expect(everything).not.toContain('secret:');
});

test('can be made of a stage that shows no chain', async () => {
  const chains = STAGE.chains.map((chain) => ({ ...chain, public: false }));
  const hidden = await buildSite({ ...STAGE, chains });
  expect(Object.keys(hidden)).toEqual(Object.keys(site));
});

test('finds every operation, method and error', () => {
  const titles = JSON.stringify(site['search.json']);
  for (const { operation } of OPERATIONS) expect(titles).toContain(operation.operationId);
  for (const [pattern] of WEIGHTS.filter(([name]) => !name.endsWith('*'))) expect(titles).toContain(pattern);
  for (const name of [...Object.keys(ERROR_CATALOGUE), ...Object.keys(FRONT_ERRORS)])
    expect(titles).toContain(name);
});

test('finds words that stand on a page and are no title', () => {
  const entries = JSON.parse(page('search.json')) as { title: string; words?: string }[];
  const found = (word: string) =>
    entries.filter(
      ({ title, words = '' }) => title.toLowerCase().includes(word) || ` ${words} `.includes(` ${word} `),
    );
  for (const word of [
    'mcp',
    'csv',
    'pages',
    'websocket',
    'x-cu-billed',
    'web3.py',
    'ndjson',
    'staticnetwork',
    'cursor',
    ...BLOCKED_METHODS.map((method) => method.toLowerCase()),
  ])
    expect([word, found(word).length > 0]).toEqual([word, true]);
});

test('leads nowhere that is not there', () => {
  const anchors = pages().flatMap(([name, text]) =>
    [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => `${name}#${id}`),
  );
  const targets = new Set([...Object.keys(site), ...anchors]);
  const found = JSON.parse(page('search.json')) as { readonly href: string }[];
  const links = [
    ...found.map(({ href }) => href),
    ...pages().flatMap(([name, text]) =>
      [...text.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, href = '']) =>
        href.startsWith('#') ? name + href : href,
      ),
    ),
  ];
  expect(links.length).toBeGreaterThan(500);
  expect(links.filter((link) => !targets.has(link))).toEqual([]);
});

test('no page uses an anchor twice, and each has one title', () => {
  for (const [name, text] of pages()) {
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect([name, ids.filter((id, index) => ids.indexOf(id) !== index)]).toEqual([name, []]);
    expect([name, text.match(/<h1>/g)?.length]).toEqual([name, 1]);
  }
});

test('loads nothing from elsewhere, and nothing that stands in a page itself', () => {
  for (const [name, text] of Object.entries(site)) {
    if (name === 'icon.svg') continue;
    expect(text).not.toMatch(/(?:src|href|url\(|import[^;]*from )\s*=?\s*["'(](?:https?:)?\/\//);
  }
  for (const [, text] of pages()) {
    expect(text).not.toMatch(/<style|<script(?![^>]*src=)| style=| on\w+="/);
    expect(text.match(/<script/g)).toHaveLength(1);
  }
});

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}
