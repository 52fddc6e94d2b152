import type { IncomingMessage, ServerResponse } from 'node:http';

/** Where the reference of a local run sends what its reader tries. */
const TRY_PATH = '/try';

/** Most bytes of a request's body, and of a response: a page shows them. */
const MAX_BODY_BYTES = 64 * 1024;
const MAX_RESPONSE_BYTES = 1024 * 1024;
/** Time for a request and its response, in milliseconds. */
const RESPONSE_TIMEOUT_MS = 30_000;
const PASSED_BACK = /^(?:content-type|retry-after|ratelimit|x-request-id|x-cache|x-cu-)/;

/** Whether a request of the reference is one for the gateway. */
export function isTried(url = '/'): boolean {
  return url.startsWith(`${TRY_PATH}/v1/`);
}

/**
 * Passes a request of the reference on to the gateway, which lets pages of other origins read nothing of a key. Pages of other
 * origins cannot send it: it needs the header `x-api-key`, for which a browser asks first, and is not answered.
 */
export async function respondToTried(
  request: IncomingMessage,
  response: ServerResponse,
  baseUrl: string,
): Promise<void> {
  const { method = 'GET', headers, url = '' } = request;
  const key = headers['x-api-key'];
  if (method !== 'GET' && method !== 'POST') return refuse(response, 405, 'only GET and POST');
  if (typeof key !== 'string' || key === '') return refuse(response, 400, 'x-api-key: is required');
  const body = method === 'POST' ? await readUpTo(request, MAX_BODY_BYTES) : undefined;
  if (body === undefined && method === 'POST')
    return refuse(response, 413, `at most ${MAX_BODY_BYTES} bytes can be tried`);
  const gatewayResponse = await fetch(baseUrl + url.slice(TRY_PATH.length), {
    method,
    headers: { 'x-api-key': key, ...(method === 'POST' && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body }),
    redirect: 'manual',
    signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
  });
  const whole = await readUpTo(gatewayResponse.body ?? [], MAX_RESPONSE_BYTES);
  if (whole === undefined)
    return refuse(response, 502, `the answer has more than ${MAX_RESPONSE_BYTES} bytes`);
  const passed = [...gatewayResponse.headers].filter(([name]) => PASSED_BACK.test(name));
  response
    .writeHead(gatewayResponse.status, { ...Object.fromEntries(passed), 'Cache-Control': 'no-store' })
    .end(whole);
}

/** Undefined if there is more. */
async function readUpTo(pieces: AsyncIterable<Uint8Array> | readonly Uint8Array[], most: number) {
  const read: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > most) return undefined;
    read.push(piece);
  }
  return Buffer.concat(read);
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'Content-Type': 'application/json', Connection: 'close' });
  response.end(JSON.stringify({ error: { code: 'not_tried', message } }));
}
