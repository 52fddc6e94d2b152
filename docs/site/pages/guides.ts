import { readDocsPage } from '../facts.ts';
import { type Html, html } from '../html.ts';
import { renderPageMarkdown, sectionOf } from '../markdown.ts';
import type { SitePage } from '../page.ts';
import { section } from '../parts.ts';

/** A page of the repository as a page of the site: its sections below second-level headings. */
interface Guide extends Pick<SitePage, 'file' | 'title' | 'summary'> {
  readonly markdown: string;
  /** Heading in the page of the repository, and anchor here. */
  readonly headings: readonly (readonly [heading: string, id: string])[];
}

/** What is not of one operation or method: agents, files of whole lists, and clients with what they print. */
export function guidePages(): SitePage[] {
  const guides: readonly Guide[] = [
    {
      file: 'clients.html',
      title: 'Clients and their errors',
      summary: 'How viem, ethers and others are set up, what they print, and what watching costs.',
      markdown: readDocsPage('json-rpc.md'),
      headings: [['From a client', 'clients']],
    },
    {
      file: 'exports.html',
      title: 'Exports',
      summary: 'A whole list as one file, CSV or JSON lines.',
      markdown: readDocsPage('data-api.md'),
      headings: [
        ['Exports', 'exports'],
        ['At a time', 'at-a-time'],
      ],
    },
    {
      file: 'keys.html',
      title: 'Keys with bounds',
      summary: 'Bind a key to methods, contracts, chains, addresses, the CU of a day and a time.',
      markdown: readDocsPage('keys.md'),
      headings: [
        ['Bounds', 'bounds'],
        ['What a caller gets', 'refusals'],
        ['The day', 'day'],
        ['When it counts', 'when'],
      ],
    },
    {
      file: 'what-is-proven.html',
      title: 'What is proven',
      summary: 'What follows from the hash of a block, from two nodes, and from nothing.',
      markdown: readDocsPage('what-is-proven.md'),
      headings: [
        ['From one hash, from two nodes, from nothing', 'proven'],
        ['What a proof does not show', 'not-shown'],
      ],
    },
    {
      file: 'mcp.html',
      title: 'MCP for agents',
      summary: 'Tools by the Model Context Protocol: one URL, one key, every chain.',
      markdown: readDocsPage('mcp.md'),
      headings: [
        ['Give an agent the URL', 'url'],
        ['Tools', 'tools'],
        ['Results', 'results'],
        ['What it costs', 'cost'],
        ['Errors', 'errors'],
        ['Bounds', 'bounds'],
      ],
    },
  ];
  return guides.map((guide) => asPage(guide, 'Guides'));
}

/** What a client can ask about its account and about the chains, and how a payer checks a bill. */
export function accountPages(): SitePage[] {
  const markdown = readDocsPage('status.md');
  const guides: readonly Guide[] = [
    {
      file: 'account.html',
      title: 'Account and chains',
      summary:
        'Your balance and usage, what each chain offers, and the interfaces for machines. None is billed.',
      markdown,
      headings: [
        ['GET /v1/account', 'account'],
        ['Lists of an account', 'lists'],
        ['GET /v1/account/receipts', 'receipts'],
        ['GET /v1/chains', 'served'],
        ['Descriptions for machines', 'descriptions'],
        ['GET /v1/heads/{n}', 'heads'],
      ],
    },
    {
      file: 'bill.html',
      title: 'Check your bill',
      summary: 'A program on your machine checks that nothing was raised, left out or rewritten.',
      markdown,
      headings: [['A bill that can be checked', 'check']],
    },
  ];
  return guides.map((guide) => asPage(guide, 'Reference'));
}

/** What each alarm means: a section of each, with its name as the anchor. */
export function runbookPage(): SitePage {
  const markdown = readDocsPage('runbook.md');
  const headings = [...markdown.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);
  const guide = {
    file: 'runbook.html',
    title: 'Runbook',
    summary: 'What each alarm means, where to look first, and what to do.',
    markdown,
    headings: headings.map((heading) => [heading, heading.toLowerCase().replaceAll(/\W+/g, '-')] as const),
  };
  return asPage(guide, 'Operators');
}

function asPage({ markdown, headings, ...page }: Guide, group: string): SitePage {
  return {
    ...page,
    group,
    sections: headings.map(([title, id]) => ({ id, title })),
    body: html`${headings.map(([heading, id]) => section(id, heading, renderPageMarkdown(sectionOf(markdown, heading))))}`,
  };
}

/** The live view of `GET /v1/status`, and its reference. */
export function statusPage(): SitePage {
  const endpoint = renderPageMarkdown(sectionOf(readDocsPage('status.md'), 'GET /v1/status'));
  return {
    file: 'status.html',
    title: 'Status',
    group: 'Start',
    summary: 'Whether the gateway works now, and how it was in the last day.',
    sections: [
      { id: 'now', title: 'Now' },
      { id: 'day', title: 'The last day' },
      { id: 'endpoint', title: 'Endpoint' },
    ],
    body: html`${live()}${day()}${section('endpoint', 'Endpoint', endpoint)}`,
  };
}

/** Filled in by the script, which alone knows the response; until then, and without it, nothing is claimed. */
function live(): Html {
  return html`<section id="now" class="live" data-live data-state="unknown" aria-live="polite">
<div class="verdict"><span class="dot"></span><strong data-verdict>Not asked yet</strong><span data-asked></span></div>
<p data-reason>This view needs JavaScript. <code>GET /v1/status</code> answers the same without.</p>
<p><em>Cannot be reached</em>: your browser got no good answer; the gateway, or the way to it, is down.</p>
<div class="table" tabindex="0"><table hidden><thead><tr><th scope="col">Chain</th><th scope="col">Chain id</th><th scope="col">Head</th><th scope="col">Time of the head</th><th scope="col">Lag</th></tr></thead><tbody data-chains></tbody></table></div>
</section>`;
}

/** Shown once there is something to plot. */
function day(): Html {
  return html`<section id="day" data-history hidden><h2>The last day</h2>
<p><label>Chain <select></select></label> Each point is five minutes (UTC). Where the line is broken, the index did not run.</p>
<div data-plots></div></section>`;
}
