import type { APIGatewayProxyEvent } from 'aws-lambda';
import { LOCAL_ACCOUNT_ID } from '../template/intrinsics.ts';
import { type RequestContext, requestTime } from './context.ts';
import type { RouteMatch } from './routes.ts';

/** Headers that end at API Gateway. */
const HOP_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** API Gateway is always reached by TLS; functions may look at the port and the protocol. */
const FORWARDED_PORT = '443';
const FORWARDED_PROTOCOL = 'https';

/**
 * The event of a Lambda proxy integration, as a custom domain with an empty base path sends it: paths carry no stage.
 *
 * The path and its parameters stay percent-encoded; query parameters are decoded, `+` included. Of repeated headers
 * and query parameters the single-value fields have the last. A body that is not binary is taken for UTF-8 text: each
 * malformed sequence becomes U+FFFD, so a function cannot tell it from a real U+FFFD.
 *
 * @param rawHeaders names and values in turn, as the client sent them
 * @param content the body, and whether it travels in base64
 */
export function createProxyEvent(
  context: RequestContext,
  match: RouteMatch,
  rawHeaders: readonly string[],
  { body, isBinary }: { readonly body: Buffer; readonly isBinary: boolean },
): APIGatewayProxyEvent {
  const headers = groupValues(forwardedHeaders(context, rawHeaders));
  const query = groupValues(new URLSearchParams(context.query));
  const hasQuery = query.size > 0;
  const hasParameters = Object.keys(match.pathParameters).length > 0;
  return {
    resource: match.route.resourcePath,
    path: singleSlash(context.path),
    httpMethod: context.method,
    headers: lastValues(headers),
    multiValueHeaders: Object.fromEntries(headers),
    queryStringParameters: hasQuery ? lastValues(query) : null,
    multiValueQueryStringParameters: hasQuery ? Object.fromEntries(query) : null,
    pathParameters: hasParameters ? { ...match.pathParameters } : null,
    stageVariables: null,
    requestContext: requestContextOf(context, match),
    body: body.length === 0 ? null : body.toString(isBinary ? 'base64' : 'utf8'),
    isBase64Encoded: isBinary && body.length > 0,
  };
}

function requestContextOf(
  context: RequestContext,
  match: RouteMatch,
): APIGatewayProxyEvent['requestContext'] {
  return {
    accountId: LOCAL_ACCOUNT_ID,
    apiId: context.apiId,
    authorizer: undefined,
    domainName: context.domainName,
    domainPrefix: context.domainName.split('.', 1)[0],
    extendedRequestId: context.extendedRequestId,
    httpMethod: context.method,
    identity: {
      accessKey: null,
      accountId: null,
      apiKey: null,
      apiKeyId: null,
      caller: null,
      clientCert: null,
      cognitoAuthenticationProvider: null,
      cognitoAuthenticationType: null,
      cognitoIdentityId: null,
      cognitoIdentityPoolId: null,
      principalOrgId: null,
      sourceIp: context.sourceIp,
      user: null,
      userAgent: context.userAgent ?? null,
      userArn: null,
    },
    path: singleSlash(context.path),
    protocol: context.protocol,
    requestId: context.requestId,
    requestTime: requestTime(context.receivedAt),
    requestTimeEpoch: context.receivedAt,
    resourceId: match.route.resourceId,
    resourcePath: match.route.resourcePath,
    stage: context.stage,
  };
}

/** The headers of a client that API Gateway passes on, and those that it adds. */
function forwardedHeaders(
  context: RequestContext,
  rawHeaders: readonly string[],
): [name: string, value: string][] {
  const headers: [string, string][] = [];
  const before: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    const key = name.toLowerCase();
    if (key === 'x-forwarded-for') before.push(value);
    else if (!HOP_HEADERS.has(key) && !key.startsWith('x-forwarded-p')) headers.push([name, value]);
  }
  return [
    ...headers,
    ['X-Amzn-Trace-Id', context.traceId],
    ['X-Forwarded-For', [...before, context.sourceIp].join(', ')],
    ['X-Forwarded-Port', FORWARDED_PORT],
    ['X-Forwarded-Proto', FORWARDED_PROTOCOL],
  ];
}

function groupValues(pairs: Iterable<[string, string]>): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [name, value] of pairs) groups.set(name, [...(groups.get(name) ?? []), value]);
  return groups;
}

function lastValues(groups: ReadonlyMap<string, readonly string[]>): Record<string, string> {
  return Object.fromEntries([...groups].map(([name, values]) => [name, values.at(-1) ?? '']));
}

function singleSlash(path: string): string {
  return path.replace(/^\/+/, '/');
}
