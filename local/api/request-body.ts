import type { IncomingMessage } from 'node:http';

/** Largest request body that API Gateway takes, in bytes. */
const MAX_REQUEST_BYTES = 10 * 1024 * 1024;
/** What is still read of a larger one, so that its sender gets to see the response. */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024;

/**
 * Reads the body of a request.
 *
 * @returns `'too-large'` above the limit
 * @throws if the client goes away
 */
export async function readRequestBody(request: IncomingMessage): Promise<Buffer | 'too-large'> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= MAX_REQUEST_BYTES) chunks.push(chunk);
    if (length > MAX_DISCARDED_BYTES) break;
  }
  return length > MAX_REQUEST_BYTES ? 'too-large' : Buffer.concat(chunks, length);
}
