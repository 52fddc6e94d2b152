import {
  refuseUnknown,
  resourcesOfType,
  type Template,
  type TemplateResource,
  unsupported,
} from '../template/template.ts';
import { type ApiResponse, type HeaderList, hasHeader } from './api-response.ts';
import { type ContextVariables, contextNames, renderTemplate, unsupportedInTemplate } from './context.ts';

/** Errors that API Gateway itself returns: default status and message, and the error type in the header. */
const builtIn = {
  API_CONFIGURATION_ERROR: [500, 'Internal server error', 'InternalServerErrorException'],
  // Malformed responses and errors of functions: this error has no type of its own.
  DEFAULT_5XX: [502, 'Internal server error', 'InternalServerErrorException'],
  INTEGRATION_FAILURE: [504, 'Internal server error', 'InternalServerErrorException'],
  INTEGRATION_TIMEOUT: [504, 'Endpoint request timed out', 'InternalServerErrorException'],
  MISSING_AUTHENTICATION_TOKEN: [403, 'Missing Authentication Token', 'MissingAuthenticationTokenException'],
  REQUEST_TOO_LARGE: [413, 'Request Too Long', 'RequestTooLargeException'],
  THROTTLED: [429, 'Too Many Requests', 'TooManyRequestsException'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'Unsupported Media Type', 'UnsupportedMediaTypeException'],
} as const;

/** Status of a failed integration as long as the template does not define that response. */
const UNDEFINED_INTEGRATION_FAILURE_STATUS = 500;
const DEFAULT_TEMPLATE = '{"message":$context.error.messageString}';
const HEADER_PARAMETER = 'gatewayresponse.header.';

/** The errors that the local API makes by itself. */
export type ResponseType = keyof typeof builtIn;

interface GatewayResponse {
  readonly status: number | undefined;
  readonly contentType: string;
  readonly template: string;
  /** Header values; `variable` names a `$context` variable. */
  readonly headers: readonly { readonly name: string; readonly text: string; readonly isVariable: boolean }[];
}

/** Makes the response to an error of the API's own, from the variables of its request. */
type GatewayResponses = (type: ResponseType, variables: ContextVariables) => ApiResponse;

/**
 * Reads the gateway responses of a template. An error takes its own response, else the default of its class, else
 * what API Gateway has built in.
 */
export function readGatewayResponses(template: Template): GatewayResponses {
  const defined = new Map(
    resourcesOfType(template, 'AWS::ApiGateway::GatewayResponse').map((resource) => [
      String(resource.properties.ResponseType),
      readGatewayResponse(resource),
    ]),
  );

  return (type, variables) => {
    const [builtInStatus, message, errorType] = builtIn[type];
    const isUndefinedFailure = type === 'INTEGRATION_FAILURE' && !defined.has(type);
    const status = isUndefinedFailure ? UNDEFINED_INTEGRATION_FAILURE_STATUS : builtInStatus;
    const response = defined.get(type) ?? defined.get(status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX');
    const error = {
      'error.message': message,
      'error.messageString': JSON.stringify(message),
      'error.responseType': type,
    };
    const all: ContextVariables = { ...variables, ...error };
    const headers: HeaderList = (response?.headers ?? []).map(
      ({ name, text, isVariable }) => [name, isVariable ? String(all[text] ?? '') : text] as const,
    );
    const contentType = ['Content-Type', response?.contentType ?? 'application/json'] as const;
    return {
      status: response?.status ?? status,
      headers: [
        ...(hasHeader(headers, 'content-type') ? [] : [contentType]),
        ['x-amzn-ErrorType', errorType],
        ...headers,
      ],
      body: Buffer.from(renderTemplate(response?.template ?? DEFAULT_TEMPLATE, all, '')),
      variables: error,
    };
  };
}

function readGatewayResponse(resource: TemplateResource): GatewayResponse {
  const { StatusCode, ResponseTemplates = {}, ResponseParameters = {} } = resource.properties;
  const templates = Object.entries(ResponseTemplates as Record<string, string>);
  const [contentType, template] = templates[0] ?? ['application/json', DEFAULT_TEMPLATE];
  if (templates.length > 1) throw unsupported(resource, 'more than one ResponseTemplates');
  const foreign = unsupportedInTemplate(template);
  if (foreign !== undefined) throw unsupported(resource, `${foreign} in ResponseTemplates`);
  return {
    status: StatusCode === undefined ? undefined : Number(StatusCode),
    contentType,
    template,
    headers: Object.entries(ResponseParameters as Record<string, string>).map(([parameter, value]) => {
      if (!parameter.startsWith(HEADER_PARAMETER))
        refuseUnknown(resource, 'ResponseParameters', { [parameter]: value }, []);
      const text = /^'(.*)'$/.exec(value)?.[1];
      const variable = /^context\.(.+)$/.exec(value)?.[1];
      const names: readonly string[] = contextNames;
      if (text === undefined && !(variable !== undefined && names.includes(variable))) {
        throw unsupported(resource, `${value} in ResponseParameters`);
      }
      return {
        name: parameter.slice(HEADER_PARAMETER.length),
        text: text ?? String(variable),
        isVariable: text === undefined,
      };
    }),
  };
}
