import type { Call, UpstreamResponse } from '../../jsonrpc/calls.ts';
import { jsonOf } from '../../jsonrpc/json-values.ts';
import { failed } from '../../jsonrpc/match-responses.ts';
import { hasCustomTracer, type RequiredBlock, requiredBlock } from '../../jsonrpc/required-block.ts';
import { isIdempotent } from '../../methods/method-facts.ts';
import { reportedHead } from '../head/answered-head.ts';
import type { Lack } from '../health/holds.ts';
import type { Upstream } from '../upstream.ts';
import { factsOf, type ResponseClass } from './classify-response.ts';

/**
 * Most calls of nodes for one call of a client, over everything that sends one: the first attempt, other upstreams,
 * the same one again, hedges, connections that are repeated, and calls sent once more alone.
 */
const MAX_NODE_CALLS = 4;

/** Who sent a call; each is absent for the gateway's own. */
interface CallSender {
  readonly keyId?: string | undefined;
  readonly account?: string | undefined;
}

/** A call on its way to a response, over one upstream or several. */
export class PendingCall {
  call: Call;
  readonly need: RequiredBlock;
  readonly idempotent: boolean;
  /** Whether it is a trace by code of the client. */
  readonly customTracer: boolean;
  /** What each upstream that was asked had to say last; `failed` while it has not answered. */
  readonly verdicts = new Map<Upstream, ResponseClass>();
  /** Refusals in words that no table knows, without what changes from call to call, by the upstream that gave them. */
  readonly doubts = new Map<Upstream, string>();
  /** What upstreams lack that refused it to one account alone: it counts if another answers the call. */
  readonly unproven = new Map<Upstream, Lack>();
  /** Attempts that refusals have led to. */
  owed = 0;
  /** How often it was sent. */
  attempts = 0;
  /** How often an upstream was chosen for it, whatever came of that: not sent at all, or over a second connection. */
  chosen = 0;
  /** Blocks whose logs it asks for; undefined for any other call, and where their number is not known. */
  span: number | undefined;
  /** The same call, which other upstreams have to answer. */
  twins: readonly PendingCall[] = [];
  /** Whether no response to it counts where two have to be alike: they differ for good, or the second is missing. */
  isDisputed = false;
  /** The block that the response was asked for, where that is not the one of the call. */
  asOf: bigint | undefined;
  /** A block that its key got: upstreams that have it are asked first. Undefined where that says nothing. */
  given: bigint | undefined;
  /** The block that the upstream of its answer must have. Undefined: any may answer. */
  least: bigint | undefined;
  /** The upstream that took the transaction which the call is about: it is asked first. Undefined if that is not known. */
  takenBy: Upstream | undefined;
  /** Newest blocks of the upstreams that say that there is no such thing, when they said so. */
  readonly absentAt = new Map<Upstream, bigint>();
  readonly sender: CallSender;
  readonly #heads = new Map<Upstream, bigint | undefined>();
  #best: UpstreamResponse | undefined;
  #answeredBy: Upstream | undefined;
  #rank = 0;
  #settled = false;

  constructor(call: Call, sender: CallSender = {}) {
    this.call = call;
    this.sender = sender;
    this.need = requiredBlock(call);
    this.idempotent = isIdempotent(call.method);
    this.customTracer = hasCustomTracer(call);
  }

  /** Whether it has been sent as often as a call may be. */
  get exhausted(): boolean {
    return this.attempts >= MAX_NODE_CALLS;
  }

  /** Whether nothing more is to be sent for it. */
  get settled(): boolean {
    return this.#settled;
  }

  /** Whether an upstream refused it in a way that need not be final. */
  get isDoubted(): boolean {
    return this.#doubted > 0;
  }

  /** Upstreams that refused it in a way that need not be final. */
  get #doubted(): number {
    return [...this.verdicts.values()].filter((verdict) => factsOf(verdict).isOpen).length;
  }

  /** The best response so far; undefined if none may be returned. */
  get response(): UpstreamResponse | undefined {
    return this.#best;
  }

  /** The upstream that gave the response; undefined if it is absent. */
  get answeredBy(): Upstream | undefined {
    return this.#answeredBy;
  }

  /** A block that the upstream of the response had when it was asked; undefined if none was known. */
  get headBefore(): bigint | undefined {
    return this.#answeredBy === undefined ? undefined : this.#heads.get(this.#answeredBy);
  }

  /** An upstream whose responses to this call and others were too large together; undefined if it is absent. */
  get crowdedAt(): Upstream | undefined {
    return [...this.verdicts].find(([, verdict]) => verdict === 'batch_too_large')?.[0];
  }

  /**
   * Counts an attempt. What was too large with other calls says nothing of this one by itself.
   * `head`: newest block that the upstream was known to have then.
   */
  sendTo(upstream: Upstream, head?: bigint): void {
    this.attempts += 1;
    this.chosen += 1;
    this.#heads.set(upstream, head);
    for (const [other, verdict] of this.verdicts)
      if (verdict === 'batch_too_large') this.verdicts.delete(other);
    this.verdicts.set(upstream, 'failed');
  }

  /** Keeps a response if it is better than the one so far. */
  offer(response: UpstreamResponse, verdict: ResponseClass, upstream: Upstream): void {
    this.verdicts.set(upstream, verdict);
    if (this.#settled) return;
    const { rank, isOpen } = factsOf(verdict);
    const isBetter = verdict === 'behind_served_head' ? this.#isNewest(response) : rank > this.#rank;
    if (isBetter) {
      this.#rank = rank;
      this.#best = response;
      this.#answeredBy = upstream;
    }
    // Of what is open one other was asked.
    const isEnough = verdict === 'final' || (isOpen && this.#doubted > 1);
    if (isEnough && this.#best !== undefined) this.settle(this.#best);
  }

  /** Of true responses of shorter chains the one with the newest head is best. Any is better than an error, none than a newer head. */
  #isNewest(response: UpstreamResponse): boolean {
    const head = (one: UpstreamResponse | undefined) => (one && reportedHead(this.call, one)?.number) ?? -1n;
    return head(response) >= head(this.#best);
  }

  /** Drops the response: its upstream lacks what the call asks for. */
  reopen(): void {
    if (this.#answeredBy !== undefined) this.verdicts.set(this.#answeredBy, 'missing_data');
    this.#best = undefined;
    this.#answeredBy = undefined;
    this.#rank = 0;
    this.#settled = false;
  }

  /** Makes a response the one that is returned. */
  settle(response: UpstreamResponse, upstream = this.#answeredBy): void {
    this.#best = response;
    this.#answeredBy = upstream;
    this.#settled = true;
  }
}

/** The distinct calls, and for each call the position of its equal among them. */
export function mergeEqualCalls(calls: readonly Call[]): {
  distinct: readonly Call[];
  positions: readonly number[];
} {
  if (calls.length === 1) return { distinct: calls, positions: [0] };
  const distinct: Call[] = [];
  const positionOf = new Map<string, number>();
  const positions = calls.map((call) => {
    const key = equalityKey(call);
    const known = positionOf.get(key);
    if (known !== undefined && isIdempotent(call.method)) return known;
    positionOf.set(key, distinct.length);
    return distinct.push(call) - 1;
  });
  return { distinct, positions };
}

/** Injective: no method can reach into the params. */
function equalityKey({ method, params }: Call): string {
  return `${method.length}:${method}${params === undefined ? '' : jsonOf(params, 'latin1')}`;
}

/**
 * One result or error that answers many calls must not add up to more than the node could have sent. Of responses that
 * are too large together the largest are left out.
 */
export function limitBytes(
  responses: readonly UpstreamResponse[],
  maxBytes: number,
): readonly UpstreamResponse[] {
  if (responses.reduce((sum, one) => sum + bytesOf(one), 0) <= maxBytes) return responses;
  const smallestFirst = [...responses.entries()].sort(([, one], [, other]) => bytesOf(one) - bytesOf(other));
  let bytes = 0;
  const fitting = new Set<number>();
  for (const [place, response] of smallestFirst) {
    bytes += bytesOf(response);
    if (bytes <= maxBytes) fitting.add(place);
  }
  return responses.map((response, place) =>
    fitting.has(place) || response.kind === 'failed' ? response : failed('upstream_response_too_large'),
  );
}

/** Bytes of what a response carries. */
export function bytesOf(response: UpstreamResponse): number {
  switch (response.kind) {
    case 'result':
      return response.result.length;
    case 'error':
      return response.error.length;
    case 'failed':
      return 0;
  }
}
