import { ALLOWED_PATTERNS, BLOCKED_METHODS } from '../../../lambdas/shared/methods/method-table.ts';
import type { ChainSettings } from '../../../lambdas/shared/runtime/settings.ts';
import { codeBlock, jsonBlock } from '../code.ts';
import type { SiteFacts } from '../facts.ts';
import { type Html, html } from '../html.ts';
import { renderPageMarkdown, sectionOf } from '../markdown.ts';
import type { SitePage } from '../page.ts';
import { code, section, table } from '../parts.ts';
import { BASE_URL_PLACEHOLDER } from '../serve-file.ts';

const BATCH = [
  { jsonrpc: '2.0', id: 1, method: 'eth_chainId' },
  { jsonrpc: '2.0', id: 2, method: 'eth_subscribe', params: ['newHeads'] },
];

/** What holds for every JSON-RPC call. */
export function jsonRpcPage(facts: SiteFacts): SitePage {
  const words = (heading: string) => renderPageMarkdown(sectionOf(facts.words.jsonRpc, heading));
  return {
    file: 'json-rpc.html',
    title: 'Calls and batches',
    group: 'JSON-RPC',
    summary: 'JSON-RPC 2.0 over HTTP POST, for back ends: no WebSocket, no CORS.',
    sections: [
      { id: 'endpoints', title: 'Endpoints' },
      { id: 'requests', title: 'Requests' },
      { id: 'batches', title: 'Batches' },
      { id: 'policy', title: 'Method policy' },
      { id: 'headers', title: 'Response headers' },
    ],
    body: html`${section('endpoints', 'Endpoints', words('Where to send it'))}
${section('requests', 'Requests', words('What is accepted'))}
${section('batches', 'Batches', batches(facts.exampleChain))}
${section('policy', 'Method policy', policy(facts.chains))}
${section('headers', 'Response headers', words('Headers of a response'))}`,
  };
}

function batches({ chainId }: SiteFacts['exampleChain']): Html {
  const refused = {
    code: -32601,
    message: 'method not available: eth_subscribe',
    data: { reason: 'method_not_allowed', retryable: false },
  };
  return html`<p>A batch is an array of calls. Each fails or succeeds alone, in its place.</p>
<div class="pair">${codeBlock(
    'Request',
    `curl -s ${BASE_URL_PLACEHOLDER}/v1/ \\\n  -H "x-api-key: $GATEWAY_KEY" \\\n  -d '[\n${BATCH.map((call) => `  ${JSON.stringify(call)}`).join(',\n')}\n]'`,
  )}${jsonBlock('Response', [
    { jsonrpc: '2.0', id: 1, result: `0x${chainId.toString(16)}` },
    { jsonrpc: '2.0', id: 2, error: refused },
  ])}</div>`;
}

function policy(chains: readonly ChainSettings[]): Html {
  const narrowed = chains.filter(({ methods }) => methods !== undefined);
  return html`<p>Methods of these patterns are served:</p>
<ul class="chips">${ALLOWED_PATTERNS.map((pattern) => html`<li id="pattern-${pattern}">${code(pattern)}</li>`)}</ul>
<p>These are not, because they need a connection that stays or a filter that a node keeps. Like every other method, they
are answered by <a href="errors.html#rpc-method_not_allowed"><code>method not available</code></a>, unbilled.</p>
<ul class="chips blocked">${BLOCKED_METHODS.map((method) => html`<li id="blocked-${method}">${code(method)}</li>`)}</ul>
${narrowed.length === 0 ? undefined : html`<p>Some chains serve fewer:</p>${narrowing(narrowed)}`}`;
}

function narrowing(chains: readonly ChainSettings[]): Html {
  const list = (patterns: readonly string[] | undefined, otherwise: string) =>
    patterns === undefined ? otherwise : html`${patterns.map((pattern) => html`${code(pattern)} `)}`;
  const rows = chains.map(({ chain, methods }) => [
    code(chain),
    list(methods?.allow, 'all of the above'),
    list(methods?.deny, 'none'),
  ]);
  return table(['Chain', 'Serves', 'But not'], rows);
}
