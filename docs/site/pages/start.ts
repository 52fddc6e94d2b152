import { RPC_METHODS } from '../../../api/rpc-methods.ts';
import { BILLING_UNIT_CU } from '../../../lambdas/settlement/settlement-ledger.ts';
import { MAX_BATCH_CALLS } from '../../../lambdas/shared/jsonrpc/calls.ts';
import { weightOf } from '../../../lambdas/shared/methods/method-facts.ts';
import { CACHED_CU } from '../../../lambdas/shared/methods/method-table.ts';
import { codeBlock, jsonBlock, samples } from '../code.ts';
import type { SiteFacts } from '../facts.ts';
import { type Html, html } from '../html.ts';
import type { SiteOperation } from '../operations.ts';
import type { SitePage } from '../page.ts';
import { code, section, table } from '../parts.ts';
import { BASE_URL_PLACEHOLDER } from '../serve-file.ts';
import { dataPlayground, rpcPlayground } from '../try-form.ts';

const [TRIED_METHOD, TRIED_OPERATION] = ['eth_blockNumber', 'listStockCandles'];
const ENDPOINT = `${BASE_URL_PLACEHOLDER}/v1/`;

/** The first page: from a key to the first responses. */
export function startPage(facts: SiteFacts, operations: readonly SiteOperation[]): SitePage {
  return {
    file: 'index.html',
    title: 'Quick start',
    group: 'Start',
    summary: 'One key, every chain: JSON-RPC and indexed chain data behind one address.',
    sections: [
      { id: 'key', title: 'Your key' },
      { id: 'first-call', title: 'First call' },
      { id: 'first-data', title: 'First data' },
      { id: 'try', title: 'Try it' },
      { id: 'chains', title: 'Chains' },
    ],
    body: html`${cards(operations)}${keySection()}${firstCall(facts)}${firstData(facts, operations)}${tryIt(facts, operations)}${chains(facts)}`,
  };
}

function cards(operations: readonly SiteOperation[]): Html {
  return html`<ul class="cards">
<li><a href="rpc-methods.html"><strong>JSON-RPC</strong><span>Standard methods and traces, batches of ${MAX_BATCH_CALLS}. Final results come from a cache for ${CACHED_CU} CU.</span></a></li>
<li><a href="data-api.html"><strong>Data API</strong><span>${operations.length} operations over indexed blocks, transfers, balances, NFTs, trades, prices and stocks.</span></a></li>
<li><a href="metering.html"><strong>Metering</strong><span>Each response says what it cost. Only answers of nodes are billed, in units of ${Number(BILLING_UNIT_CU)} CU.</span></a></li>
<li><a href="mcp.html"><strong>Agents</strong><span>One URL and a key give an agent tools that read every chain (Model Context Protocol).</span></a></li>
<li><a href="errors.html"><strong>Errors</strong><span>A stable reason for each, and whether a retry can help.</span></a></li>
<li><a href="bill.html"><strong>Bills</strong><span>A tool checks your bill against signed records that anybody can read, without an API key.</span></a></li>
</ul>`;
}

function keySection(): Html {
  const content = html`<p>A key is <code>rgw_</code> and 64 hex digits. Your operator makes it and shows it once. It works on
every chain, and whoever holds it can spend the balance: keep it on your servers, and send it in a header.</p>
${codeBlock('Shell', 'export GATEWAY_KEY=rgw_...')}`;
  return section('key', 'Your key', content);
}

function firstCall({ exampleChain }: SiteFacts): Html {
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}';
  const ways = [
    {
      label: 'curl',
      code: `curl -s -i ${ENDPOINT} \\\n  -H 'content-type: application/json' \\\n  -H "x-api-key: $GATEWAY_KEY" \\\n  -d '${body}'`,
    },
    { label: 'viem', code: viem(exampleChain.chainId) },
    { label: 'ethers', code: ethers() },
  ];
  const content = html`<p>Send JSON-RPC to <code>${ENDPOINT}</code>. The slash at the end is part of the address.</p>
<div class="pair">${samples('language', ways)}${jsonBlock('Response', { jsonrpc: '2.0', id: 1, result: '0x3c0' })}</div>
<p>The headers say what it cost (<code>X-CU-Cost</code>), what was billed (<code>X-CU-Billed</code>) and what is left
(<code>X-CU-Balance</code>, <code>RateLimit</code>). Refused requests have fewer: <a href="json-rpc.html#headers">all headers</a>.</p>`;
  return section('first-call', 'First call', content);
}

/** Run by a test, as the others that one can copy. */
export function viem(chainId: number): string {
  return `import { createPublicClient, http } from 'viem';

const client = createPublicClient({
  transport: http('${ENDPOINT}', {
    batch: { batchSize: 100 },
    fetchOptions: { headers: { 'x-api-key': process.env.GATEWAY_KEY } },
  }),
});
console.log(await client.getChainId(), 'is', ${chainId});
console.log(await client.getBlockNumber());`;
}

export function ethers(): string {
  return `import { FetchRequest, JsonRpcProvider } from 'ethers';

const request = new FetchRequest('${ENDPOINT}');
request.setHeader('x-api-key', process.env.GATEWAY_KEY);
request.retryFunc = async (_request, { headers }, attempt) => {
  // ethers takes the seconds of Retry-After for milliseconds.
  await new Promise((resolve) => setTimeout(resolve, 1_000 * Number(headers['retry-after'] ?? 1)));
  return attempt < 10;
};
const provider = new JsonRpcProvider(request, undefined, { batchMaxCount: 100, polling: true, staticNetwork: true });
console.log(await provider.getBlockNumber());
provider.destroy();`;
}

function firstData({ exampleChain }: SiteFacts, operations: readonly SiteOperation[]): Html {
  const balances = operations.find(({ id }) => id === 'listAddressBalances');
  if (balances === undefined) throw new Error('the description has no listAddressBalances');
  const content = html`<p>The <a href="data-api.html">Data API</a> takes the same key. Each path names its chain, here
<code>${exampleChain.chain}</code>. Balances are a snapshot: a chain that is new here answers 422
<code>dataset_not_installed</code> until its first one is complete, on a local run a minute after the first start.</p>
<div class="pair">${codeBlock('curl', `curl -s ${BASE_URL_PLACEHOLDER}${balances.examplePath} \\\n  -H "x-api-key: $GATEWAY_KEY"`)}
${jsonBlock('Response', balances.example)}</div>`;
  return section('first-data', 'First data', content);
}

/** A call and a list, with the forms that all of the reference has. */
function tryIt({ chains }: SiteFacts, operations: readonly SiteOperation[]): Html {
  const candles = operations.find(({ id }) => id === TRIED_OPERATION);
  const call = Object.values(RPC_METHODS)
    .flat()
    .find(({ method }) => method === TRIED_METHOD);
  if (candles === undefined || call === undefined)
    throw new Error(`${TRIED_OPERATION} or ${TRIED_METHOD} is not described`);
  const names = chains.map(({ chain }) => chain);
  const content = html`<p>Every method and operation of this reference has such a form. It writes the request in each language as you
fill it in. On a local run it sends it, too, and draws what comes back.</p>
<div class="pair"><div>${rpcPlayground(call, weightOf(TRIED_METHOD))}</div><div>${dataPlayground(candles, names)}</div></div>`;
  return section('try', 'Try it', content);
}

function chains({ chains: served }: SiteFacts): Html {
  const rows = served.map((chain) => [
    chain.name,
    code(chain.chain),
    code(chain.chainId),
    code(`${BASE_URL_PLACEHOLDER}/v1/${chain.default ? '' : chain.chain}`),
  ]);
  const content = html`${table(['Chain', 'Name in paths', 'Chain id', 'JSON-RPC'], rows)}
<p>Which of them are up, and how far they are: <a href="status.html">status</a>.</p>`;
  return section('chains', 'Chains', content);
}
