import { type BodyPieces, bytesOfPieces } from '../../shared/http/body-pieces.ts';
import type { ParsedRequest, RefusedCall } from '../../shared/jsonrpc/calls.ts';
import { NULL_ID } from '../../shared/jsonrpc/calls.ts';
import type { CataloguedError } from '../../shared/jsonrpc/error-catalogue.ts';
import { renderError } from '../../shared/jsonrpc/render-error.ts';
import type { CallOutcome } from '../outcome/call-outcome.ts';

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
