import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { errorField } from '../shared/runtime/log.ts';
import { systemTelemetry, type Telemetry } from '../shared/runtime/telemetry.ts';
import type { HttpResponse } from './contract/http-response.ts';

/** Renders the answer to a request that failed for a reason of ours. */
export type RenderFailure = (event: APIGatewayProxyEvent) => HttpResponse;

/**
 * Turns every thrown error into a response. Register it first: error middlewares run in reverse, so the first one has
 * the last word.
 */
export function answerErrors(
  render: RenderFailure,
  telemetry: Telemetry = systemTelemetry,
): MiddlewareObj<APIGatewayProxyEvent, HttpResponse> {
  return {
    onError: ({ event, error }) => {
      telemetry.log('error', 'request_failed', {
        requestId: event.requestContext.requestId,
        error: errorField(error),
      });
      return render(event);
    },
  };
}
