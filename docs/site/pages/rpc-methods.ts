import { RPC_METHODS, type RpcMethod, type RpcParameter } from '../../../api/rpc-methods.ts';
import { methodFacts, weightOf } from '../../../lambdas/shared/methods/method-facts.ts';
import { CACHED_CU } from '../../../lambdas/shared/methods/method-table.ts';
import { type Html, html } from '../html.ts';
import type { SitePage } from '../page.ts';
import { price, section } from '../parts.ts';
import { rpcPlayground } from '../try-form.ts';

/** The methods, what each costs and how it is called. */
export function rpcMethodsPage(): SitePage {
  const groups = Object.entries(RPC_METHODS);
  return {
    file: 'rpc-methods.html',
    title: 'Methods',
    group: 'JSON-RPC',
    summary: 'What each method costs, and a call of it to copy.',
    sections: groups.map(([group]) => ({ id: groupId(group), title: group })),
    body: html`<p>A method that is not here is served as well, at the <a href="metering.html#units">price of its pattern</a>.</p>
${groups.map(([group, methods]) => section(groupId(group), group, html`${methods.map(methodEntry)}`))}`,
  };
}

function groupId(group: string): string {
  return `methods-${group.toLowerCase()}`;
}

function methodEntry(described: RpcMethod): Html {
  const { method, summary, parameters, gives } = described;
  const cu = weightOf(method);
  const isCached = methodFacts(method).cache !== undefined;
  return html`<details class="fold" id="${method}">
<summary><h3><code>${method}</code></h3> ${price(cu)} <span class="faint">${summary}</span></summary>
<div class="entry"><div class="about">
<dl><dt>params</dt><dd>${parameters.length === 0 ? 'nothing' : parameters.map(inWords).join('; ')}</dd><dt>result</dt><dd>${gives}</dd></dl>
${isCached ? html`<p><a class="tag" href="metering.html#units">${CACHED_CU} CU from the cache</a></p>` : undefined}
</div>
<div class="shown">${rpcPlayground(described, cu)}</div></div>
</details>`;
}

function inWords({ holds, optional }: RpcParameter): string {
  return optional === true ? `${holds} (optional)` : holds;
}
