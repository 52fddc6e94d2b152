import { BILLING_UNIT_CU } from '../../../lambdas/settlement/settlement-ledger.ts';
import { MAX_BATCH_CALLS, MAX_BODY_BYTES } from '../../../lambdas/shared/jsonrpc/calls.ts';
import { weightOf } from '../../../lambdas/shared/methods/method-facts.ts';
import { CACHED_CU, METHODS } from '../../../lambdas/shared/methods/method-table.ts';
import type { ChainSettings, PlanLimits } from '../../../lambdas/shared/runtime/settings.ts';
import { codeBlock } from '../code.ts';
import type { SiteFacts } from '../facts.ts';
import { type Html, html } from '../html.ts';
import { renderPageMarkdown, sectionOf } from '../markdown.ts';
import type { SitePage } from '../page.ts';
import { code, grouped, price, section, table } from '../parts.ts';

const MIB = 1024 * 1024;
/** Methods whose rate the table of plans shows. */
const SHOWN_METHODS = ['eth_call', 'eth_getLogs'];
const EXAMPLE_BATCH = ['eth_blockNumber', 'eth_call', 'eth_getLogs'];

/** What is counted, what is limited and what is billed. */
export function meteringPage(facts: SiteFacts): SitePage {
  return {
    file: 'metering.html',
    title: 'Metering and limits',
    group: 'Reference',
    summary: 'A request costs the sum of its calls. Only answers are billed.',
    sections: [
      { id: 'cost', title: 'What a request costs' },
      { id: 'billed', title: 'What is billed' },
      { id: 'cache', title: 'Cached answers' },
      { id: 'plans', title: 'Plans' },
      { id: 'limits', title: 'Limits' },
      { id: 'settlement', title: 'Settlement' },
    ],
    body: html`${section('cost', 'What a request costs', cost())}
${section('billed', 'What is billed', billed(facts))}
${section('cache', 'Cached answers', cachedMethods())}
${section('plans', 'Plans', plans(facts))}
${section('limits', 'Limits', limits(facts.chains))}
${section('settlement', 'Settlement', settlement())}`,
  };
}

function cost(): Html {
  const weights = EXAMPLE_BATCH.map((method) => weightOf(method));
  const total = weights.reduce((sum, cu) => sum + cu, 0);
  const lines = EXAMPLE_BATCH.map(
    (method, index) => `${method.padEnd(18)}${String(weights[index]).padStart(4)} CU`,
  );
  return html`<p>Everything is counted in compute units (CU): <a href="rpc-methods.html#weights">prices of methods</a>, and of each
operation of the <a href="data-api.html#operations">Data API</a>. A batch costs the sum of its calls.</p>
${codeBlock('A batch of three', `${lines.join('\n')}\n${'X-CU-Cost'.padEnd(18)}${String(total).padStart(4)} CU`)}`;
}

function billed({ words }: SiteFacts): Html {
  const blocks = sectionOf(words.jsonRpc, 'Compute units').split('\n\n');
  return html`${renderPageMarkdown(blocks.filter((block) => !block.startsWith('|')).join('\n\n'))}
<p>Of the Data API only answers with 2xx are billed. The balance is one for all chains and both interfaces; when it is used
up, requests are answered by HTTP 402 until the operator adds to it.</p>`;
}

function cachedMethods(): Html {
  const methods = METHODS.filter(({ cache }) => cache !== undefined).map(
    ({ name: method }) => html`<li>${code(method)}</li>`,
  );
  return html`<p>Answers that cannot change are cached: constants, and what is pinned to a final block by its number or hash. Such an
answer is billed ${price(CACHED_CU)}; <code>X-Cache</code> says <code>hit</code>. Name blocks by number rather than by tag, and repeated calls of
these methods cost next to nothing:</p>
<ul class="chips">${methods}</ul>`;
}

function plans(facts: SiteFacts): Html {
  const rows = Object.entries(facts.plans).map(([name, plan]) => planRow(name, plan, facts.defaultPlan));
  const head = [
    'Plan',
    'Bucket',
    'Refill',
    'Requests a second',
    ...SHOWN_METHODS.map((one) => html`${code(one)} a second`),
  ];
  return html`<p>Each key has a bucket of compute units that refills all the time. A request takes its cost on arrival; one that finds
too little is answered by 429 with <code>Retry-After</code>, one that costs more than the whole bucket can never pass.</p>
${table(head, rows)}`;
}

function planRow(name: string, plan: PlanLimits, defaultPlan: string): readonly (Html | string)[] {
  const { bucketCapacity, refillPerSecond, requestsPerSecond } = plan;
  const perSecond = (cu: number) =>
    Math.min(Math.floor(refillPerSecond / cu), requestsPerSecond ?? Number.POSITIVE_INFINITY);
  return [
    html`${code(name)}${name === defaultPlan ? ' (default)' : ''}`,
    `${grouped(bucketCapacity)} CU`,
    `${grouped(refillPerSecond)} CU a second`,
    requestsPerSecond === undefined ? 'no limit' : grouped(requestsPerSecond),
    ...SHOWN_METHODS.map((method) => grouped(perSecond(weightOf(method)))),
  ];
}

function limits(chains: readonly ChainSettings[]): Html {
  const rows = chains.map(({ chain, maxLogsBlockRange, stateWindowBlocks, maxResponseBytes }) => [
    code(chain),
    `${grouped(maxLogsBlockRange)} blocks`,
    `${grouped(stateWindowBlocks)} blocks`,
    `${maxResponseBytes / MIB} MiB`,
  ]);
  return html`<ul><li>Calls in a batch: at most ${MAX_BATCH_CALLS}.</li><li>Body of a request: at most ${MAX_BODY_BYTES / MIB} MiB.</li></ul>
${table(['Chain', html`Range of ${code('eth_getLogs')}`, 'Depth of state', 'Largest answer'], rows)}`;
}

function settlement(): Html {
  const unit = Number(BILLING_UNIT_CU);
  return html`<p>Every hour is settled once it is over: <code>floor(CU of the hour / ${unit})</code> billing units for each account. What is left
over of an hour is not carried into the next. <a href="account.html">Your account</a> shows what is charged and not yet settled.</p>`;
}
