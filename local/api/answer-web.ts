import type { WebFunctions } from '../functions/web-functions.ts';
import type { ApiResponse } from './api-response.ts';
import type { ContextVariables, RequestContext } from './context.ts';
import type { ResponseType } from './gateway-responses.ts';
import type { MappedHeader, WebIntegration } from './integrations.ts';
import { forwardedHeaders } from './proxy-event.ts';
import type { RouteMatch } from './routes.ts';

/** A request, as far as it goes to a backend. */
export interface ProxiedRequest {
  readonly context: RequestContext;
  readonly match: RouteMatch;
  /** Names and values in turn, as the client sent them. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  readonly variables: ContextVariables;
}

/**
 * Answers a request to an HTTP proxy integration within the integration's time-out. The client gets the response of the
 * backend as it is, also one that Lambda gave in the function's place.
 * @returns the response, or the gateway error that the integration ends in
 */
export async function answerWeb(
  functions: WebFunctions | undefined,
  integration: WebIntegration,
  request: ProxiedRequest,
): Promise<ApiResponse | ResponseType> {
  const { context, body } = request;
  const target = integration.target + (context.query === '' ? '' : `?${context.query}`);
  const { promise: expired, resolve } = Promise.withResolvers<'expired'>();
  const timer = setTimeout(resolve, integration.timeoutMs, 'expired');
  const headers = mappedHeaders(integration, request);
  const asked = functions?.request(integration.domainName, { method: context.method, target, headers, body });
  if (asked === undefined) throw new Error(`no web function is reached as ${integration.domainName}`);
  const response = await Promise.race([asked, expired]);
  if (response === 'expired') {
    void asked.then((late) => late.body.destroy());
    return 'INTEGRATION_TIMEOUT';
  }
  const { status } = response;
  response.body.once('close', () => clearTimeout(timer));
  void expired.then(() => response.body.destroy(new Error('the integration timed out')));
  return {
    status,
    headers: response.headers,
    body: response.body,
    variables: { 'integration.status': status, integrationStatus: status },
  };
}

/** The headers of a request to the backend: a mapped one takes the place of all that the client sent under its name. */
function mappedHeaders(
  { headers, domainName }: WebIntegration,
  { context, match, rawHeaders, variables }: ProxiedRequest,
): string[] {
  const mapped = new Set(headers.map(({ name }) => name.toLowerCase()));
  const own = forwardedHeaders(context, rawHeaders).filter(([name]) => {
    const key = name.toLowerCase();
    return key !== 'host' && !mapped.has(key);
  });
  const set = headers.map((header) => [header.name, mappedValue(header, match, variables)] as const);
  return [['Host', domainName], ...own, ...set].flat();
}

function mappedValue(header: MappedHeader, match: RouteMatch, variables: ContextVariables): string {
  if ('value' in header) return header.value;
  if ('variable' in header) return String(variables[header.variable] ?? '');
  return match.pathParameters[header.pathParameter] ?? '';
}
