import { MAX_BATCH_CALLS, MAX_BODY_BYTES } from '../../../lambdas/shared/jsonrpc/calls.ts';
import { weightOf } from '../../../lambdas/shared/methods/method-facts.ts';
import type { ChainSettings, PlanLimits } from '../../../lambdas/shared/runtime/settings.ts';
import type { SiteFacts } from '../facts.ts';
import { type Html, html } from '../html.ts';
import type { SitePage } from '../page.ts';
import { code, grouped, section, table } from '../parts.ts';
import { docsSection } from './guides.ts';

const MIB = 1024 * 1024;
/** Methods whose rate the table of plans shows. */
const SHOWN_METHODS = ['eth_call', 'eth_getLogs'];

/** What is counted and billed, and what the plans and chains of the stage limit. */
export function meteringPage(facts: SiteFacts): SitePage {
  return {
    file: 'metering.html',
    title: 'Metering and limits',
    group: 'Reference',
    summary: 'A request costs the sum of its calls. Only answers are billed.',
    sections: [
      { id: 'units', title: 'Compute units' },
      { id: 'plans', title: 'Plans' },
      { id: 'limits', title: 'Limits' },
    ],
    body: html`${section('units', 'Compute units', docsSection({ page: 'json-rpc.md', heading: 'Compute units' }))}
${section('plans', 'Plans', plans(facts))}
${section('limits', 'Limits', limits(facts.chains))}`,
  };
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
