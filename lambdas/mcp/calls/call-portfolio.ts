import {
  type PortfolioTotal,
  portfolioTotals,
  type ValuedBalance,
} from '../../../clients/typescript/src/portfolio-totals.ts';
import type { DataDependencies } from '../../data/handle-data.ts';
import {
  balancesOfEach,
  CHAINS_OPERATION,
  MAX_PORTFOLIO_CHAINS,
  PORTFOLIO_OPERATION,
} from '../tools/portfolio-tool.ts';
import type { ToolArguments } from '../tools/tool.ts';
import { callData } from './call-data.ts';
import type { TimedContext } from './call-rpc.ts';
import { refusedResponse, type ToolResponse, type ToolResponseOrGone } from './tool-response.ts';

/** Longest time for the statement of a chain and its response, in milliseconds: without it, no further chain is asked. */
const CHAIN_MS = 15_000;
/** What is refused to the key, so that it is refused on every chain. */
const OF_KEY: ReadonlySet<string> = new Set([
  'billing_unavailable',
  'cost_exceeds_burst',
  'forbidden',
  'insufficient_balance',
  'key_daily_limit',
  'rate_limited',
]);
const GONE = { code: 'not_found', message: 'the key is no longer active' };
const LATE = { code: 'not_asked', message: 'no time was left: ask for this chain again' };
const BILLED = 'X-CU-Billed';
const COST = 'X-CU-Cost';
const LANE = 'X-CU-Lane';
const SNAPSHOT = 'X-Snapshot-Block';

/** What the Data API says of a request that fails. */
interface Refusal {
  readonly code: string;
  readonly message: string;
}

/** A page of balances, as its route has it. */
interface Page {
  readonly data: readonly ValuedBalance[];
  readonly next_cursor?: string;
  readonly meta: object;
}

/** What became of one chain: its balances, or its error. */
type ChainEntry = { readonly chain: string } & (
  | (Omit<Page, 'data'> & {
      readonly error: null;
      /** Null where balances are left out, which `next_cursor` says. */
      readonly totals: readonly PortfolioTotal[] | null;
      readonly balances: Page['data'];
    })
  | { readonly error: string; readonly message: string }
);

/**
 * Asks chain after chain for the balances of an address, each as its own tool does: by the same parameters, limits and charge. A
 * chain that fails has its error in its place. Undefined if the key turns out to be no longer active before anything is billed.
 */
export async function callPortfolio(
  { address, chains, limit }: ToolArguments,
  context: TimedContext,
  data: DataDependencies,
): Promise<ToolResponseOrGone> {
  let named = chains as readonly string[] | undefined;
  if (named?.length === 0) return refusedResponse(400, 'bad_request', 'chains: name one at least');
  const sum = new HeaderSum();
  const endsAt = data.clock.now() + context.remainingMs - CHAIN_MS;
  if (named === undefined) {
    const listed = await callData(CHAINS_OPERATION, {}, context, data);
    if (listed === undefined || listed.isError) return listed;
    sum.add(listed);
    named = namesOf(listed);
  }
  const names = [...new Set(named)];
  const most = balancesOfEach(names.length);
  const values = { address, limit: Math.min(Number(limit ?? most), most) };
  const entries: ChainEntry[] = [];
  let refusal: Refusal | undefined;
  for (const [at, chain] of names.entries()) {
    if (at >= MAX_PORTFOLIO_CHAINS || (at > 0 && data.clock.now() > endsAt)) refusal ??= LATE;
    if (refusal !== undefined) {
      entries.push(failed(chain, refusal));
      continue;
    }
    const response = await callData(PORTFOLIO_OPERATION, { ...values, chain }, context, data);
    if (response === undefined && sum.billed === 0) return undefined;
    sum.add(response);
    const page = pageOf(response);
    entries.push('code' in page ? failed(chain, page) : found(chain, page));
    if ('code' in page && (page === GONE || OF_KEY.has(page.code))) refusal = page;
  }
  return sum.response({ data: entries, charges: sum.charges });
}

function namesOf(listed: ToolResponse): string[] {
  const { data } = JSON.parse(Buffer.concat(listed.body).toString()) as {
    readonly data: readonly { readonly chain: string }[];
  };
  return data.map(({ chain }) => chain);
}

/** What a chain answered. */
function pageOf(response: ToolResponseOrGone): Page | Refusal {
  if (response === undefined) return GONE;
  const body = JSON.parse(Buffer.concat(response.body).toString()) as Page | { readonly error: Refusal };
  return 'error' in body ? body.error : body;
}

function found(chain: string, { data: balances, ...page }: Page): ChainEntry {
  const totals = page.next_cursor === undefined ? portfolioTotals(balances) : null;
  return { chain, error: null, totals, balances, ...page };
}

function failed(chain: string, { code, message }: Refusal): ChainEntry {
  return { chain, error: code, message };
}

/** What the responses of the chains come to, in the headers that one call has. */
class HeaderSum {
  billed = 0;
  #cost = 0;
  #headers: ToolResponse['headers'] = {};
  #isBlameless = false;
  /** `X-CU-Lane` and CU of each charge. */
  readonly charges: string[] = [];

  add(response: ToolResponseOrGone): void {
    if (response === undefined) return;
    const { headers } = response;
    this.#isBlameless ||= response.isBlameless;
    this.billed += Number(headers[BILLED] ?? 0);
    this.#cost += Number(headers[COST] ?? 0);
    const { [LANE]: lane } = headers;
    if (lane !== undefined) this.charges.push(`${lane} ${headers[BILLED]}`);
    this.#headers = { ...this.#headers, ...headers };
  }

  /** The last response that tells of balance, limits and lane does so. A snapshot is that of one chain. */
  response(body: object): ToolResponse {
    const { [SNAPSHOT]: _, ...headers } = this.#headers;
    return {
      status: 200,
      headers: { ...headers, [COST]: String(this.#cost), [BILLED]: String(this.billed) },
      body: [Buffer.from(JSON.stringify(body))],
      isError: false,
      isBlameless: this.#isBlameless && this.billed === 0,
    };
  }
}
