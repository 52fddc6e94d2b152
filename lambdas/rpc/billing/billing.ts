import type { UpstreamResponse } from '../../shared/jsonrpc/calls.ts';
import { messageOf, SERVER_ERROR_CODE, saysHistoricalStateGone } from '../../shared/jsonrpc/error-message.ts';

/** Codes of node errors that are never billed. */
const UNBILLED_CODES: ReadonlySet<number> = new Set([4444, -32002, -32003, -32600]);

/** Compute units that the answer of a call of this weight is billed: nothing unless the node has answered. */
export function billedCu(answer: UpstreamResponse, weight: number): number {
  switch (answer.kind) {
    case 'result':
      return weight;
    case 'error':
      return isUnbilledError(answer) ? 0 : weight;
    case 'failed':
      return 0;
  }
}

/** By the table of errors: whichever node wrote the message, and whatever stands around the words. */
function isUnbilledError(answer: Extract<UpstreamResponse, { kind: 'error' }>): boolean {
  const { code } = answer;
  if (code !== SERVER_ERROR_CODE) return UNBILLED_CODES.has(code);
  return saysHistoricalStateGone(messageOf(answer));
}
