import type { Call, UpstreamResponse } from '../../shared/jsonrpc/calls.ts';
import { requiredBlock } from '../../shared/jsonrpc/required-block.ts';

/** A call with its response. */
interface Answered {
  readonly call: Call;
  readonly response: UpstreamResponse;
}

/**
 * Header `X-Chain-Head`: number of a block that all responses are at least as new as. That is known of responses about the
 * newest block by the upstream that gave them; for others it is the head that this instance knows. Of several it is the
 * lowest, and there is no header if one of them is not known.
 */
export function chainHeadHeader(
  responses: readonly Answered[],
  known: bigint | undefined,
): { readonly 'X-Chain-Head'?: string } {
  const heads = responses.map(({ call, response }) => {
    const isNewest = requiredBlock(call).kind === 'head' && response.kind === 'result';
    return isNewest ? response.asOf : known;
  });
  const numbers = heads.filter((head) => head !== undefined);
  if (numbers.length < heads.length || numbers[0] === undefined) return {};
  const lowest = numbers.reduce((low, one) => (one < low ? one : low), numbers[0]);
  return { 'X-Chain-Head': String(lowest) };
}
