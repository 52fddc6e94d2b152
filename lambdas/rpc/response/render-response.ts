import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import {
  type BodyPieces,
  bytesOfPieces,
  type EncodedBody,
  encodeBody,
} from '../../shared/http/body-pieces.ts';
import {
  type Call,
  NULL_ID,
  type ParsedRequest,
  type RefusedCall,
  type UpstreamResponse,
} from '../../shared/jsonrpc/calls.ts';
import type { CataloguedError } from '../../shared/jsonrpc/error-catalogue.ts';
import { renderError } from '../../shared/jsonrpc/render-error.ts';
import { requiredBlock } from '../../shared/jsonrpc/required-block.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { ChainSettings } from '../../shared/runtime/settings.ts';
import { type Soon, whenThere } from '../../shared/runtime/soon.ts';
import type { Served } from '../../shared/upstream/routing/terms.ts';
import { type CallOutcome, leaveOut, limitOutcomes, type RpcResponse } from './rpc-response.ts';

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

/** What of a response arrives. */
interface SendingRoom {
  /** Bytes that go out before the function ends. */
  readonly bytes: number;
  readonly acceptEncoding?: string | undefined;
}
/** Outcomes of a request, and the response that they make, before it is compressed. */
interface Sending {
  readonly outcomes: readonly CallOutcome[];
  readonly body: BodyPieces;
}

/**
 * Time that a function keeps for the charge and the response once the node's time is over, in milliseconds: 3.5 s for a
 * charge that store and queue let wait as long as they may, and the rest to compress the response.
 */
export const CHARGE_RESERVE_MS = 5_000;

/**
 * When the node must have answered, in milliseconds since the epoch: after its own time-out, and early enough for
 * the charge and the response to be done before the function ends.
 */
export function deadlineOf(nowMs: number, remainingMs: number, upstreamTimeoutMs: number): number {
  return nowMs + Math.max(0, Math.min(upstreamTimeoutMs, remainingMs - CHARGE_RESERVE_MS));
}

/**
 * Leaves out the largest results of a response that cannot be streamed before the deadline, so that no client
 * pays for half of one. A response that fits once it is compressed stays whole.
 * `render`: makes the response of results.
 */
export function fitDeadline(
  outcomes: readonly CallOutcome[],
  render: (outcomes: readonly CallOutcome[]) => BodyPieces,
  room: SendingRoom,
): Soon<Sending> {
  const body = render(outcomes);
  const sending = { outcomes, body };
  return bytesOfPieces(body) <= room.bytes ? sending : fitCompressed(sending, render, room);
}

async function fitCompressed(
  sending: Sending,
  render: (outcomes: readonly CallOutcome[]) => BodyPieces,
  { bytes, acceptEncoding }: SendingRoom,
): Promise<Sending> {
  const { outcomes, body } = sending;
  const { pieces } = await encodeBody(body, acceptEncoding);
  if (bytesOfPieces(pieces) <= bytes) return sending;
  const frameBytes = bytesOfPieces(render(outcomes.map(leaveOut)));
  const fitting = limitOutcomes(outcomes, bytes - frameBytes);
  return { outcomes: fitting, body: render(fitting) };
}

const START = Buffer.from('{"jsonrpc":"2.0","id":');
const RESULT = Buffer.from(',"result":');
const ERROR = Buffer.from(',"error":');
const END = Buffer.from('}');
const COMMA = Buffer.from(',');
const ARRAY_START = Buffer.from('[');
const ARRAY_END = Buffer.from(']');
/** A body up to this size is copied into one piece, which costs less than writing many. */
const ONE_PIECE_BYTES = 64 * 1024;

/** Response to an admitted request: an object, or for a batch an array in the order of the calls. */
export function renderResponses(batch: boolean, outcomes: readonly CallOutcome[]): BodyPieces {
  const objects = outcomes.map(renderOutcome);
  if (!batch) return joinSmall(objects.flat());
  const pieces = objects.flatMap((object, index) => (index === 0 ? object : [COMMA, ...object]));
  return joinSmall([ARRAY_START, ...pieces, ARRAY_END]);
}

/** Response to a request that is refused as a whole: one object, with the id of a single call, null for a batch. */
export function renderRefusal(error: CataloguedError, request: ParsedRequest): BodyPieces {
  return joinSmall(renderRefused({ id: idOfRefusal(request), error }));
}

function idOfRefusal(request: ParsedRequest): Uint8Array {
  const [only] = 'refused' in request || request.batch ? [] : request.calls;
  if (only === undefined) return NULL_ID;
  return 'call' in only ? only.call.id : only.refused.id;
}

function renderOutcome(outcome: CallOutcome): Uint8Array[] {
  if ('refused' in outcome) return renderRefused(outcome.refused);
  const { call, response } = outcome;
  switch (response.kind) {
    case 'result':
      return [START, call.id, RESULT, response.result, END];
    case 'error':
      return [START, call.id, ERROR, response.error, END];
    case 'failed':
      return renderRefused({ id: call.id, error: response.error });
  }
}

function renderRefused({ id, error }: RefusedCall): Uint8Array[] {
  return [START, id, ERROR, renderError(error), END];
}

function joinSmall(pieces: BodyPieces): BodyPieces {
  return bytesOfPieces(pieces) <= ONE_PIECE_BYTES ? [Buffer.concat(pieces)] : pieces;
}

/** Largest chunk that is handed to the stream at once, in bytes. */
const CHUNK_BYTES = 64 * 1024;
/** Longest body that is written at once. */
const MAX_TEXT_BYTES = 8 * 1024;

/** A finished response, to be streamed to the client. */
export interface StreamedResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Text goes out in one write, which takes less than half of a stream's time. */
  readonly body: Readable | string;
}

/** Turns a response into the HTTP response that the client asked for. A long body is streamed without being copied. */
export function respond(
  response: RpcResponse,
  requestId: string,
  acceptEncoding: string | undefined,
): Soon<StreamedResponse> {
  return whenThere(encodeBody(response.body, acceptEncoding), (encoded) =>
    streamedResponse(response, requestId, encoded),
  );
}

function streamedResponse(
  response: RpcResponse,
  requestId: string,
  { pieces, headers }: EncodedBody,
): StreamedResponse {
  return {
    statusCode: response.status,
    headers: {
      'Content-Type': 'application/json',
      'X-Request-Id': requestId,
      ...response.headers,
      ...headers,
    },
    body: shortText(pieces) ?? Readable.from(chunksOf(pieces)),
  };
}

/** A short body that UTF-8 stands for byte by byte; undefined for any other. */
function shortText(pieces: BodyPieces): string | undefined {
  if (bytesOfPieces(pieces) > MAX_TEXT_BYTES) return undefined;
  const [first] = pieces;
  const body = pieces.length === 1 && Buffer.isBuffer(first) ? first : Buffer.concat(pieces);
  return isUtf8(body) ? body.toString('utf8') : undefined;
}

function* chunksOf(pieces: BodyPieces): Generator<Uint8Array> {
  for (const piece of pieces) {
    for (let offset = 0; offset < piece.length; offset += CHUNK_BYTES) {
      yield piece.subarray(offset, offset + CHUNK_BYTES);
    }
  }
}
