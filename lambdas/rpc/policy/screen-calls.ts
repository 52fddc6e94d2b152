import { isMethodAllowed, type KeyBounds } from 'gateway-access';
import type { Call, ParsedCall } from '../../shared/jsonrpc/calls.ts';
import type { CataloguedError } from '../../shared/jsonrpc/error-catalogue.ts';
import { isMethodServed } from '../../shared/methods/method-facts.ts';
import type { ChainSettings } from '../../shared/runtime/settings.ts';
import { type Soon, whenThere } from '../../shared/runtime/soon.ts';
import type { HeadTracker } from '../../shared/upstream/routing/head-tracker.ts';
import type { VerifyLevel } from '../response/response-headers.ts';
import type { ScreenedCall } from '../response/rpc-response.ts';
import { unverifiable } from '../verified/read-call.ts';
import { capGas, guardCall, guardContract } from './guard-call.ts';

/** Longest method name in the sentence for clients that look for one, in UTF-16 units. */
const MAX_NAMED_METHOD_LENGTH = 100;

/** What calls are screened by. */
interface Screening {
  readonly chain: ChainSettings;
  readonly view: HeadTracker;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** Of the key. @default none */
  readonly bounds?: KeyBounds | undefined;
  /** What has to be verified. @default nothing */
  readonly verify?: VerifyLevel | undefined;
}

/**
 * Refuses, one by one, the calls that policy, bounds of the key and guards keep from the node. None of them costs anything.
 * At once, unless a guard has to ask.
 */
export function screenCalls(
  calls: readonly ParsedCall[],
  screening: Screening,
): Soon<readonly ScreenedCall[]> {
  const screened = calls.map((parsed) => screenCall(parsed, screening));
  const isAsking = screened.some((one) => one instanceof Promise);
  return isAsking ? Promise.all(screened) : (screened as readonly ScreenedCall[]);
}

function screenCall(parsed: ParsedCall, screening: Screening): Soon<ScreenedCall> {
  if ('refused' in parsed) return parsed;
  const call = capGas(parsed.call, screening.chain.maxCallGas);
  const judge = (error: CataloguedError | undefined): ScreenedCall =>
    error === undefined ? { call } : { refused: { id: call.id, error } };
  return whenThere(forbidden(call, screening) ?? guardCall(call, screening), judge);
}

/** Why a call is not passed on, whatever the chain is like at the moment. */
function forbidden(call: Call, { chain, bounds, verify }: Screening): CataloguedError | undefined {
  const { method } = call;
  if (!isMethodServed(method, chain.methods)) return methodNotAllowed(method);
  if (bounds !== undefined && !isMethodAllowed(bounds, method))
    return methodNotAllowed(method, { bound: 'methods' });
  return (
    guardContract(call, bounds?.contracts) ?? (verify === undefined ? undefined : unverifiable(call, verify))
  );
}

/** Clients such as ethers stop to ask for filters, and poll instead, only if they find the sentence of a node. */
function methodNotAllowed(method: string, details: CataloguedError['details'] = {}): CataloguedError {
  const named = method.slice(0, MAX_NAMED_METHOD_LENGTH).toWellFormed();
  return {
    reason: 'method_not_allowed',
    parameters: { method: method.toWellFormed() },
    details: { message: `the method ${named} does not exist/is not available`, ...details },
  };
}
