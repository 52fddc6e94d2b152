import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { HttpResponse, PriceBounds } from 'gateway-access';
import { type DataOperationId, OPERATIONS } from '../data/operations/operations.ts';
import { dataPrice } from '../data/response/price-again.ts';
import { answerCu } from '../rpc/billing/price-again.ts';
import type { PriceList } from '../shared/bill/price-list.ts';
import { isRpcTool } from './tools/rpc-tools.ts';

const OK = 200;
const REFUSED = 400;
const FREE: PriceBounds = { least: 0, most: 0 };

/** A message that calls a tool, and the response to one. */
interface Message {
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown };
  readonly result?: CallToolResult;
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
  const [first] = content;
  const text = first?.type === 'text' ? first.text : '';
  if (isRpcTool(name)) {
    const mark = headers['X-Cache'];
    if (mark === undefined) return FREE;
    const cu = answerCu(name, mark, isError ? JSON.parse(text) : {}, list);
    return { least: cu, most: cu };
  }
  const isOperation = Object.hasOwn(OPERATIONS, name);
  if (!isOperation) return FREE;
  if (structuredContent?.truncated === true) return undefined;
  const { perItem } = OPERATIONS[name as DataOperationId] as { readonly perItem?: string };
  const answered = { operationId: name, isPerItem: perItem !== undefined, body: text };
  return dataPrice({ ...answered, statusCode: isError ? REFUSED : OK }, list);
}
