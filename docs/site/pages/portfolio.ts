import type { SiteFacts } from '../facts.ts';
import { html } from '../html.ts';
import type { SiteOperation } from '../operations.ts';
import type { SitePage } from '../page.ts';
import { price, section } from '../parts.ts';
import { portfolioPlayground } from '../try-form.ts';
import { operationHref } from './data-group.ts';
import { docsSection } from './guides.ts';

/** What is asked of each chain. */
const OPERATION = 'listAddressBalanceValues';

/** Its words in `docs/data-api.md`. */
const HEADING = 'Portfolio over chains';

/** What an address has on several chains: one form, and a table of all. */
export function portfolioPage(
  { chains }: Pick<SiteFacts, 'chains'>,
  operations: readonly SiteOperation[],
): SitePage {
  const operation = operations.find(({ id }) => id === OPERATION);
  if (operation === undefined) throw new Error(`the description has no ${OPERATION}`);
  const { address = '' } = operation.exampleParameters;
  const names = chains.length === 0 ? [operation.chain] : chains.map(({ chain }) => chain);
  return {
    file: 'portfolio.html',
    title: HEADING,
    group: 'Data API',
    summary: `Balances of an address on several chains with their values, ${operation.cu} CU for each chain.`,
    sections: [{ id: 'how', title: 'How it is read' }],
    body: html`<article class="entry" id="portfolio">
<div class="about">
<p class="facts">${price(operation.cu)} <span class="faint">for each chain</span></p>
<p>Each chain is asked for the <a href="${operationHref(operation)}">balances of the address with their values</a>. A chain that fails,
has none or has more than a page stands first in the table, with the reason.</p>
</div>
<div class="shown">
${portfolioPlayground(String(address), names, operation.cu)}
</div>
</article>
${section('how', 'How it is read', docsSection({ page: 'data-api.md', heading: HEADING }))}`,
  };
}
