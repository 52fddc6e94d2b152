import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { type BodyPieces, bytesOfPieces } from '../../shared/http/body-pieces.ts';
import { type EncodedBody, encodeBody } from '../../shared/http/compress.ts';
import { type Soon, whenThere } from '../../shared/runtime/soon.ts';
import type { RpcResponse } from './rpc-response.ts';

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
