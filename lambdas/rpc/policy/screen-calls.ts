import type { ParsedCall } from '../../shared/jsonrpc/calls.ts';
import type { GatewayError } from '../../shared/jsonrpc/error-catalogue.ts';
import { isMethodServed } from '../../shared/methods/chain-methods.ts';
import type { ChainSettings } from '../../shared/runtime/settings.ts';
import type { HeadTracker } from '../../shared/upstream/routing/head-tracker.ts';
import type { ScreenedCall } from '../outcome/call-outcome.ts';
import { capGas } from './cap-gas.ts';
import { guardCall } from './guard-call.ts';

/** Longest method name in the sentence for clients that look for one, in UTF-16 units. */
const MAX_NAMED_METHOD_LENGTH = 100;

/** Refuses, one by one, the calls that policy and guards keep from the node. None of them costs anything. */
export function screenCalls(
  calls: readonly ParsedCall[],
  chain: ChainSettings,
  view: HeadTracker,
  deadline: number,
): Promise<readonly ScreenedCall[]> {
  return Promise.all(
    calls.map(async (parsed) => {
      if ('refused' in parsed) return parsed;
      const call = capGas(parsed.call, chain.maxCallGas);
      const error = isMethodServed(call.method, chain.methods)
        ? await guardCall(call, { chain, view, deadline })
        : methodNotAllowed(call.method);
      return error === undefined ? { call } : { refused: { id: call.id, error } };
    }),
  );
}

/** Clients such as ethers stop to ask for filters, and poll instead, only if they find the sentence of a node. */
function methodNotAllowed(method: string): GatewayError {
  const named = method.slice(0, MAX_NAMED_METHOD_LENGTH).toWellFormed();
  return {
    reason: 'method_not_allowed',
    parameters: { method: method.toWellFormed() },
    details: { message: `the method ${named} does not exist/is not available` },
  };
}
