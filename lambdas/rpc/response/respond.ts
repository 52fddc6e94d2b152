import { Readable } from 'node:stream';
import type { BodyPieces } from '../../shared/http/body-pieces.ts';
import { encodeBody } from '../../shared/http/compress.ts';
import type { RpcAnswer } from './rpc-response.ts';

/** Largest chunk that is handed to the stream at once, in bytes. */
const CHUNK_BYTES = 64 * 1024;

/** A finished answer, to be streamed to the client. */
export interface StreamedResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
}

/** Turns an answer into the HTTP response that the client asked for. Its body is streamed without being copied. */
export async function respond(
  answer: RpcAnswer,
  requestId: string,
  acceptEncoding: string | undefined,
): Promise<StreamedResponse> {
  const { pieces, headers } = await encodeBody(answer.body, acceptEncoding);
  return {
    statusCode: answer.status,
    headers: {
      'Content-Type': 'application/json',
      'X-Request-Id': requestId,
      ...answer.headers,
      ...headers,
    },
    body: Readable.from(chunksOf(pieces)),
  };
}

function* chunksOf(pieces: BodyPieces): Generator<Uint8Array> {
  for (const piece of pieces) {
    for (let offset = 0; offset < piece.length; offset += CHUNK_BYTES) {
      yield piece.subarray(offset, offset + CHUNK_BYTES);
    }
  }
}
