import type { UpstreamResponse } from '../../shared/jsonrpc/calls.ts';
import { messageOf, SERVER_ERROR_CODE, saysHistoricalStateGone } from '../../shared/jsonrpc/error-message.ts';

/** Codes of node errors that are never billed. */
const UNBILLED_CODES: ReadonlySet<number> = new Set([4444, -32002, -32003, -32600]);

/** Compute units that the response of a call of this weight is billed: nothing unless the node has answered. */
export function billedCu(response: UpstreamResponse, weight: number): number {
  switch (response.kind) {
    case 'result':
      return weight;
    case 'error':
      return isUnbilledError(response) ? 0 : weight;
    case 'failed':
      return 0;
  }
}

/** By the table of errors: whichever node wrote the message, and whatever stands around the words. */
function isUnbilledError(response: Extract<UpstreamResponse, { kind: 'error' }>): boolean {
  const { code } = response;
  if (code !== SERVER_ERROR_CODE) return UNBILLED_CODES.has(code);
  return saysHistoricalStateGone(messageOf(response));
}
