import { codeBlock } from '../code.ts';
import { readDocsPage, type SiteFacts } from '../facts.ts';
import { type Html, html } from '../html.ts';
import { renderInline, renderPageMarkdown, sectionOf } from '../markdown.ts';
import { type SiteOperation, schemaFieldsOf, wordTypes } from '../operations.ts';
import type { SitePage } from '../page.ts';
import { code, price, section, table } from '../parts.ts';
import { BASE_URL_PLACEHOLDER } from '../serve-file.ts';
import { fieldTable, operationHref } from './data-group.ts';
import { docsSection } from './guides.ts';

const WORDS_PAGE = 'data-api.md';
/** Sections of it that stand on the page: heading there, and anchor here. */
const WORDS: readonly (readonly [heading: string, id: string])[] = [
  ['Windows', 'windows'],
  ['Pages', 'pages'],
  ['Price and limits', 'price'],
  ['Keeping answers', 'keeping'],
  ['Names of tokens', 'names'],
  ['Tokenised stocks', 'stocks'],
];

const CLIENT = `import { createClient } from 'blockchain-data-gateway-client';

const client = createClient({ baseUrl: '${BASE_URL_PLACEHOLDER}', apiKey: process.env.GATEWAY_KEY });`;

/** What holds for every operation of the Data API, and the list of them. */
export function dataApiPage(facts: SiteFacts, operations: readonly SiteOperation[]): SitePage {
  const { description, exampleChain } = facts;
  return {
    file: 'data-api.html',
    title: 'Conventions',
    group: 'Data API',
    summary: `${operations.length} read-only operations over indexed chain data.`,
    sections: [
      { id: 'requests', title: 'Requests' },
      { id: 'answers', title: 'Answers' },
      ...WORDS.map(([title, id]) => ({ id, title })),
      { id: 'types', title: 'Types' },
      { id: 'operations', title: 'All operations' },
    ],
    body: html`${section('requests', 'Requests', requests(description.info.description, exampleChain.chain))}
${section('answers', 'Answers', responses(facts))}
${WORDS.map(([heading, id]) => section(id, heading, docsSection({ page: WORDS_PAGE, heading })))}
${section('types', 'Types', types(facts))}
${section('operations', 'All operations', list(operations))}`,
  };
}

function requests(words: string, chain: string): Html {
  return html`<p>${renderInline(words)}</p>
<p>To make a client of it, take the OpenAPI description that this reference is made from: the gateway serves it as
<a href="account.html#descriptions"><code>GET /v1/openapi.json</code></a>, without a key.</p>
<p>The examples in TypeScript use the typed client that comes with the gateway (<code>clients/typescript</code> of its repository;
its README says how it is installed), which is made so:</p>
${codeBlock('TypeScript', CLIENT)}
<p>The examples are of the demo chain that a local run begins with: its addresses, block numbers and
hashes of transactions are the same in every run, times and hashes of blocks are not. On another chain, and for a block by its
hash, take them from a list.</p>
${codeBlock('curl', `curl -s ${BASE_URL_PLACEHOLDER}/v1/data/${chain}/blocks -H "x-api-key: $GATEWAY_KEY"`)}`;
}

function responses({ description }: SiteFacts): Html {
  const [envelope, values] = sectionOf(readDocsPage(WORDS_PAGE), 'Answers').split('\n\n');
  const meta = schemaFieldsOf(description, { $ref: '#/components/schemas/Meta' });
  return html`${renderPageMarkdown(envelope ?? '')}<h3><code>meta</code></h3>${fieldTable(meta)}
${values?.startsWith('|') === true ? undefined : renderPageMarkdown(values ?? '')}`;
}

function types({ description }: SiteFacts): Html {
  const rows = wordTypes(description).map(([name, { pattern = '', description: meaning = '' }]) => [
    html`<span id="type-${name}">${code(name)}</span>`,
    code(pattern),
    renderInline(meaning),
  ]);
  return table(['Type', 'Form', ''], rows);
}

function list(operations: readonly SiteOperation[]): Html {
  const rows = operations.map((operation) => [
    html`<a href="${operationHref(operation)}">${code(operation.path)}</a>`,
    operation.summary,
    price(operation.cu),
  ]);
  return table(['GET', '', 'Price'], rows);
}
