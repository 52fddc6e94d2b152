/** Functions that serve routes. */
export type RouteTarget = 'rpc' | 'data' | 'status';

export interface Route {
  readonly method: 'GET' | 'POST';
  /** Path of the API resource; API Gateway matches it with and without a slash at its end. */
  readonly path: string;
  readonly target: RouteTarget;
}

/**
 * Every route of the gateway. Whatever is not here is answered 404 by API Gateway itself. `{credential}` is an API
 * key or the name of a chain, which only the function can tell apart.
 */
export const ROUTES: readonly Route[] = [
  { method: 'POST', path: '/v1', target: 'rpc' },
  { method: 'POST', path: '/v1/{credential}', target: 'rpc' },
  { method: 'POST', path: '/v1/{credential}/{api_key}', target: 'rpc' },
  { method: 'GET', path: '/v1/status', target: 'status' },
  { method: 'GET', path: '/v1/chains', target: 'status' },
  { method: 'GET', path: '/v1/account', target: 'status' },
  { method: 'GET', path: '/v1/data/chains', target: 'data' },
  { method: 'GET', path: '/v1/data/{chain}/{proxy+}', target: 'data' },
  { method: 'GET', path: '/v1/blocks/{number}', target: 'data' },
  { method: 'GET', path: '/v1/status/freshness', target: 'data' },
  { method: 'GET', path: '/v1/addresses/{address}/balances', target: 'data' },
];
