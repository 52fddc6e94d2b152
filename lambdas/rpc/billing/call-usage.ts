import { type KeyHolder, type Meter, type MethodUsage, type Price, pricedName } from 'gateway-access';
import type { Call, UpstreamResponse } from '../../shared/jsonrpc/calls.ts';
import {
  messageOf,
  SERVER_ERROR_CODE,
  saysHistoricalStateGone,
  saysOwnFault,
} from '../../shared/jsonrpc/error-message.ts';
import { hasCustomTracer } from '../../shared/jsonrpc/required-block.ts';
import { isKnownMethod, methodFacts, weightOf } from '../../shared/methods/method-facts.ts';
import { CACHED_CU } from '../../shared/methods/method-table.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { ExpiringMemory } from '../../shared/runtime/expiring-memory.ts';
import type { PayAgain } from '../../shared/upstream/routing/terms.ts';
import type { AnsweredCall, BilledOutcome, CallOutcome, ScreenedCall } from '../response/rpc-response.ts';

/** The draws of one request from its key's bucket: its price on arrival, and the price of every call sent again. */
export class BucketDraws {
  readonly #meter: Pick<Meter, 'admit'>;
  readonly #holder: KeyHolder;
  readonly #cuOf: typeof weightOf;
  #cu: number;

  /** `price`: CU drawn on arrival. `cuOf`: what it was worked out by. */
  constructor(meter: Pick<Meter, 'admit'>, holder: KeyHolder, price: Price, cuOf = weightOf) {
    this.#meter = meter;
    this.#holder = holder;
    this.#cuOf = cuOf;
    this.#cu = price.cu;
  }

  /** All that was drawn, in compute units. */
  get cu(): number {
    return this.#cu;
  }

  /** Draws the price of calls once more, as a request of their own would. */
  readonly payAgain: PayAgain = async (calls) => {
    const price = priceCalls(calls, this.#cuOf);
    const { admitted } = await this.#meter.admit(this.#holder, price);
    if (admitted) this.#cu += price.cu;
    return admitted;
  };
}

/** Codes of node errors that are never billed. */
const UNBILLED_CODES: ReadonlySet<number> = new Set([4444, -32002, -32003, -32600]);

/** The outcomes with what each call is billed. */
export function billOutcomes(
  chain: string,
  outcomes: readonly CallOutcome[],
  cuOf = weightOf,
): readonly BilledOutcome[] {
  return outcomes.map((one) => ('refused' in one ? one : { ...one, usage: callUsage(chain, one, cuOf) }));
}

/**
 * What a call is billed for its response, as a line of usage; undefined if it is not billed. A method without a row in the
 * table is counted by its price: clients cannot fill an account's usage with made-up names.
 */
export function callUsage(
  chain: string,
  { call: { method }, response, cached }: AnsweredCall,
  cuOf = weightOf,
): MethodUsage | undefined {
  const weight = cuOf(method);
  const cu = billedCu(response, cached ? CACHED_CU : weight);
  if (cu === 0) return undefined;
  return {
    chain,
    method: isKnownMethod(method) ? method : pricedName(weight),
    calls: 1,
    cu,
    cached: cached ? 1 : 0,
    errors: response.kind === 'error' ? 1 : 0,
  };
}

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

/** What the calls of a request cost: the sum of their weights. */
export function priceCalls(calls: readonly Pick<Call, 'method'>[], cuOf = weightOf): Price {
  return { cu: calls.reduce((cu, { method }) => cu + cuOf(method), 0) };
}

/**
 * Responses in a window that an account may have for nothing because of what its own calls do. The table of errors does
 * not bill `historical state ... is not available`, which a tracer of the client can throw and a contract can revert
 * with, nor -32003, by which some nodes end an execution that runs out of gas. They are unbilled, so
 * an account that has too many of them has to wait.
 */
export const MAX_UNBILLED_ERRORS = 20;
/** Code of a rejected transaction, by which some nodes also end an execution. */
const REJECTED_CODE = -32003;
/** Length of the window, in milliseconds. */
export const UNBILLED_ERRORS_WINDOW_MS = 60_000;
/** Memory for the accounts that have had any, in bytes. */
const MEMORY_BYTES = 1024 * 1024;

/** Where words of the client can come from: code that it brings, or a call that it makes up. */
type Source = 'tracer' | 'execution';

interface Window {
  count: number;
  /** Milliseconds since the epoch. */
  readonly endsAt: number;
}

/** Counts, for each account, the responses that were free for what its own calls do. One instance's view. */
export class UnbilledErrors {
  readonly #windows: ExpiringMemory<Window>;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#windows = new ExpiringMemory(MEMORY_BYTES, clock);
  }

  /** Refuses calls of an account that has had its share, for as long as its window lasts. */
  screen(account: string, screened: readonly ScreenedCall[]): readonly ScreenedCall[] {
    if (this.#windows.bytes === 0) return screened;
    const spent = (['tracer', 'execution'] as const).flatMap((source) => {
      const window = this.#windows.get(keyOf(account, source));
      return window !== undefined && window.count >= MAX_UNBILLED_ERRORS ? [{ source, window }] : [];
    });
    if (spent.length === 0) return screened;
    return screened.map((one) => {
      if ('refused' in one) return one;
      const found = spent.find(({ source }) => canCarryWords(one.call, source));
      return found === undefined ? one : this.#refuse(one.call, found.window);
    });
  }

  /** Counts unbilled errors. */
  note(account: string, outcomes: readonly BilledOutcome[]): void {
    for (const one of outcomes) {
      const source = 'refused' in one || one.usage !== undefined ? undefined : sourceOf(one);
      if (source !== undefined) this.#count(keyOf(account, source));
    }
  }

  #count(key: string): void {
    const endsAt = this.#clock.now() + UNBILLED_ERRORS_WINDOW_MS;
    const window = this.#windows.get(key) ?? { count: 0, endsAt };
    window.count += 1;
    this.#windows.set(key, window, key.length, window.endsAt);
  }

  #refuse({ id }: Call, { endsAt }: Window): ScreenedCall {
    const details = { rule: 'unbilled_errors', retry_after_ms: endsAt - this.#clock.now() };
    return { refused: { id, error: { reason: 'gateway_overloaded', details } } };
  }
}

/** Whose words a response that is not billed may have; undefined if they are the node's or ours. */
function sourceOf({ call, response }: AnsweredCall): Source | undefined {
  if (response.kind === 'result') return undefined;
  if (response.kind === 'failed') {
    const { reason } = response.error;
    const isAbsent = reason === 'transaction_not_found' || reason === 'block_not_found';
    return isAbsent && hasCustomTracer(call) ? 'tracer' : undefined;
  }
  if (response.code === REJECTED_CODE) return canCarryWords(call, 'execution') ? 'execution' : undefined;
  if (response.code !== SERVER_ERROR_CODE) return undefined;
  if (hasCustomTracer(call)) return 'tracer';
  return saysOwnFault(messageOf(response)) && canCarryWords(call, 'execution') ? 'execution' : undefined;
}

function canCarryWords(call: Call, source: Source): boolean {
  if (source === 'tracer') return hasCustomTracer(call);
  return methodFacts(call.method).class === 'execution' || call.method.startsWith('debug_traceCall');
}

function keyOf(account: string, source: Source): string {
  return `${source} ${account}`;
}
