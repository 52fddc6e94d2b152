import { type Html, html } from './html.ts';

/** Where the pages of `docs/` are on the site; a link to any other page of the repository becomes its text. */
const SITE_PAGES: Readonly<Record<string, string>> = {
  'json-rpc.md': 'json-rpc.html',
  'data-api.md': 'data-api.html',
  'data-api-reference.md': 'data-api.html#operations',
};
const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)]+)\)/g;
const CELL_SEPARATOR = /(?<!\\)\|/;

/**
 * The section below a second-level heading of a Markdown page, without the heading.
 * @throws Error if the page has no such section
 */
export function sectionOf(page: string, heading: string): string {
  const [, after] = `\n${page}`.split(`\n## ${heading}\n`);
  if (after === undefined) throw new Error(`there is no section "${heading}" to put on the site`);
  return (after.split('\n## ')[0] ?? '').trim();
}

/** The HTML of Markdown, as far as `docs/` uses it: paragraphs, lists, tables and code. */
export function renderMarkdown(markdown: string): Html {
  return html`${markdown.split(/\n{2,}/).map(renderBlock)}`;
}

/** The HTML of one line of Markdown: code, strong text and links. */
export function renderInline(text: string): Html {
  const pieces: Html[] = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, strong, label = '', target = ''] = match;
    pieces.push(html`${text.slice(end, match.index)}`);
    if (code !== undefined) pieces.push(html`<code>${code}</code>`);
    else if (strong !== undefined) pieces.push(html`<strong>${strong}</strong>`);
    else pieces.push(renderLink(label, target));
    end = match.index + whole.length;
  }
  return html`${pieces}${text.slice(end)}`;
}

function renderBlock(block: string): Html {
  const lines = block.split('\n');
  const [first = ''] = lines;
  if (first.startsWith('```')) return html`<pre><code>${lines.slice(1, -1).join('\n')}</code></pre>`;
  if (first.startsWith('|')) return renderTable(lines.map(cellsOf));
  if (first.startsWith('- ')) return renderList(block);
  return html`<p>${renderInline(lines.join(' '))}</p>`;
}

function renderList(block: string): Html {
  const items = block.split(/^- /m).slice(1);
  return html`<ul>${items.map((item) => html`<li>${renderInline(item.replace(/\s+/g, ' ').trim())}</li>`)}</ul>`;
}

function renderTable([head = [], , ...rows]: readonly string[][]): Html {
  return html`<div class="table"><table><thead><tr>${head.map(
    (cell) => html`<th scope="col">${renderInline(cell)}</th>`,
  )}</tr></thead><tbody>${rows.map(
    (row) => html`<tr>${row.map((cell) => html`<td>${renderInline(cell)}</td>`)}</tr>`,
  )}</tbody></table></div>`;
}

function cellsOf(line: string): string[] {
  return line
    .replace(/^\||\|$/g, '')
    .split(CELL_SEPARATOR)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function renderLink(label: string, target: string): Html {
  const [file = '', anchor] = target.split('#');
  const page = SITE_PAGES[file];
  if (page === undefined) return renderInline(label);
  return html`<a href="${anchor === undefined ? page : `${page}#${anchor}`}">${renderInline(label)}</a>`;
}
