import { Marked, type Tokens } from 'marked';
import { escapeHtml, Html, html } from './html.ts';

/** Where the pages of `docs/` are on the site; a link to any other page of the repository becomes its text. */
const SITE_PAGES: Readonly<Record<string, string>> = {
  'json-rpc.md': 'json-rpc.html',
  'data-api.md': 'data-api.html',
  'data-api-reference.md': 'data-api.html#operations',
  'keys.md': 'keys.html',
  'mcp.md': 'mcp.html',
  'what-is-proven.md': 'what-is-proven.html',
};
/** Pages whose sections have other anchors on the site. */
const SITE_PAGES_AS_A_WHOLE: Readonly<Record<string, string>> = { 'status.md': 'account.html' };
/** Sections that are pages of the site by themselves. */
const SITE_SECTIONS: Readonly<Record<string, string>> = {
  'what-is-proven.md#what-a-proof-does-not-show': 'what-is-proven.html#not-shown',
  'data-api.md#proof-of-a-transaction': 'data-transactions.html#getTransactionProof',
  'data-api.md#exports': 'exports.html',
  'json-rpc.md#from-a-client': 'clients.html',
  'json-rpc.md#verified-answers': 'clients.html',
  'json-rpc.md#compute-units': 'metering.html',
  'keys.md#the-day': 'keys.html#day',
  'keys.md#what-was-refused': 'keys.html',
  'status.md#a-bill-that-can-be-checked': 'bill.html',
  '#a-bill-that-can-be-checked': 'bill.html',
  'data-api-reference.md#account': 'data-account.html',
  'data-api.md#price-and-limits': 'data-api.html#price',
  'data-api.md#names-of-tokens': 'data-api.html#names',
  'data-api.md#portfolio-over-chains': 'portfolio.html',
};
/** Anchor of a word of code that stands in a table; undefined: it has none. */
type AnchorOf = (word: string) => string | undefined;

/** Renders Markdown, with each anchor at the first cell that has its word. */
function markedWith(anchorOf: AnchorOf): Marked {
  const given = new Set<string>();
  let isInCell = false;
  const takeAnchor = (word: string) => {
    const id = isInCell ? anchorOf(word) : undefined;
    if (id === undefined || given.has(id)) return undefined;
    given.add(id);
    return html` id="${id}"`;
  };
  return new Marked({
    renderer: {
      html: ({ text }) => escapeHtml(text),
      image: ({ text }) => escapeHtml(text),
      // In a hand it is scrolled, by the keyboard too.
      code: ({ text }) => html`<pre tabindex="0"><code>${text}</code></pre>`.text,
      codespan: ({ text }) => html`<code${takeAnchor(text)}>${text}</code>`.text,
      link({ href, tokens }) {
        const target = siteTarget(href);
        const label = new Html(this.parser.parseInline(tokens));
        return (target === undefined ? label : html`<a href="${target}">${label}</a>`).text;
      },
      table({ header, rows }) {
        const row = (cells: readonly Tokens.TableCell[]) =>
          new Html(cells.map((cell) => this.tablecell(cell)).join(''));
        return html`<div class="table" tabindex="0"><table><thead><tr>${row(header)}</tr></thead><tbody>${rows.map(
          (cells) => html`<tr>${row(cells)}</tr>`,
        )}</tbody></table></div>`.text;
      },
      tablecell({ header, tokens }) {
        isInCell = true;
        const content = new Html(this.parser.parseInline(tokens));
        isInCell = false;
        return (header ? html`<th scope="col">${content}</th>` : html`<td>${content}</td>`).text;
      },
    },
  });
}

const WITHOUT_ANCHORS = markedWith(() => undefined);

/**
 * The section below a second-level heading of a Markdown page, without the heading.
 * @throws Error if the page has no such section
 */
export function sectionOf(page: string, heading: string): string {
  const [, after] = `\n${page}`.split(`\n## ${heading}\n`);
  if (after === undefined) throw new Error(`there is no section "${heading}" to put on the site`);
  return (after.split('\n## ')[0] ?? '').trim();
}

/** The HTML of Markdown. HTML in it stays text. @param anchorOf anchors of words in tables, each of which is given once */
export function renderPageMarkdown(markdown: string, anchorOf?: AnchorOf): Html {
  const marked = anchorOf === undefined ? WITHOUT_ANCHORS : markedWith(anchorOf);
  return new Html(marked.parse(markdown, { async: false }));
}

/** The HTML of one line of Markdown: code, strong text and links. */
export function renderInline(text: string): Html {
  return new Html(WITHOUT_ANCHORS.parseInline(text, { async: false }));
}

function siteTarget(href: string): string | undefined {
  if (SITE_SECTIONS[href] !== undefined) return SITE_SECTIONS[href];
  const [file = '', anchor] = href.split('#');
  if (SITE_PAGES_AS_A_WHOLE[file] !== undefined) return SITE_PAGES_AS_A_WHOLE[file];
  const page = SITE_PAGES[file];
  return page !== undefined && anchor !== undefined ? `${page}#${anchor}` : page;
}
