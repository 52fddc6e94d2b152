import { type GatewayStatus, readStatus } from '../../../lambdas/status/chain-status.ts';
import { codeBlock, jsonBlock } from '../code.ts';
import { BASE_URL_PLACEHOLDER, type SiteFacts } from '../facts.ts';
import { type Html, html } from '../html.ts';
import type { SitePage } from '../page.ts';
import { code, section, table } from '../parts.ts';

const EXAMPLE_TIME_MS = Date.parse('2026-11-20T09:30:00Z');
const EXAMPLE_HEAD = { block: 960, timeMs: EXAMPLE_TIME_MS - 2_000 };

/** The live view of `GET /v1/status`, and its reference. */
export async function statusPage(facts: SiteFacts): Promise<SitePage> {
  const example = await readStatus(facts.chains, async () => EXAMPLE_HEAD, { now: () => EXAMPLE_TIME_MS });
  return {
    file: 'status.html',
    title: 'Status',
    group: 'Start',
    summary: 'Whether the gateway works now, and how it was in the last day.',
    sections: [
      { id: 'now', title: 'Now' },
      { id: 'day', title: 'The last day' },
      { id: 'meaning', title: 'What it means' },
      { id: 'endpoint', title: 'Endpoint' },
    ],
    body: html`${live()}${day()}${section('meaning', 'What it means', meaning())}${section('endpoint', 'Endpoint', endpoint(example))}`,
  };
}

/** Filled in by the script, which alone knows the response; until then, and without it, nothing is claimed. */
function live(): Html {
  return html`<section id="now" class="live" data-live data-state="unknown" aria-live="polite">
<div class="verdict"><span class="dot"></span><strong data-verdict>Not asked yet</strong><span data-asked></span></div>
<p data-reason>This view needs JavaScript. <code>GET /v1/status</code> answers the same without.</p>
<div class="table" tabindex="0"><table hidden><thead><tr><th scope="col">Chain</th><th scope="col">Chain id</th><th scope="col">Head</th><th scope="col">Time of the head</th><th scope="col">Lag</th></tr></thead><tbody data-chains></tbody></table></div>
</section>`;
}

/** Shown once there is something to plot. */
function day(): Html {
  return html`<section id="day" data-history hidden><h2>The last day</h2>
<p><label>Chain <select></select></label> Each point is five minutes (UTC). Where the line is broken, the index did not run.</p>
<div data-plots></div></section>`;
}

function meaning(): Html {
  return table(
    ['Status', 'Meaning'],
    [
      [code('ok'), 'every public chain has a head, and none is older than the operator allows'],
      [
        code('degraded'),
        'some public chain has no head, and is left out of the list, or its head is older than the operator allows',
      ],
      [code('down'), 'no public chain has a head'],
      ['cannot be reached', 'your browser had no answer: the gateway, or the way to it, is down'],
    ],
  );
}

function endpoint(example: GatewayStatus): Html {
  return html`<p><code>GET /v1/status</code> needs no key, is not billed and may be asked by any web page. <code>lag_seconds</code> is the age
of the chain's newest block. How old it may be is set for each chain (<code>maxHeadLagSeconds</code> in the stage file); without a limit
a head may be of any age, as chains need it that make blocks rarely.</p>
<p>With <code>?history=CHAIN</code> that chain also has its <code>history</code>: the five-minute windows of the last day.</p>
<div class="pair">${codeBlock('Request', `curl -s ${BASE_URL_PLACEHOLDER}/v1/status`)}${jsonBlock('Response', example)}</div>`;
}
