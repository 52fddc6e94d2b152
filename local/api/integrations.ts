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
import { type ResponseTemplate, readResponseTemplate } from './response-template.ts';

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

/** A mock integration: API Gateway answers by itself. */
export interface MockIntegration {
  readonly kind: 'mock';
  /** Status that the request template of a content type asks for. */
  readonly statusByContentType: ReadonlyMap<string, number>;
  /** Whether a body of another content type is taken as the request template's result. */
  readonly passesOtherTypes: boolean;
  readonly responses: readonly MockResponse[];
}

interface MockResponse {
  readonly status: number;
  /** Statuses that take this response; undefined: the default response. */
  readonly selects: RegExp | undefined;
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

function readMockIntegration(method: TemplateResource, integration: TemplateObject): MockIntegration {
  refuseUnknown(method, 'Integration', integration, [
    'ContentHandling',
    'IntegrationResponses',
    'PassthroughBehavior',
    'RequestTemplates',
    'Type',
  ]);
  const {
    ContentHandling = 'CONVERT_TO_TEXT',
    IntegrationResponses = [],
    PassthroughBehavior = 'WHEN_NO_MATCH',
    RequestTemplates = {},
  } = integration;
  if (ContentHandling !== 'CONVERT_TO_TEXT') {
    throw unsupported(method, `Integration.ContentHandling ${String(ContentHandling)}`);
  }
  const requests = Object.entries(RequestTemplates as Record<string, string>);
  const responses = Array.isArray(IntegrationResponses) ? IntegrationResponses.filter(isTemplateObject) : [];
  return {
    kind: 'mock',
    statusByContentType: new Map(requests.map(([type, text]) => [type, requestedStatus(method, text)])),
    passesOtherTypes:
      PassthroughBehavior === 'WHEN_NO_MATCH' ||
      (PassthroughBehavior === 'WHEN_NO_TEMPLATES' && requests.length === 0),
    responses: responses.map((response) => readMockResponse(method, response)),
  };
}

/** Only fixed request templates are understood, such as `{"statusCode": 404}`; names may lack their quotes. */
function requestedStatus(method: TemplateResource, template: string): number {
  const status = /^\s*\{\s*"?statusCode"?\s*:\s*(\d{3})\s*\}\s*$/.exec(template)?.[1];
  if (status === undefined) throw unsupported(method, `RequestTemplates ${template}`);
  return Number(status);
}

function readMockResponse(method: TemplateResource, response: TemplateObject): MockResponse {
  refuseUnknown(method, 'Integration.IntegrationResponses', response, [
    'ResponseParameters',
    'ResponseTemplates',
    'SelectionPattern',
    'StatusCode',
  ]);
  const { SelectionPattern, StatusCode } = response;
  return {
    status: Number(StatusCode),
    selects: SelectionPattern === undefined ? undefined : new RegExp(`^(?:${String(SelectionPattern)})$`),
    response: readResponseTemplate(method, response, HEADER_PARAMETER, ''),
  };
}
