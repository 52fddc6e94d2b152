import { OPERATIONS } from '../../lambdas/data/operations/operations.ts';
import { HEADS_PATH } from '../../lambdas/shared/bill/published-path.ts';
import { DESCRIPTION_FILES } from '../../lambdas/status/describe-interface.ts';

/** Functions that serve routes. */
export type RouteTarget = 'rpc' | 'data' | 'status' | 'mcp';

interface ApiRoute {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  /** Path of the API resource; API Gateway matches it with and without a slash at its end. */
  readonly path: string;
  readonly target: RouteTarget;
}

const CHAIN_PREFIX = '/{chain}/';

/**
 * Resources of the Data API for the default chain, directly below `/v1`: one for all paths below each first segment, and
 * one for a segment that is a path by itself. Which operation it is, the function tells.
 */
function defaultChainRoutes(): ApiRoute[] {
  const paths = Object.values(OPERATIONS)
    .filter(({ path }) => path.startsWith(CHAIN_PREFIX))
    .map(({ path }) => path.slice(CHAIN_PREFIX.length));
  const resources = paths.map((path) => {
    const [segment] = path.split('/');
    return path === segment ? `/v1/${segment}` : `/v1/${segment}/{proxy+}`;
  });
  return [...new Set(resources)].sort().map((path) => ({ method: 'GET', path, target: 'data' }));
}

/** The MCP server: what is not a message is answered 405, as the protocol asks. The key can stand in the path. */
const MCP_ROUTES = ['/v1/mcp', '/v1/mcp/{api_key}'].flatMap((path) =>
  (['POST', 'GET', 'DELETE'] as const).map((method): ApiRoute => ({ method, path, target: 'mcp' })),
);

/**
 * Routes that need no key. Only these answer HEAD: on a metered route it would cost as much as GET.
 * The function answers it as GET, and API Gateway leaves the body out.
 */
const KEYLESS_ROUTES = [
  '/v1/status',
  '/v1/chains',
  `${HEADS_PATH}/{proxy+}`,
  ...Object.keys(DESCRIPTION_FILES),
].flatMap((path) =>
  (['GET', 'HEAD'] as const).map((method): ApiRoute => ({ method, path, target: 'status' })),
);

/**
 * Every route of the gateway. Whatever is not here is answered 404 by API Gateway itself. `{credential}` is an API
 * key or the name of a chain, which only the function can tell apart.
 */
export const ROUTES: readonly ApiRoute[] = [
  { method: 'POST', path: '/v1', target: 'rpc' },
  { method: 'POST', path: '/v1/{credential}', target: 'rpc' },
  { method: 'POST', path: '/v1/{credential}/{api_key}', target: 'rpc' },
  ...KEYLESS_ROUTES,
  { method: 'GET', path: '/v1/account', target: 'status' },
  { method: 'GET', path: '/v1/account/usage', target: 'status' },
  { method: 'GET', path: '/v1/account/settlements', target: 'status' },
  { method: 'GET', path: '/v1/account/settlements/{hour}/lanes', target: 'status' },
  { method: 'GET', path: '/v1/account/lanes', target: 'status' },
  { method: 'GET', path: '/v1/account/receipts', target: 'status' },
  { method: 'GET', path: '/v1/account/credits', target: 'status' },
  // No operation: a caller with a key learns that it does not exist.
  { method: 'GET', path: '/v1/data', target: 'data' },
  { method: 'GET', path: '/v1/data/{chain}', target: 'data' },
  { method: 'GET', path: '/v1/data/chains', target: 'data' },
  { method: 'GET', path: '/v1/data/{chain}/{proxy+}', target: 'data' },
  ...MCP_ROUTES,
  ...defaultChainRoutes(),
];
