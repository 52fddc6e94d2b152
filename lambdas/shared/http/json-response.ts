/** What keeps browsers from taking a response for something else, and from asking without TLS ever again. */
export const SECURITY_HEADERS = {
  'Strict-Transport-Security': 'max-age=63072000',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** Lets every web page read a response that needs no key. */
export const PUBLIC_CORS = { 'Access-Control-Allow-Origin': '*' } as const;

/** A response of one of the REST interfaces. `body`: JSON. */
interface JsonResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Makes a JSON response of one of the REST interfaces. */
export function jsonResponse(
  statusCode: number,
  body: unknown,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): JsonResponse {
  return {
    statusCode,
    headers: {
      'Content-Type': 'application/json',
      'X-Request-Id': requestId,
      ...SECURITY_HEADERS,
      ...headers,
    },
    body: JSON.stringify(body),
  };
}
