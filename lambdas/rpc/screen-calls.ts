import type { ChainSettings } from '../settings.ts';
import type { Call, ParsedCall, RefusedCall } from './calls.ts';
import type { ChainView } from './chain-head.ts';
import { isMethodServed } from './chain-methods.ts';
import type { GatewayError } from './error-catalogue.ts';
import { guardCall } from './guard-call.ts';

/** Longest method name that is echoed in a message, in UTF-16 units. */
const MAX_ECHOED_METHOD_LENGTH = 100;

/** A call that may be sent to the node, or why it may not. */
export type ScreenedCall = { readonly call: Call } | { readonly refused: RefusedCall };

/** Refuses, one by one, the calls that policy and guards keep from the node. None of them costs anything. */
export function screenCalls(
  calls: readonly ParsedCall[],
  chain: ChainSettings,
  view: ChainView,
  deadline: number,
): Promise<readonly ScreenedCall[]> {
  return Promise.all(
    calls.map(async (parsed) => {
      if ('refused' in parsed) return parsed;
      const { call } = parsed;
      const error = isMethodServed(call.method, chain.methods)
        ? await guardCall(call, { chain, view, deadline })
        : methodNotAvailable(call.method);
      return error === undefined ? { call } : { refused: { id: call.id, error } };
    }),
  );
}

function methodNotAvailable(method: string): GatewayError {
  const echoed =
    method.length > MAX_ECHOED_METHOD_LENGTH ? method.slice(0, MAX_ECHOED_METHOD_LENGTH) : method;
  return { reason: 'method_not_available', parameters: { method: echoed.toWellFormed() } };
}
