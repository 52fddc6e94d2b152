import type { Call, UpstreamResponse } from '../../shared/jsonrpc/calls.ts';
import { requiredBlock } from '../../shared/jsonrpc/required-block.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { ChainSettings } from '../../shared/runtime/settings.ts';
import type { Served } from '../../shared/upstream/routing/terms.ts';
import type { CallOutcome } from './rpc-response.ts';

/** What a request wants to have verified. */
export type VerifyLevel = 'state' | 'block';

/** What it took of upstreams to answer one request. */
export class UpstreamEffort {
  readonly #clock: Clock;
  #attempts = 0;
  #waitedMs = 0;
  readonly #names = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes in what some of its calls took. */
  readonly onServed = ({ attempts, upstreams }: Served): void => {
    this.#attempts += attempts;
    for (const name of upstreams) this.#names.add(name);
  };

  /** Begins to wait for upstreams; the result ends it. */
  begin(): () => void {
    const startedAt = this.#clock.now();
    return () => {
      this.#waitedMs += this.#clock.now() - startedAt;
    };
  }

  /** Headers for clients; the names of upstreams only where the operator wants these too. */
  headers(wanted: ChainSettings['upstreamHeaders']): Readonly<Record<string, string>> {
    return {
      'X-Upstream-Attempts': String(this.#attempts),
      'X-Upstream-Duration': String(Math.round(this.#waitedMs)),
      ...(wanted === 'names' && this.#names.size > 0 && { 'X-Upstream': [...this.#names].sort().join(', ') }),
    };
  }
}

/** What became of one call: found in the cache, sent to the node, or refused before either. */
type CacheMark = 'hit' | 'miss' | '-';

/** A call with its response. */
interface Answered {
  readonly call: Call;
  readonly response: UpstreamResponse;
}

/**
 * Header `X-Chain-Head`: number of a block that all responses are at least as new as. That is known of responses about the
 * newest block by the upstream that gave them; for others it is the head that this instance knows. Of several it is the
 * lowest, and there is no header if one of them is not known. Of no response it is the head that is known.
 */
export function chainHeadHeader(
  responses: readonly Answered[],
  known: bigint | undefined,
): { readonly 'X-Chain-Head'?: string } {
  const heads = responses.map(({ call, response }) => {
    const isNewest = requiredBlock(call).kind === 'head' && response.kind === 'result';
    return isNewest ? response.asOf : known;
  });
  const numbers = (heads.length === 0 ? [known] : heads).filter((head) => head !== undefined);
  if (numbers.length < heads.length || numbers[0] === undefined) return {};
  const lowest = numbers.reduce((low, one) => (one < low ? one : low), numbers[0]);
  return { 'X-Chain-Head': String(lowest) };
}

/**
 * Header `X-Verified`: for each call of the request, in its order, what was verified of its response and the hash of the block
 * that commits to it, which stands where it is not that of the verified one before; a dash for what was not verified.
 */
export function verifiedHeader(
  level: VerifyLevel | undefined,
  outcomes: readonly CallOutcome[],
): { readonly 'X-Verified'?: string } {
  if (level === undefined) return {};
  let latest: string | undefined;
  const marks = outcomes.map((one) => {
    const block = 'response' in one && one.response.kind === 'result' ? one.response.verifiedAt : undefined;
    if (block === undefined) return '-';
    const mark = block === latest ? level : `${level};block=${block}`;
    latest = block;
    return mark;
  });
  return { 'X-Verified': marks.join(', ') };
}

/** Value of `X-Cache`: a mark for each call of the request, in its order. */
export function renderCacheMarks(outcomes: readonly CallOutcome[]): string {
  return outcomes.map(cacheMark).join(', ');
}

function cacheMark(outcome: CallOutcome): CacheMark {
  if ('refused' in outcome) return '-';
  return outcome.cached ? 'hit' : 'miss';
}
