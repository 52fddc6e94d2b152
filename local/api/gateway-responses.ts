import { resourcesOfType, type Template } from '../template/template.ts';
import type { ApiResponse } from './api-response.ts';
import type { ContextVariables } from './context.ts';
import { plainResponse, readResponseTemplate, renderResponse } from './response-template.ts';

/** Errors that API Gateway itself returns: default status and message, and the error type in the header. */
const builtIn = {
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

/** Makes the response to an error of the API's own, from the variables of its request. */
type GatewayResponses = (type: ResponseType, variables: ContextVariables) => ApiResponse;

/**
 * Reads the gateway responses of a template. An error takes its own response, else the default of its class, else
 * what API Gateway has built in.
 */
export function readGatewayResponses(template: Template): GatewayResponses {
  const defined = new Map(
    resourcesOfType(template, 'AWS::ApiGateway::GatewayResponse').map((resource) => {
      const { ResponseType, StatusCode } = resource.properties;
      const response = readResponseTemplate(
        resource,
        resource.properties,
        HEADER_PARAMETER,
        DEFAULT_TEMPLATE,
      );
      return [
        String(ResponseType),
        { status: StatusCode === undefined ? undefined : Number(StatusCode), response },
      ] as const;
    }),
  );

  return (type, variables) => {
    const [builtInStatus, message, errorType] = builtIn[type];
    const isUndefinedFailure = type === 'INTEGRATION_FAILURE' && !defined.has(type);
    const status = isUndefinedFailure ? UNDEFINED_INTEGRATION_FAILURE_STATUS : builtInStatus;
    const own = defined.get(type) ?? defined.get(status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX');
    const error = {
      'error.message': message,
      'error.messageString': JSON.stringify(message),
      'error.responseType': type,
    };
    const { headers, body } = renderResponse(own?.response ?? plainResponse(DEFAULT_TEMPLATE), {
      ...variables,
      ...error,
    });
    return {
      status: own?.status ?? status,
      headers: [['x-amzn-ErrorType', errorType], ...headers],
      body,
      variables: error,
    };
  };
}
