import { readDocsPage, type SiteFacts } from '../facts.ts';
import { html } from '../html.ts';
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
export function guidePages({ words }: SiteFacts): SitePage[] {
  const guides: readonly Guide[] = [
    {
      file: 'clients.html',
      title: 'Clients and their errors',
      summary: 'How viem, ethers and others are set up, what they print, and what watching costs.',
      markdown: words.jsonRpc,
      headings: [['From a client', 'clients']],
    },
    {
      file: 'exports.html',
      title: 'Exports',
      summary: 'A whole list as one file, CSV or JSON lines.',
      markdown: words.dataApi,
      headings: [
        ['Exports', 'exports'],
        ['At a time', 'at-a-time'],
      ],
    },
    {
      file: 'keys.html',
      title: 'Keys with bounds',
      summary: 'Bind a key to methods, contracts, chains, addresses, the CU of a day and a time.',
      markdown: words.keys,
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
      markdown: words.mcp,
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
