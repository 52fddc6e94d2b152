import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type AuthenticatedEvent, answerErrors, authenticate, middy, openMeter } from 'gateway-access';
import { systemClock } from '../clock.ts';
import { requireVariable } from '../environment.ts';
import { jsonResponse } from '../json-response.ts';
import { loadStageSettings } from '../settings.ts';
import { handleData } from './handle-data.ts';

const settings = loadStageSettings(requireVariable('LAMBDA_TASK_ROOT'));
const meter = openMeter({ settings });
const chains = new Set(settings.chains.map(({ chain }) => chain));

const failed =
  (statusCode: number, code: string, message: string) =>
  ({ requestContext }: APIGatewayProxyEvent) =>
    jsonResponse(statusCode, { error: { code, message } }, requestContext.requestId, {
      ...(statusCode === 503 && { 'Retry-After': '1' }),
    });

export const handler = middy((event: AuthenticatedEvent) =>
  handleData(
    {
      holder: event.holder,
      resource: event.resource,
      pathParameters: event.pathParameters ?? {},
      requestId: event.requestContext.requestId,
    },
    { meter, chains, clock: systemClock },
  ),
)
  .use(answerErrors(failed(500, 'internal_error', 'internal gateway error')))
  .use(
    authenticate({
      meter,
      unavailable: failed(503, 'billing_unavailable', 'billing data temporarily unavailable'),
    }),
  );
