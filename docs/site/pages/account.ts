import { describeAccount } from '../../../lambdas/status/describe-account.ts';
import { describeChains } from '../../../lambdas/status/describe-chains.ts';
import { codeBlock, jsonBlock } from '../code.ts';
import { BASE_URL_PLACEHOLDER, type SiteFacts } from '../facts.ts';
import { type Html, html } from '../html.ts';
import type { SitePage } from '../page.ts';
import { section } from '../parts.ts';

const EXAMPLE_HOUR = '2026-11-20T09';
/** What the tool says of a bill in which nothing is wrong. */
const BILL_OUTPUT = `ok      Every head is signed with a key that was given.
ok      Each head names the one before it, and the last one that was seen is there.
ok      Every record is a statement to this account, and the list says what it states.
ok      Each record names the one before it: none was left out or changed.
ok      Every record is below a signed head.
ok      The lanes of each record are those that it states.
ok      Lanes add up to records, and records to billing units of 1,000 CU, rounded down.
ok      No later revision of an hour lowers a lane.
ok      What responses and receipts told of lanes agrees with what was billed.
ok      Every receipt is to this account, and signed with a key that was certified for its day.
ok      No receipt has a lane below an earlier receipt, or a record.
2 records of demo bill 1 units.
Newest head: 2, 532586d473739b419d28d55a303100e0e24faeab42c94b2580c6bdaed10d0b79. Compare it with another customer's.`;

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
      { id: 'bill', title: 'Check your bill' },
      { id: 'served', title: 'Chains' },
      { id: 'descriptions', title: 'Descriptions' },
    ],
    body: html`${section('account', 'Account', account(facts))}${section('bill', 'Check your bill', bill())}${section('served', 'Chains', served(facts))}${section('descriptions', 'Descriptions', descriptions())}`,
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
<div class="pair">${codeBlock('Request', `curl -s ${BASE_URL_PLACEHOLDER}/v1/account -H "x-api-key: $KEY"`)}
${jsonBlock('Response', describeAccount(statement, { plans, defaultPlan }, {}))}</div>
<p>What was used by hour, chain and method, and what of it is settled, are lists with pages:
<a href="data-account.html"><code>/v1/account/usage</code>, <code>/v1/account/settlements</code> and <code>/v1/account/lanes</code></a>;
what the account was granted, and what was taken back of it, is <code>/v1/account/credits</code>.</p>`;
}

function bill(): Html {
  return html`<p>You need not believe your bill. Each response says in <code>X-CU-Lane</code> what its running total has come to; each settled hour
states the totals that it adds up and the record before it; and once an hour the gateway signs what it has settled, in public. The tool
<code>gateway-bill</code>, which your operator gives you with the public key, checks on your machine that these agree: nothing was raised, left
out or rewritten, and no record that an earlier check has seen is gone.</p>
${codeBlock('Commands', `export GATEWAY_API_KEY=$KEY\nnpx gateway-bill fetch bill --url ${BASE_URL_PLACEHOLDER}\nnpx gateway-bill verify bill --account ACCOUNT --heads HEADS_URL --key key.txt`)}
${codeBlock('Output', BILL_OUTPUT)}
<p>It does not prove that a request was made, that its price was the right one, or that others see the same heads as you: compare number and
hash of the newest head with another customer. A total that was billed below what a response told is an under-charge, in your favour; the tool
says how much.</p>`;
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
kept for an hour, and are 304 for who sends their <code>ETag</code>.</p>
${codeBlock('Request', `curl -s ${BASE_URL_PLACEHOLDER}/v1/openapi.json`)}`;
}
