import type { AnsweredCall } from '../../lambdas/rpc/response/rpc-response.ts';
import type { Call, UpstreamResponse } from '../../lambdas/shared/jsonrpc/calls.ts';

const CALL: Call = { id: Buffer.from('1'), method: 'eth_chainId', params: undefined };

/** A call that was answered so. `change`: what is different from a call of `eth_chainId` with the id 1. */
export function answeredCall(
  response: UpstreamResponse,
  { cached = false, ...change }: Partial<Call> & { readonly cached?: boolean } = {},
): AnsweredCall {
  return { call: { ...CALL, ...change }, response, cached };
}
