import { describeAccount } from '../../../lambdas/status/describe-account.ts';
import { describeChains } from '../../../lambdas/status/describe-chains.ts';
import { codeBlock, jsonBlock } from '../code.ts';
import { BASE_URL_PLACEHOLDER, type SiteFacts } from '../facts.ts';
import { type Html, html } from '../html.ts';
import type { SitePage } from '../page.ts';
import { section } from '../parts.ts';

const EXAMPLE_HOUR = '2026-11-20T09';
/** What a client can ask about its account and about the chains. */
export function accountPage(facts: SiteFacts): SitePage {
  return {
    file: 'account.html',
    title: 'Account and chains',
    group: 'Reference',
    summary:
      'What is left on your account, what each chain offers, and the interfaces for machines. None is billed.',
    sections: [
      { id: 'account', title: 'Account' },
      { id: 'served', title: 'Chains' },
      { id: 'descriptions', title: 'Descriptions' },
    ],
    body: html`${section('account', 'Account', account(facts))}${section('served', 'Chains', served(facts))}${section('descriptions', 'Descriptions', descriptions())}`,
  };
}

function account({ plans, defaultPlan }: SiteFacts): Html {
  const statement = {
    account: 'acme',
    plan: defaultPlan,
    granted_cu: 1_000_000,
    debited_cu: 0,
    charged_cu: 1_260,
    balance_cu: 998_740,
    pending_cu: { [EXAMPLE_HOUR]: 1_260 },
    created_at: `${EXAMPLE_HOUR}:00:00Z`,
  };
  return html`<p><code>GET /v1/account</code>, with your key in <code>x-api-key</code> or as <code>Authorization: Bearer</code>: balance, limits of
the plan, <a href="keys.html">bounds of the key</a>, and what was charged in hours that are not settled yet (UTC).</p>
<div class="pair">${codeBlock('Request', `curl -s ${BASE_URL_PLACEHOLDER}/v1/account -H "x-api-key: $GATEWAY_KEY"`)}
${jsonBlock('Response', describeAccount(statement, { plans, defaultPlan }, {}))}</div>
<p>What was used by hour, chain and method, and what of it is settled, are lists with pages:
<a href="data-account.html"><code>/v1/account/usage</code>, <code>/v1/account/settlements</code> and <code>/v1/account/lanes</code></a>;
with signed <code>/v1/account/receipts</code> you <a href="bill.html">check your bill</a>;
what the account was granted, and what was taken back of it, is <code>/v1/account/credits</code>.</p>`;
}

function served({ chains, areIndexed }: SiteFacts): Html {
  return html`<p><code>GET /v1/chains</code> needs no key and may be asked by a browser: methods and limits of each public chain, as
configured now.</p>
<div class="pair">${codeBlock('Request', `curl -s ${BASE_URL_PLACEHOLDER}/v1/chains`)}
${jsonBlock('Response', describeChains(chains, areIndexed))}</div>`;
}

function descriptions(): Html {
  return html`<p>The interfaces for machines, without a key, for browsers too: <code>GET /v1/openapi.json</code> is the Data API (OpenAPI
3.1), <code>GET /v1/openrpc.json</code> is JSON-RPC with its methods, their compute units and errors (OpenRPC 1.3). Both may be
kept for an hour, and are 304 for a request with their <code>ETag</code>.</p>
${codeBlock('Request', `curl -s ${BASE_URL_PLACEHOLDER}/v1/openapi.json`)}`;
}
