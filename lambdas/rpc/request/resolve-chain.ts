import type { MiddlewareObj } from '@middy/core';
import { type AuthenticatedEvent, type HttpResponse, notFound } from 'gateway-access';
import { routeRequest } from './route.ts';

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
