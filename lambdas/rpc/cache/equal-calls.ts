import { hash } from 'node:crypto';
import { RESULT_KEY_PREFIX } from '../../shared/aws/cache-table.ts';
import type { Call, UpstreamResponse } from '../../shared/jsonrpc/calls.ts';
import { quantityJson } from '../../shared/jsonrpc/json-values.ts';
import { requiredBlock } from '../../shared/jsonrpc/required-block.ts';
import { isIdempotent } from '../../shared/methods/method-facts.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { ChainSettings } from '../../shared/runtime/settings.ts';
import {
  type CacheCondition,
  cacheCondition,
  decidingBlock,
  isAtOrBelow,
  type KnownFinality,
  type Spelling,
} from './final-results.ts';

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Valid JSON without the white space between its tokens. Every token keeps its bytes: `25` and `25.0` differ. */
export function compactJson(json: Uint8Array): Buffer {
  const compact = Buffer.allocUnsafe(json.length);
  let length = 0;
  let inString = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] as number;
    if (inString) {
      if (byte === BACKSLASH) {
        compact[length++] = byte;
        compact[length++] = json[++at] as number;
        continue;
      }
      if (byte === QUOTE) inString = false;
    } else {
      if (byte === SPACE || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === TAB) continue;
      if (byte === QUOTE) inString = true;
    }
    compact[length++] = byte;
  }
  return compact.subarray(0, length);
}

/**
 * Changes when the meaning of a key or a cached result changes, so that no instance reads results of an older version.
 */
const VERSION = 'answer-6';

/**
 * Key of the response of a call: equal if and only if chain, method and parameters are, white space aside, and
 * the version of the chain's cache.
 */
export function cacheKey(
  settings: Pick<ChainSettings, 'chain' | 'chainId'>,
  call: Pick<Call, 'method' | 'params'>,
  version = '',
): string {
  const text = `${VERSION} ${identityOf(settings, call, version)}`;
  return RESULT_KEY_PREFIX + hash('sha256', text, 'base64url');
}

/**
 * Key of a call that may share the response of an equal one; undefined for one that acts: no two of these are equal. It
 * lives as long as the call is on its way, so it is no hash. Nodes differ in what spellings of a number they take.
 */
export function sharingKey(
  settings: Pick<ChainSettings, 'chain' | 'chainId'>,
  call: Pick<Call, 'method' | 'params'>,
  version = '',
): string | undefined {
  return isIdempotent(call.method) ? identityOf(settings, call, version) : undefined;
}

/** A call as text: neither chain nor version has a space in it, and no method can reach into the params, which are never empty. */
function identityOf(
  { chain, chainId }: Pick<ChainSettings, 'chain' | 'chainId'>,
  { method, params }: Pick<Call, 'method' | 'params'>,
  version: string,
): string {
  const compact = params === undefined ? '' : compactJson(params).toString('latin1');
  return `${chain} ${chainId} ${version} ${method.length}:${method}${compact}`;
}

/** A call, and where its response may be kept. */
export interface LookUp {
  readonly call: Call;
  /** Under which its response is kept. Undefined: it never is. */
  readonly key: string | undefined;
  /** Undefined: its response is never kept. */
  readonly condition: CacheCondition | undefined;
}

/** What is looked up for a call. `version`: of its chain's cache. */
export function lookUpOf(settings: ChainSettings, call: Call, version: string): LookUp {
  // Behind a tag the block changes: nothing of such a call is kept.
  const condition = requiredBlock(call).kind === 'head' ? undefined : cacheCondition(call);
  const { method, params } = call;
  if (condition === undefined) return { call, key: undefined, condition };
  const spellings = 'spellings' in condition ? condition.spellings : undefined;
  const isCanonical = params === undefined || spellings === undefined;
  const canonical = isCanonical ? call : { method, params: canonicalParams(params, spellings) };
  return { call, key: cacheKey(settings, canonical, version), condition };
}

/** Whether a newer view could show the response to be final. */
export function needsView(condition: CacheCondition, view: Pick<KnownFinality, 'finalized'>): boolean {
  if (condition.kind === 'shown') return true;
  const block = decidingBlock(condition);
  return block !== undefined && !isAtOrBelow(view.finalized, block);
}

/** Whether the response is about a block above all that is known to be final: then no instance is likely to have kept it. */
export function isTooNew(condition: CacheCondition, view: Pick<KnownFinality, 'finalized'>): boolean {
  const block = decidingBlock(condition);
  return block !== undefined && view.finalized !== undefined && block > view.finalized;
}

/** Params with each number of a block written as nodes write it, so that one question has one key. */
function canonicalParams(params: Uint8Array, spellings: readonly Spelling[]): Uint8Array {
  const pieces: Uint8Array[] = [];
  let end = 0;
  for (const spelling of [...spellings].sort((one, other) => one.start - other.start)) {
    pieces.push(params.subarray(end, spelling.start), Buffer.from(quantityJson(spelling.number)));
    end = spelling.end;
  }
  return Buffer.concat([...pieces, params.subarray(end)]);
}

/**
 * How long after a call was sent an equal one may still wait for its response, in milliseconds. It bounds how old a
 * response can be, and how many requests one node that hangs can hold up.
 */
export const SHARING_MS = 1_000;

/** A call to be sent. Calls with equal keys may share a response; one without a key shares none. */
interface Sendable {
  readonly call: Call;
  readonly key: string | undefined;
}

/** A call with its response, and whether this very call was sent for it. */
export interface CoalescedResponse {
  readonly call: Call;
  readonly response: UpstreamResponse;
  readonly sent: boolean;
}

/** Calls that are sent together. */
interface Batch {
  readonly calls: Call[];
  readonly startedAt: number;
  /** Responses in the order of the calls; absent until they are sent, which is in the same turn. */
  responses?: Promise<readonly UpstreamResponse[]>;
}

/** A call on its way. */
interface Flight {
  readonly batch: Batch;
  readonly position: number;
}

/** The calls of this instance that wait for a response: an equal one joins them instead of being sent. */
export class InFlightCalls {
  readonly #flights = new Map<string, Flight>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Answers calls in their order. `send` gets those that have to be sent, and not called if there are none. */
  async send(
    calls: readonly Sendable[],
    send: (calls: readonly Call[]) => Promise<readonly UpstreamResponse[]>,
  ): Promise<readonly CoalescedResponse[]> {
    const own: Batch = { calls: [], startedAt: this.#clock.now() };
    const flights = calls.map((one) => this.#board(one, own));
    let ownResponses: readonly UpstreamResponse[] = [];
    try {
      if (own.calls.length > 0) {
        own.responses = send(own.calls);
        ownResponses = await own.responses;
      }
    } finally {
      for (const { key } of calls)
        if (key !== undefined && this.#flights.get(key)?.batch === own) this.#flights.delete(key);
    }
    const answered: CoalescedResponse[] = [];
    for (const { call } of calls) {
      const { batch, position } = flights[answered.length] as Flight;
      const responses = batch === own ? ownResponses : await batch.responses;
      const sent = batch === own && own.calls[position] === call;
      answered.push({ call, response: responses?.[position] as UpstreamResponse, sent });
    }
    return answered;
  }

  /** The flight that a call joins, or its own. */
  #board({ call, key }: Sendable, own: Batch): Flight {
    const other = key === undefined ? undefined : this.#flights.get(key);
    if (other !== undefined && own.startedAt - other.batch.startedAt <= SHARING_MS) return other;
    const flight = { batch: own, position: own.calls.push(call) - 1 };
    if (key !== undefined) this.#flights.set(key, flight);
    return flight;
  }
}
