import type { HttpResponse, PriceBounds } from 'gateway-access';
import { type DataOperationId, OPERATIONS } from '../data/operations/operations.ts';
import { dataPrice } from '../data/response/price-again.ts';
import { answerCu } from '../rpc/billing/price-again.ts';
import type { PriceList } from '../shared/bill/price-list.ts';
import { CHAINS_OPERATION, PORTFOLIO_OPERATION, PORTFOLIO_TOOL } from './tools/portfolio-tool.ts';
import { isRpcTool } from './tools/rpc-tools.ts';

const OK = 200;
const REFUSED = 400;
const FREE: PriceBounds = { least: 0, most: 0 };

/** A message that calls a tool, and the response to one as this server gives it. */
interface Message {
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown; readonly arguments?: { readonly chains?: unknown } };
  readonly result?: {
    readonly isError?: boolean;
    readonly content: readonly [{ readonly text: string }, ...unknown[]];
    readonly structuredContent?: { readonly truncated?: boolean };
  };
}

/**
 * The price of the call behind a message by a list, worked out from what an agent sent and reads. Undefined: its response was
 * cut, so that it does not tell.
 */
export function toolPrice(
  sent: string,
  { statusCode, headers, body }: HttpResponse,
  list: PriceList,
): PriceBounds | undefined {
  if (statusCode !== OK) return FREE;
  const { method, params } = JSON.parse(sent) as Message;
  const { result } = JSON.parse(String(body)) as Message;
  const name = String(params?.name);
  if (method !== 'tools/call' || result === undefined) return FREE;
  const { isError = false, content, structuredContent } = result;
  const [{ text }] = content;
  if (isRpcTool(name)) {
    const mark = headers['X-Cache'];
    if (mark === undefined) return FREE;
    const cu = answerCu(name, mark, isError ? JSON.parse(text) : {}, list);
    return { least: cu, most: cu };
  }
  const isPortfolio = name === PORTFOLIO_TOOL.name && !isError;
  if (!isPortfolio && !Object.hasOwn(OPERATIONS, name)) return FREE;
  if (structuredContent?.truncated === true) return undefined;
  if (isPortfolio) return portfolioPrice(JSON.parse(text), params?.arguments?.chains === undefined, list);
  const operationId = name as DataOperationId;
  return dataPrice({ operationId, statusCode: isError ? REFUSED : OK, body: text }, list);
}

/** The pages of all chains, and the list of chains where it was asked for. */
function portfolioPrice(
  { data }: { readonly data: readonly { readonly balances?: unknown; readonly meta?: unknown }[] },
  isListed: boolean,
  list: PriceList,
): PriceBounds {
  const pages = data.filter(({ balances }) => balances !== undefined);
  const bodies: (readonly [operationId: DataOperationId, body: object])[] = pages.map(
    ({ balances, meta }) => [PORTFOLIO_OPERATION, { data: balances, meta }] as const,
  );
  if (isListed) bodies.push([CHAINS_OPERATION, { data: [], meta: {} }]);
  return bodies
    .map(([operationId, body]) =>
      dataPrice({ operationId, statusCode: OK, body: JSON.stringify(body) }, list),
    )
    .reduce<PriceBounds>(
      (sum, bounds) => ({ least: sum.least + bounds.least, most: sum.most + bounds.most }),
      FREE,
    );
}
