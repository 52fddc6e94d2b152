import type { APIGatewayProxyEvent } from 'aws-lambda';
import { FRONT_HEADERS, NO_FRONT_VALUE } from '../shared/runtime/front-headers.ts';

const FRONT_NAMES: ReadonlySet<string> = new Set(Object.values(FRONT_HEADERS));

type FrontHeader = keyof typeof FRONT_HEADERS;

/** What the head of a request says: its own headers by lower-case name, and what API Gateway put beside them. */
export interface FrontRequest {
  readonly front: Readonly<Record<FrontHeader, string>>;
  /** Of repeated headers the last, as in an event. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Reads the head of a request. A request that lacks a header of API Gateway, or has one twice, does not come from there:
 * API Gateway sets each on every route, over what a client sent.
 * @param rawHeaders names and values in turn
 * @returns undefined: it is no request of API Gateway
 */
export function readFrontRequest(rawHeaders: readonly string[]): FrontRequest | undefined {
  const headers: Record<string, string> = {};
  const fronts = new Map<string, string>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    const key = name.toLowerCase();
    if (!FRONT_NAMES.has(key)) headers[key] = value;
    else if (fronts.has(key)) return undefined;
    else fronts.set(key, value);
  }
  const front = Object.fromEntries(
    Object.entries(FRONT_HEADERS).map(([header, name]) => [header, fronts.get(name)]),
  );
  return Object.values(front).includes(undefined)
    ? undefined
    : { front: front as FrontRequest['front'], headers };
}

/**
 * The event that API Gateway sends to other functions, as far as a function of ours reads it. Query parameters are not
 * among it.
 */
export function eventOf(
  { front, headers }: FrontRequest,
  method: string,
  body: Buffer,
): APIGatewayProxyEvent {
  const { requestId, resource, sourceIp } = front;
  // A redirect to a path with two slashes would lead to another host.
  const path = front.path.replace(/^\/+/, '/');
  const pathParameters = Object.fromEntries(
    [
      ['credential', front.credential],
      ['api_key', front.apiKey],
    ].filter(([, value]) => value !== NO_FRONT_VALUE),
  );
  const event: Partial<APIGatewayProxyEvent> = {
    resource,
    path,
    httpMethod: method,
    headers,
    pathParameters: Object.keys(pathParameters).length > 0 ? pathParameters : null,
    requestContext: { requestId, path, identity: { sourceIp } } as APIGatewayProxyEvent['requestContext'],
    body: body.length === 0 ? null : body.toString('base64'),
    isBase64Encoded: body.length > 0,
  };
  return event as APIGatewayProxyEvent;
}
