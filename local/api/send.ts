import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { ApiResponse, HeaderList } from './api-response.ts';
import type { RequestContext } from './context.ts';

/**
 * Sends a response, with the headers that API Gateway adds to every one.
 *
 * @returns the bytes of body that were sent, once the response is over, complete or not
 */
export function sendResponse(
  request: IncomingMessage,
  response: ServerResponse,
  context: RequestContext,
  { status, headers, body }: ApiResponse,
): Promise<number> {
  const isLengthKnown = Buffer.isBuffer(body) && status !== 204 && status !== 304;
  const sent: HeaderList = [
    ...headers,
    ['x-amzn-RequestId', context.requestId],
    ['x-amz-apigw-id', context.extendedRequestId],
    ['X-Amzn-Trace-Id', context.traceId],
    ...(isLengthKnown ? [['Content-Length', String(body.length)] as const] : []),
    // The rest of a request that was not read to its end would be taken for the next one.
    ...(request.complete ? [] : [['Connection', 'close'] as const]),
  ];
  response.writeHead(status, sent.flat());
  return new Promise((resolve) => {
    let length = Buffer.isBuffer(body) ? body.length : 0;
    response.once('close', () => resolve(length));
    if (Buffer.isBuffer(body)) response.end(body);
    else
      pass(body, response, (chunk) => {
        length += chunk.length;
      });
  });
}

/**
 * A function's failure cuts the connection; a client's leaves the function to finish by itself. The headers go with the
 * first bytes, in one write, if these are there already.
 */
function pass(body: Readable, response: ServerResponse, onChunk: (chunk: Buffer) => void): void {
  if (body.errored) response.destroy();
  const flush = setImmediate(() => response.flushHeaders());
  for (const event of ['data', 'end', 'close']) body.once(event, () => clearImmediate(flush));
  body.on('data', onChunk);
  body.on('error', () => response.destroy());
  response.once('close', () => body.destroy());
  body.pipe(response);
}
