import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import {
  type BodyPieces,
  bytesOfPieces,
  type EncodedBody,
  encodeBody,
} from '../../shared/http/body-pieces.ts';
import { NULL_ID, type ParsedRequest, type RefusedCall } from '../../shared/jsonrpc/calls.ts';
import type { CataloguedError } from '../../shared/jsonrpc/error-catalogue.ts';
import { renderError } from '../../shared/jsonrpc/render-error.ts';
import { type Soon, whenThere } from '../../shared/runtime/soon.ts';
import type { RpcResponse } from './rpc-response.ts';
import { type CallOutcome, leaveOut, limitOutcomes } from './rpc-response.ts';

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
export async function fitDeadline(
  outcomes: readonly CallOutcome[],
  render: (outcomes: readonly CallOutcome[]) => BodyPieces,
  { bytes, acceptEncoding }: SendingRoom,
): Promise<Sending> {
  const body = render(outcomes);
  if (bytesOfPieces(body) <= bytes) return { outcomes, body };
  const { pieces } = await encodeBody(body, acceptEncoding);
  if (bytesOfPieces(pieces) <= bytes) return { outcomes, body };
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
  const [only] = outcomes;
  if (!batch) return only === undefined ? [] : joinSmall(renderOutcome(only));
  const objects = outcomes.map(renderOutcome);
  const pieces = objects.flatMap((object, index) => (index === 0 ? object : [COMMA, ...object]));
  return joinSmall([ARRAY_START, ...pieces, ARRAY_END]);
}

/** Response to a request that is refused as a whole: one object, with the id of a single call, null for a batch. */
export function renderRefusal(error: CataloguedError, request: ParsedRequest): BodyPieces {
  return joinSmall(renderRefused({ id: idOfRefusal(request), error }));
}

function idOfRefusal(request: ParsedRequest): Uint8Array {
  if ('refused' in request || request.batch) return NULL_ID;
  const [only] = request.calls;
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
