import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Clock, systemClock } from '../../lambdas/shared/runtime/clock.ts';
import type { Functions } from '../functions/functions.ts';
import { listenOn } from '../processes/free-port.ts';
import type { Resolver } from '../template/intrinsics.ts';
import type { Template } from '../template/template.ts';
import { answerFunction } from './answer-function.ts';
import type { ApiResponse } from './api-response.ts';
import {
  type ContextVariables,
  contextVariables,
  createRequestContext,
  type RequestContext,
  renderTemplate,
} from './context.ts';
import { type ResponseType, readGatewayResponses } from './gateway-responses.ts';
import { answerMock } from './integrations.ts';
import { createProxyEvent } from './proxy-event.ts';
import { createRouter, type RouteMatch } from './routes.ts';
import { sendResponse } from './send.ts';
import { createThrottle, readStage } from './stage.ts';
import { boundWaiting } from './waiting-connections.ts';

/** Largest request body that API Gateway takes, in bytes. */
const MAX_REQUEST_BYTES = 10 * 1024 * 1024;
/** What is still read of a larger one, so that its sender gets to see the response. */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024;

/** Request line and headers together, in bytes: the limit of API Gateway. */
const MAX_HEADER_BYTES = 10_240;
const MAX_CONNECTIONS = 1_024;
/** Time for a client to send its headers, and its whole request, and between two looks at who has used it up. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const LOOK_INTERVAL_MS = 1_000;
const KEEP_ALIVE_MS = 60_000;
/** A connection on which nothing moves for this long is cut, as API Gateway does with streams. */
const IDLE_TIMEOUT_MS = 5 * 60_000;
/** Time that requests under way have to finish when the API closes. */
const CLOSE_GRACE_MS = 2_000;

export interface ApiOptions {
  readonly template: Template;
  readonly resolver: Resolver;
  readonly functions: Functions;
  /** 0: any free port. */
  readonly port: number;
  readonly host: string;
  /** Takes each line of the access log. */
  onAccessLog(line: string): void;
  /** Called with each response when it begins to be sent. */
  onResponse?(response: { readonly status: number; readonly latencyMs: number }): void;
  /** @default systemClock */
  readonly clock?: Clock;
}

interface LocalApi {
  readonly port: number;
  /** Stops accepting, lets requests under way finish for a moment, and ends every connection. */
  close(): Promise<void>;
}

/** The integration's part of a request, once there is one. */
interface Integrated {
  readonly response: ApiResponse;
  /** Milliseconds until the integration answered. */
  readonly latencyMs?: number;
}

/**
 * Serves the REST API of a template as API Gateway does.
 *
 * @throws UnsupportedTemplateError if the API is configured in a way that the local run does not understand, and the
 *   error of `listen`, such as `EADDRINUSE`
 */
export async function startApi(options: ApiOptions): Promise<LocalApi> {
  const handle = createRequestHandler(options);
  let isClosing = false;
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: LOOK_INTERVAL_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    (request, response) => {
      handle(request, response)
        .catch((error: Error) => {
          response.destroy();
          // A client that went away while it sent is no news.
          if (!request.destroyed) process.emitWarning(error);
        })
        .finally(() => isClosing && server.closeIdleConnections());
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  boundWaiting(server);
  server.setTimeout(IDLE_TIMEOUT_MS);
  const port = await listenOn(server, options.host, options.port);
  return {
    port,
    async close() {
      isClosing = true;
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}

/** Answers a request, and writes its line of the access log. */
function createRequestHandler(options: ApiOptions) {
  const { template, resolver, onAccessLog, clock = systemClock } = options;
  const stage = readStage(template);
  const route = createRouter(template, resolver);
  const integrate = createIntegrator(options, stage);
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const context = createRequestContext(request, clock.now(), { apiId: stage.apiId, stage: stage.name });
    const match = route(context.path);
    const variables: ContextVariables = {
      ...contextVariables(context),
      resourceId: match?.route.resourceId,
      resourcePath: match?.route.resourcePath,
    };
    const { response: integrated, latencyMs } = await integrate(request, context, match, variables);
    options.onResponse?.({ status: integrated.status, latencyMs: clock.now() - context.receivedAt });
    const responseLength = await sendResponse(request, response, context, integrated);
    if (stage.accessLogFormat === undefined) return;
    const ofResponse = {
      status: integrated.status,
      responseLength,
      responseLatency: clock.now() - context.receivedAt,
    };
    const ofIntegration = { 'integration.latency': latencyMs, integrationLatency: latencyMs };
    const all = { ...variables, ...integrated.variables, ...ofResponse, ...ofIntegration };
    onAccessLog(renderTemplate(stage.accessLogFormat, escapeValues(all), '-'));
  };
}

/** Asks the integration of a request, or says why nothing can be asked. */
function createIntegrator(
  { template, functions, clock = systemClock }: ApiOptions,
  { throttling, bodiesAreBinary }: ReturnType<typeof readStage>,
) {
  const gatewayResponse = readGatewayResponses(template);
  const isWithinThrottle = createThrottle(throttling);
  return async (
    request: IncomingMessage,
    context: RequestContext,
    match: RouteMatch | undefined,
    variables: ContextVariables,
  ): Promise<Integrated> => {
    const fail = (type: ResponseType): Integrated => ({ response: gatewayResponse(type, variables) });
    const body = await readRequestBody(request);
    if (body === 'too-large') return fail('REQUEST_TOO_LARGE');
    const integration = match?.route.methods.get(context.method) ?? match?.route.methods.get('ANY');
    if (match === undefined || integration === undefined) return fail('MISSING_AUTHENTICATION_TOKEN');
    if (!isWithinThrottle(clock.now())) return fail('THROTTLED');
    const startedAt = clock.now();
    const response =
      integration.kind === 'mock'
        ? answerMock(integration, request.headers['content-type'], variables)
        : await answerFunction(
            functions,
            integration,
            createProxyEvent(context, match, request.rawHeaders, { body, isBinary: bodiesAreBinary }),
            bodiesAreBinary,
          );
    const latencyMs = clock.now() - startedAt;
    return {
      response: typeof response === 'string' ? gatewayResponse(response, variables) : response,
      latencyMs,
    };
  };
}

/** Formats are JSON texts: what a client wrote must not end a string in them. */
function escapeValues(variables: ContextVariables): ContextVariables {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      name,
      typeof value === 'string' ? JSON.stringify(value).slice(1, -1) : value,
    ]),
  );
}

/**
 * Reads the body of a request.
 *
 * @returns `'too-large'` above the limit
 * @throws if the client goes away
 */
async function readRequestBody(request: IncomingMessage): Promise<Buffer | 'too-large'> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= MAX_REQUEST_BYTES) chunks.push(chunk);
    if (length > MAX_DISCARDED_BYTES) break;
  }
  return length > MAX_REQUEST_BYTES ? 'too-large' : Buffer.concat(chunks, length);
}
