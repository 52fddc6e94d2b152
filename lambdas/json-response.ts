import type { HttpResponse } from 'gateway-access';

/** A JSON answer of one of the REST interfaces. */
export function jsonResponse(
  statusCode: number,
  body: unknown,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse & { readonly body: string } {
  return {
    statusCode,
    headers: { 'Content-Type': 'application/json', 'X-Request-Id': requestId, ...headers },
    body: JSON.stringify(body),
  };
}
