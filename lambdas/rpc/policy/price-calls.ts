import type { Price } from 'gateway-access';
import type { Call } from '../../shared/jsonrpc/calls.ts';
import { weightOf } from '../../shared/methods/method-facts.ts';

/** What the calls of a request cost: the sum of their weights. */
export function priceCalls(calls: readonly Pick<Call, 'method'>[], cuOf = weightOf): Price {
  return { cu: calls.reduce((cu, { method }) => cu + cuOf(method), 0) };
}
