import type { ApiResponse } from './api-response.ts';
import type { ContextVariables } from './context.ts';
import type { ResponseType } from './gateway-responses.ts';
import type { MockIntegration } from './integrations.ts';
import { renderResponse } from './response-template.ts';

const DEFAULT_CONTENT_TYPE = 'application/json';

/**
 * Answers a request to a mock integration.
 *
 * @param contentType `Content-Type` of the request; the type alone chooses the request template
 * @returns the response, or the gateway error that the integration ends in
 */
export function answerMock(
  integration: MockIntegration,
  contentType: string | undefined,
  body: Buffer,
  variables: ContextVariables,
): ApiResponse | ResponseType {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() || DEFAULT_CONTENT_TYPE;
  const fixed = integration.statusByContentType.get(type);
  if (fixed === undefined && !integration.passesOtherTypes) return 'UNSUPPORTED_MEDIA_TYPE';
  const status = fixed ?? statusIn(body);
  const response =
    integration.responses.find(({ selects }) => selects?.test(String(status))) ??
    integration.responses.find(({ selects }) => selects === undefined);
  if (status === undefined || response === undefined) return 'API_CONFIGURATION_ERROR';
  return {
    status: response.status,
    ...renderResponse(response.response, variables),
    variables: { 'integration.status': status, integrationStatus: status },
  };
}

/** A request that no template transformed must itself say which status it wants. */
function statusIn(body: Buffer): number | undefined {
  try {
    const { statusCode } = JSON.parse(body.toString()) as { statusCode?: unknown };
    return typeof statusCode === 'number' ? statusCode : undefined;
  } catch {
    return undefined;
  }
}
