import { calledFunction } from '../functions/called-function.ts';
import type { Resolver } from '../template/intrinsics.ts';
import {
  isTemplateObject,
  refuseUnknown,
  type Template,
  type TemplateObject,
  type TemplateResource,
  unsupported,
} from '../template/template.ts';
import type { ApiResponse } from './api-response.ts';
import type { ContextVariables } from './context.ts';
import type { ResponseType } from './gateway-responses.ts';
import { type ResponseTemplate, readResponseTemplate, renderResponse } from './response-template.ts';

const DEFAULT_CONTENT_TYPE = 'application/json';
const DEFAULT_TIMEOUT_MS = 29_000;
const HEADER_PARAMETER = 'method.response.header.';
const INVOCATION_URI =
  /:lambda:path\/(?:2015-03-31|2021-11-15)\/functions\/(.+)\/(invocations|response-streaming-invocations)$/;

/** A Lambda proxy integration. */
export interface FunctionIntegration {
  readonly kind: 'function';
  readonly functionId: string;
  readonly isStreaming: boolean;
  readonly timeoutMs: number;
}

/** Any integration that the local run understands. */
export type Integration = FunctionIntegration | MockIntegration;

/** A mock integration: API Gateway answers by itself, whatever the body. */
interface MockIntegration {
  readonly kind: 'mock';
  /** Content types that it takes. */
  readonly contentTypes: ReadonlySet<string>;
  readonly status: number;
  readonly response: ResponseTemplate;
}

/** Reads the integration of a method. */
export function readIntegration(
  template: Template,
  resolve: Resolver,
  method: TemplateResource,
): Integration {
  const integration = resolve(method.properties.Integration);
  if (!isTemplateObject(integration)) throw unsupported(method, 'a method without an Integration');
  if (integration.Type === 'AWS_PROXY')
    return readFunctionIntegration(template, resolve, method, integration);
  if (integration.Type === 'MOCK') return readMockIntegration(method, integration);
  throw unsupported(method, `Integration.Type ${String(integration.Type)}`);
}

function readFunctionIntegration(
  template: Template,
  resolve: Resolver,
  method: TemplateResource,
  integration: TemplateObject,
): FunctionIntegration {
  refuseUnknown(method, 'Integration', integration, [
    'IntegrationHttpMethod',
    'ResponseTransferMode',
    'TimeoutInMillis',
    'Type',
    'Uri',
  ]);
  const { ResponseTransferMode = 'BUFFERED', TimeoutInMillis = DEFAULT_TIMEOUT_MS, Uri } = integration;
  const [, arn, action] = INVOCATION_URI.exec(String(Uri)) ?? [];
  const target = calledFunction(template, resolve, arn);
  if (target === undefined) throw unsupported(method, `Integration.Uri ${String(Uri)}`);
  const isStreaming = action === 'response-streaming-invocations';
  if (isStreaming !== (ResponseTransferMode === 'STREAM')) {
    throw unsupported(
      method,
      `Integration.ResponseTransferMode ${String(ResponseTransferMode)} with ${action}`,
    );
  }
  return { kind: 'function', functionId: target.logicalId, isStreaming, timeoutMs: Number(TimeoutInMillis) };
}

/** Only what answers each content type that it takes with one status, and refuses all others. */
function readMockIntegration(method: TemplateResource, integration: TemplateObject): MockIntegration {
  refuseUnknown(method, 'Integration', integration, [
    'ContentHandling',
    'IntegrationResponses',
    'PassthroughBehavior',
    'RequestTemplates',
    'Type',
  ]);
  const { ContentHandling, IntegrationResponses, PassthroughBehavior, RequestTemplates = {} } = integration;
  const fixed = { ContentHandling: 'CONVERT_TO_TEXT', PassthroughBehavior: 'NEVER' };
  for (const [name, value] of Object.entries({ ContentHandling, PassthroughBehavior }))
    if (value !== fixed[name as keyof typeof fixed])
      throw unsupported(method, `Integration.${name} ${String(value)}`);
  const [response, ...others] = Array.isArray(IntegrationResponses) ? IntegrationResponses : [];
  if (!isTemplateObject(response) || others.length > 0)
    throw unsupported(method, 'a mock integration with other than one response');
  refuseUnknown(method, 'Integration.IntegrationResponses', response, [
    'ResponseParameters',
    'ResponseTemplates',
    'StatusCode',
  ]);
  const requests = Object.entries(RequestTemplates as Record<string, string>);
  const foreign = requests.find(([, text]) => text !== `{"statusCode": ${response.StatusCode}}`);
  if (foreign !== undefined) throw unsupported(method, `RequestTemplates ${foreign[1]}`);
  return {
    kind: 'mock',
    contentTypes: new Set(requests.map(([type]) => type)),
    status: Number(response.StatusCode),
    response: readResponseTemplate(method, response, HEADER_PARAMETER, ''),
  };
}

/**
 * Answers a request to a mock integration.
 *
 * @param contentType `Content-Type` of the request, of which the type alone counts
 * @returns the response, or the gateway error that the integration ends in
 */
export function answerMock(
  { contentTypes, status, response }: MockIntegration,
  contentType: string | undefined,
  variables: ContextVariables,
): ApiResponse | ResponseType {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() || DEFAULT_CONTENT_TYPE;
  if (!contentTypes.has(type)) return 'UNSUPPORTED_MEDIA_TYPE';
  return {
    status,
    ...renderResponse(response, variables),
    variables: { 'integration.status': status, integrationStatus: status },
  };
}
