import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { API_KEY_PATTERN, type AuthenticatedEvent, type HttpResponse, notFound } from 'gateway-access';
import { decodeSegment } from '../../shared/http/decode-segment.ts';

/** Where a JSON-RPC request goes, by the route that API Gateway matched. */
type Route =
  /** `/v1` without its slash: clients are sent to `/v1/`. */
  | { readonly kind: 'redirect'; readonly location: string }
  | { readonly kind: 'chain'; readonly chain: string }
  | { readonly kind: 'unknown' };
type RoutedEvent = Pick<APIGatewayProxyEvent, 'resource' | 'pathParameters' | 'path'> & {
  readonly requestContext: Pick<APIGatewayProxyEvent['requestContext'], 'path'>;
};

/** The event of a request whose key is active and whose chain is served. */
export interface ChainEvent<Chain> extends AuthenticatedEvent {
  chain: Chain;
}

/** Sets `event.chain`, or answers: a redirect to `/v1/`, or the 404 that an unknown route has. */
export function resolveChain<Chain>(
  chains: ReadonlyMap<string, Chain>,
  defaultChain: string,
): MiddlewareObj<ChainEvent<Chain>, HttpResponse> {
  return {
    before: ({ event }) => {
      const { requestId } = event.requestContext;
      const route = routeRequest(event, defaultChain);
      if (route.kind === 'redirect') return redirect(route.location, requestId);
      const chain = route.kind === 'chain' ? chains.get(route.chain) : undefined;
      if (chain === undefined) return notFound(requestId);
      event.chain = chain;
      return undefined;
    },
  };
}

function redirect(location: string, requestId: string): HttpResponse {
  return {
    statusCode: 301,
    headers: { Location: location, 'Content-Length': '0', 'X-Request-Id': requestId },
    body: '',
  };
}

/**
 * Routes on `event.resource`: API Gateway matches `/v1` and `/v1/` to the same resource and keeps the slash in
 * the path alone. A segment that has the form of a key is a key, any other is the name of a chain.
 */
function routeRequest(event: RoutedEvent, defaultChain: string): Route {
  const credential = event.pathParameters?.credential ?? '';
  switch (event.resource) {
    case '/v1':
      return event.path.endsWith('/')
        ? { kind: 'chain', chain: defaultChain }
        : { kind: 'redirect', location: `${event.requestContext.path}/` };
    case '/v1/{credential}':
      return {
        kind: 'chain',
        chain: API_KEY_PATTERN.test(credential) ? defaultChain : decodeSegment(credential),
      };
    case '/v1/{credential}/{api_key}':
      return { kind: 'chain', chain: decodeSegment(credential) };
    default:
      return { kind: 'unknown' };
  }
}
