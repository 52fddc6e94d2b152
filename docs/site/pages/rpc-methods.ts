import { RPC_METHODS, type RpcMethod, type RpcParameter } from '../../../api/rpc-methods.ts';
import { methodFacts, WEIGHTS, weightOf } from '../../../lambdas/shared/methods/method-facts.ts';
import { CACHED_CU, DEFAULT_WEIGHT } from '../../../lambdas/shared/methods/method-table.ts';
import { layOut, samples, tryForm } from '../code.ts';
import { BASE_URL_PLACEHOLDER } from '../facts.ts';
import { type Html, html } from '../html.ts';
import type { SitePage } from '../page.ts';
import { code, price, section, table } from '../parts.ts';

const SHORT_CALL_CHARACTERS = 60;

/** The methods, what each costs and how it is called. */
export function rpcMethodsPage(): SitePage {
  const groups = Object.entries(RPC_METHODS);
  return {
    file: 'rpc-methods.html',
    title: 'Methods',
    group: 'JSON-RPC',
    summary: 'What each method costs, and a call of it to copy.',
    sections: [
      { id: 'weights', title: 'Prices' },
      ...groups.map(([group]) => ({ id: groupId(group), title: group })),
    ],
    body: html`${section('weights', 'Prices', weights())}
${groups.map(([group, methods]) => section(groupId(group), group, html`${methods.map(methodEntry)}`))}`,
  };
}

function groupId(group: string): string {
  return `methods-${group.toLowerCase()}`;
}

function weights(): Html {
  const rows = WEIGHTS.map(([pattern, cu]) => [
    html`<span id="weight-${pattern}">${code(pattern)}</span>`,
    price(cu),
  ]);
  return html`<p>A method costs what its own line says, else that of the longest pattern that it matches, else the default. An
answer from the cache costs ${price(CACHED_CU)}, whatever the method: <a href="metering.html#cache">what is cached</a>.</p>
${table(['Method', 'Price'], [...rows, ['every other method', price(DEFAULT_WEIGHT)]])}`;
}

function methodEntry({ method, summary, parameters, params, gives }: RpcMethod): Html {
  const call = { jsonrpc: '2.0', id: 1, method, ...(params.length > 0 && { params }) };
  return html`<article class="entry" id="${method}">
<div class="about">
<h3><a href="#${method}"><code>${method}</code></a> ${price(weightOf(method))}${methodFacts(method).cache !== undefined ? html` <a class="tag" href="metering.html#cache">${CACHED_CU} CU from the cache</a>` : undefined}</h3>
<p>${summary}</p>
<dl><dt>params</dt><dd>${parameters.length === 0 ? 'nothing' : parameters.map(inWords).join('; ')}</dd><dt>result</dt><dd>${gives}</dd></dl>
</div>
<div class="shown">${samples('language', ways(method, params, layOut(call, '  ')))}
${tryForm('/v1/', layOut(call))}</div>
</article>`;
}

function inWords({ holds, optional }: RpcParameter): string {
  return optional === true ? `${holds} (optional)` : holds;
}

function ways(method: string, params: readonly unknown[], call: string) {
  const list = layOut(params);
  const short = list.length <= SHORT_CALL_CHARACTERS;
  const argument = params.length === 0 ? '' : `,\n  params: ${short ? list : list.replaceAll('\n', '\n  ')}`;
  return [
    {
      label: 'curl',
      code: `curl -s ${BASE_URL_PLACEHOLDER}/v1/ \\\n  -H "x-api-key: $KEY" \\\n  -d '${call}'`,
    },
    { label: 'viem', code: `await client.request({\n  method: '${method}'${argument},\n});` },
    { label: 'ethers', code: `await provider.send('${method}', ${list});` },
  ];
}
