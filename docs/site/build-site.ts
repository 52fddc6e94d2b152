import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { readProductFacts, type SiteFacts, type SiteStage } from './facts.ts';
import { html } from './html.ts';
import { siteOperations } from './operations.ts';
import { renderPage, type SitePage } from './page.ts';
import { dataApiPage } from './pages/data-api.ts';
import { dataGroupPage } from './pages/data-group.ts';
import { guidePages, runbookPage, statusPage } from './pages/guides.ts';
import { meteringPage } from './pages/metering.ts';
import { portfolioPage } from './pages/portfolio.ts';
import { rpcMethodsPage } from './pages/rpc-methods.ts';
import { startPage } from './pages/start.ts';
import { searchIndex } from './search-index.ts';
import { NOT_FOUND_FILE } from './serve-file.ts';

const ASSETS = join(import.meta.dirname, 'assets');

/** Text of each file of the site, by its name. Where the address of the gateway belongs stands a placeholder. */
export type SiteFiles = Readonly<Record<string, string>>;

/**
 * Makes the whole site of a stage: pages, styles, scripts and the index of the search.
 * @param options `forOperators`: with the runbook, as a local run shows it @default false
 */
export async function buildSite(
  stage: SiteStage,
  { forOperators = false }: { readonly forOperators?: boolean } = {},
): Promise<SiteFiles> {
  const facts = readProductFacts(stage);
  const operations = siteOperations(facts.description, facts.exampleChain.chain);
  const pages = [...pagesOf(facts, operations), ...(forOperators ? [runbookPage()] : [])];
  const notFound = notFoundPage();
  return {
    ...readAssets(),
    ...Object.fromEntries(pages.map((page) => [page.file, renderPage(page, pages)])),
    [NOT_FOUND_FILE]: renderPage(notFound, pages),
    'search.json': JSON.stringify(searchIndex(operations, pages)),
  };
}

function pagesOf(facts: SiteFacts, operations: ReturnType<typeof siteOperations>): SitePage[] {
  const groups = facts.description.tags.map(({ name }) =>
    dataGroupPage(
      name,
      operations.filter(({ tag }) => tag === name),
      facts.chains.map(({ chain }) => chain),
    ),
  );
  return [
    startPage(facts, operations),
    statusPage(),
    ...guidePages('JSON-RPC'),
    rpcMethodsPage(),
    dataApiPage(facts, operations),
    portfolioPage(facts, operations),
    ...groups,
    ...guidePages('Guides'),
    meteringPage(facts),
    ...guidePages('Reference'),
  ];
}

function notFoundPage(): SitePage {
  return {
    file: NOT_FOUND_FILE,
    title: 'No such page',
    group: 'Start',
    summary: 'The page that you asked for is not here.',
    sections: [],
    body: html`<p><a href="index.html">Start again</a>, or search above.</p>`,
  };
}

/** The files that a browser loads; what pages and scripts share is TypeScript, which no browser takes. */
function readAssets(): SiteFiles {
  return Object.fromEntries(
    readdirSync(ASSETS).map((name) => {
      const text = readFileSync(join(ASSETS, name), 'utf8');
      if (!name.endsWith('.ts')) return [name, text];
      return [name.replace(/ts$/, 'js'), transformSync(text, { loader: 'ts', format: 'esm' }).code];
    }),
  );
}
