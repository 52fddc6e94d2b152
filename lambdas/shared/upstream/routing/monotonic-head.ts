import type { Call, UpstreamResponse } from '../../jsonrpc/calls.ts';
import type { HeadReports } from '../head/head-reports.ts';
import { asksForHead, newestBlockParams, reportedHead } from '../head/reported-head.ts';
import type { ChainClient } from './chain-client.ts';
import type { ResponseClass } from './classify-response.ts';

/** The response to a call, before the head that it shows is looked at. */
interface UncheckedResponse {
  /** Undefined if there is none that may be given. */
  readonly response: UpstreamResponse | undefined;
  /** Whether an upstream that is further on could not be asked. */
  readonly incomplete: boolean;
}

/**
 * Keeps the head that clients see from going back because an upstream lags. `eth_blockNumber` gets the number of the
 * head. If the newest block available is older than one already returned, because the upstream that has it is not
 * heard, the returned one is repeated; without that, the older block is returned, which is true.
 */
export function monotonicHead(
  call: Call,
  { response, incomplete }: UncheckedResponse,
  { view, newestBlocks, clock }: ChainClient,
): UpstreamResponse | undefined {
  const params = newestBlockParams(call);
  const told = response === undefined ? undefined : reportedHead(call, response)?.number;
  const isOlder = response === undefined || (told !== undefined && told < view.served);
  if (params !== undefined && isOlder && incomplete) {
    const kept = newestBlocks.find(params, view, clock.now());
    return kept === undefined ? response : { kind: 'result', result: kept, kept: true };
  }
  if (response?.kind !== 'result' || told === undefined) return response;
  if (params !== undefined) {
    newestBlocks.keep(params, told, response.result, clock.now());
    view.serve(told);
    return response;
  }
  const head = view.head ?? told;
  view.serve(head);
  return head === told ? response : { kind: 'result', result: Buffer.from(`"0x${head.toString(16)}"`) };
}

/**
 * The class that a response gets because of the head in it; undefined if the head is no reason for one. A number alone
 * is not judged unless no other is known: `monotonicHead` corrects it.
 */
export function classifyHead(
  call: Call,
  response: UpstreamResponse,
  view: HeadReports,
): ResponseClass | undefined {
  const told = reportedHead(call, response)?.number;
  // Every chain has a newest block.
  if (told === undefined) return response.kind === 'result' && asksForHead(call) ? 'broken' : undefined;
  const isNumber = newestBlockParams(call) === undefined;
  if (view.head === undefined || told > view.head)
    return isNumber && view.head !== undefined ? undefined : 'unbelieved';
  return told < view.served && !isNumber ? 'behind_served_head' : undefined;
}
