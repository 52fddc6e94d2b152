import { type Html, html } from './html.ts';

/** A part of a page that can be linked to. */
interface Section {
  readonly id: string;
  readonly title: string;
}

/** One page of the site, without what is around its content. */
export interface SitePage {
  /** Name of its file. */
  readonly file: string;
  readonly title: string;
  /** Heading of the pages that it stands with in the navigation. */
  readonly group: string;
  /** One sentence below the title, and the description for search engines. */
  readonly summary: string;
  readonly sections: readonly Section[];
  readonly body: Html;
}

const SITE_TITLE = 'Blockchain Data Gateway';

/** A page with the navigation around it. */
export function renderPage(page: SitePage, pages: readonly SitePage[]): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${page.summary}">
<title>${page.title} · ${SITE_TITLE}</title>
<link rel="icon" href="icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="site.css">
<script type="module" src="site.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar">
<button type="button" class="menu" aria-expanded="false" aria-controls="navigation" hidden><span class="sign">☰</span><span class="unseen">Menu</span></button>
<a class="brand" href="index.html"><img src="icon.svg" alt="" width="22" height="22">${SITE_TITLE}</a>
<div class="search" role="search" hidden>
<input type="search" id="search" placeholder="Search methods, operations, errors" autocomplete="off" spellcheck="false" role="combobox" aria-expanded="false" aria-controls="search-results" aria-autocomplete="list" aria-label="Search the reference">
<kbd>/</kbd>
<ul id="search-results" role="listbox" aria-label="Results" hidden></ul>
</div>
<form class="key" hidden><label class="unseen" for="api-key">API key</label><input id="api-key" type="password" placeholder="API key" autocomplete="off" spellcheck="false"></form>
<a class="pill" href="status.html" data-pill hidden><span class="dot"></span><span data-pill-text>status</span></a>
</header>
<nav id="navigation" aria-label="Pages">${renderNavigation(page, pages)}</nav>
<main id="content" tabindex="-1">
<p class="crumb">${page.group}</p>
<h1>${page.title}</h1>
<p class="summary">${page.summary}</p>
${page.body}
</main>
</body>
</html>
`.text;
}

function renderNavigation(current: SitePage, pages: readonly SitePage[]): Html {
  const groups = [...new Set(pages.map(({ group }) => group))];
  return html`${groups.map(
    (group) =>
      html`<h2>${group}</h2><ul>${pages
        .filter((page) => page.group === group)
        .map((page) => renderEntry(page, page === current))}</ul>`,
  )}`;
}

function renderEntry({ file, title, sections }: SitePage, isCurrent: boolean): Html {
  if (!isCurrent) return html`<li><a href="${file}">${title}</a></li>`;
  const inside = html`<ul>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>`;
  return html`<li><a href="${file}" aria-current="page">${title}</a>${sections.length > 0 ? inside : undefined}</li>`;
}
