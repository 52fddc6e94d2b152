import { FAILURE_CODES } from '../../../lambdas/data/response/failure.ts';
import { FRONT_ERRORS } from '../../../lambdas/rpc/response/front-errors.ts';
import { ERROR_CATALOGUE } from '../../../lambdas/shared/jsonrpc/error-catalogue.ts';
import { readDocsPage } from '../facts.ts';
import { type Html, html } from '../html.ts';
import { renderPageMarkdown, sectionOf } from '../markdown.ts';
import type { SitePage } from '../page.ts';
import { errorAnchor, section } from '../parts.ts';

/** A page of the repository as a page of the site: its sections below second-level headings. */
interface Guide extends Pick<SitePage, 'file' | 'title' | 'group' | 'summary'> {
  readonly sections: readonly GuideSection[];
}

interface GuideSection extends Words {
  /** Anchor here. */
  readonly id: string;
  /** @default the heading */
  readonly title?: string;
}

/** Words of the repository. */
interface Words {
  /** Page of `docs/`. */
  readonly page: string;
  /** Heading in it, of the second level. */
  readonly heading: string;
  /** Anchors of words in its tables. @default they have none */
  readonly anchorOf?: (word: string) => string | undefined;
}

const RPC_REASONS = { ...ERROR_CATALOGUE, ...FRONT_ERRORS };
const DATA_CODES: ReadonlySet<string> = new Set(FAILURE_CODES);

/** Sections of one page. */
function of(page: string, ...headings: readonly (readonly [heading: string, id: string])[]): GuideSection[] {
  return headings.map(([heading, id]) => ({ page, heading, id }));
}

const GUIDES: readonly Guide[] = [
  {
    file: 'json-rpc.html',
    title: 'Calls and batches',
    group: 'JSON-RPC',
    summary: 'JSON-RPC 2.0 over HTTP POST, for back ends: no WebSocket, no CORS.',
    sections: of(
      'json-rpc.md',
      ['Where to send it', 'endpoints'],
      ['What is accepted', 'requests'],
      ['Headers of a response', 'headers'],
    ),
  },
  {
    file: 'clients.html',
    title: 'Clients and their errors',
    group: 'Guides',
    summary: 'How viem, ethers and others are set up, what they print, and what watching costs.',
    sections: of('json-rpc.md', ['From a client', 'clients']),
  },
  {
    file: 'exports.html',
    title: 'Exports',
    group: 'Guides',
    summary: 'A whole list as one file, CSV or JSON lines.',
    sections: of('data-api.md', ['Exports', 'exports'], ['At a time', 'at-a-time']),
  },
  {
    file: 'keys.html',
    title: 'Keys with bounds',
    group: 'Guides',
    summary: 'Bind a key to methods, contracts, chains, addresses, the CU of a day and a time.',
    sections: of(
      'keys.md',
      ['Bounds', 'bounds'],
      ['What a caller gets', 'refusals'],
      ['The day', 'day'],
      ['When it counts', 'when'],
    ),
  },
  {
    file: 'what-is-proven.html',
    title: 'What is proven',
    group: 'Guides',
    summary: 'What follows from the hash of a block, from two nodes, and from nothing.',
    sections: of(
      'what-is-proven.md',
      ['From one hash, from two nodes, from nothing', 'proven'],
      ['What a proof does not show', 'not-shown'],
    ),
  },
  {
    file: 'mcp.html',
    title: 'MCP for agents',
    group: 'Guides',
    summary: 'Tools by the Model Context Protocol: one URL, one key, every chain.',
    sections: of(
      'mcp.md',
      ['Give an agent the URL', 'url'],
      ['Tools', 'tools'],
      ['Results', 'results'],
      ['What it costs', 'cost'],
      ['Errors', 'errors'],
      ['Bounds', 'bounds'],
    ),
  },
  {
    file: 'errors.html',
    title: 'Errors',
    group: 'Reference',
    summary: 'Branch on the reason, not on the number: several meanings share one.',
    sections: [
      {
        page: 'json-rpc.md',
        heading: 'Errors that the gateway makes',
        title: 'JSON-RPC',
        id: 'json-rpc',
        anchorOf: (word) => (Object.hasOwn(RPC_REASONS, word) ? errorAnchor('rpc', word) : undefined),
      },
      {
        page: 'data-api.md',
        heading: 'Errors',
        title: 'Data API',
        id: 'data-api',
        anchorOf: (word) => (DATA_CODES.has(word) ? errorAnchor('data', word) : undefined),
      },
    ],
  },
  {
    file: 'account.html',
    title: 'Account and chains',
    group: 'Reference',
    summary:
      'Your balance and usage, what each chain offers, and the interfaces for machines. None is billed.',
    sections: of(
      'status.md',
      ['GET /v1/account', 'account'],
      ['Lists of an account', 'lists'],
      ['GET /v1/account/receipts', 'receipts'],
      ['GET /v1/chains', 'served'],
      ['Descriptions for machines', 'descriptions'],
      ['GET /v1/heads/{n}', 'heads'],
    ),
  },
  {
    file: 'bill.html',
    title: 'Check your bill',
    group: 'Reference',
    summary: 'A program on your machine checks that nothing was raised, left out or rewritten.',
    sections: of('status.md', ['A bill that can be checked', 'check']),
  },
];

/** The pages of a group that are nothing but sections of `docs/`. */
export function guidePages(group: string): SitePage[] {
  return GUIDES.filter((guide) => guide.group === group).map(asPage);
}

/** What each alarm means: a section of each, with its name as the anchor. */
export function runbookPage(): SitePage {
  const page = 'runbook.md';
  const headings = [...readDocsPage(page).matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);
  return asPage({
    file: 'runbook.html',
    title: 'Runbook',
    group: 'Operators',
    summary: 'What each alarm means, where to look first, and what to do.',
    sections: headings.map((heading) => ({
      page,
      heading,
      id: heading.toLowerCase().replaceAll(/\W+/g, '-'),
    })),
  });
}

function asPage({ sections, ...page }: Guide): SitePage {
  return {
    ...page,
    sections: sections.map(({ heading, title = heading, id }) => ({ id, title })),
    body: html`${sections.map(({ title, id, ...words }) => section(id, title ?? words.heading, docsSection(words)))}`,
  };
}

/** A section of `docs/` as HTML. */
export function docsSection({ page, heading, anchorOf }: Words): Html {
  return renderPageMarkdown(sectionOf(readDocsPage(page), heading), anchorOf);
}

/** The live view of `GET /v1/status`, and its reference. */
export function statusPage(): SitePage {
  const endpoint = docsSection({ page: 'status.md', heading: 'GET /v1/status' });
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
