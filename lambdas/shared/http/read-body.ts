import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ByteCollector } from './byte-collector.ts';

/** Content codings that `readBody` decodes, as a value of `accept-encoding`. */
export const DECODED_ENCODINGS = 'gzip';

/** Why a body was not read to its end. */
export type BodyFailure = 'malformed' | 'too_large';

/**
 * Reads and decodes the body of a response. Both the received and the decoded bytes are limited to `limitBytes`:
 * reading stops there, and at once if the declared length is above it. The caller destroys the connection of a body
 * that failed.
 */
export function readBody(response: IncomingMessage, limitBytes: number): Promise<Buffer | BodyFailure> {
  const encoding = response.headers['content-encoding'] ?? 'identity';
  const declared = response.headers['content-length'];
  const declaredBytes = declared === undefined ? undefined : Number(declared);
  if (declaredBytes !== undefined && declaredBytes > limitBytes) return Promise.resolve('too_large');
  if (encoding === 'identity')
    return collect(response, response, new ByteCollector(limitBytes, declaredBytes));
  if (encoding !== 'gzip') return Promise.resolve('malformed');
  return collect(response, response.pipe(createGunzip()), new ByteCollector(limitBytes));
}

/** Collects what `decoded` yields; `response` is the stream that feeds it, or the same one. */
function collect(
  response: IncomingMessage,
  decoded: Readable,
  collector: ByteCollector,
): Promise<Buffer | BodyFailure> {
  return new Promise((resolve) => {
    const fail = (failure: BodyFailure) => {
      resolve(failure);
      decoded.destroy();
    };
    decoded.on('data', (chunk: Buffer) => {
      if (!collector.add(chunk)) fail('too_large');
    });
    decoded.on('end', () => resolve(collector.join()));
    decoded.on('error', () => fail('malformed'));
    response.on('error', () => fail('malformed'));
    response.on('close', () => {
      if (!response.complete) fail('malformed');
    });
  });
}
