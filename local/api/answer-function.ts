import type { Functions } from '../functions/functions.ts';
import type { InvocationFailure } from '../functions/outcome.ts';
import type { ApiResponse } from './api-response.ts';
import type { ResponseType } from './gateway-responses.ts';
import type { FunctionIntegration } from './integrations.ts';
import { type ResponseHead, readProxyResponse, readStreamedHead } from './proxy-response.ts';

/**
 * Answers a request to a Lambda proxy integration within the integration's time-out. A function that takes longer
 * runs on without its client; a streamed response that has begun breaks off.
 *
 * @returns the response, or the gateway error that the integration ends in
 */
export function answerFunction(
  functions: Functions,
  integration: FunctionIntegration,
  event: unknown,
  bodiesAreBinary: boolean,
): Promise<ApiResponse | ResponseType> {
  const deadline = startDeadline(integration.timeoutMs);
  return integration.isStreaming
    ? answerStreaming(functions, integration, event, deadline)
    : answerBuffered(functions, integration, event, { deadline, bodiesAreBinary });
}

interface Deadline {
  readonly expired: Promise<'expired'>;
  cancel(): void;
}

function startDeadline(timeoutMs: number): Deadline {
  const { promise: expired, resolve } = Promise.withResolvers<'expired'>();
  const timer = setTimeout(resolve, timeoutMs, 'expired');
  return { expired, cancel: () => clearTimeout(timer) };
}

async function answerBuffered(
  functions: Functions,
  { functionId }: FunctionIntegration,
  event: unknown,
  { deadline, bodiesAreBinary }: { readonly deadline: Deadline; readonly bodiesAreBinary: boolean },
): Promise<ApiResponse | ResponseType> {
  const result = await Promise.race([functions.invoke(functionId, event), deadline.expired]);
  deadline.cancel();
  if (result === 'expired') return 'INTEGRATION_TIMEOUT';
  if (result.kind !== 'success') return errorOf(result);
  const response = readProxyResponse(result.payload, bodiesAreBinary);
  return response === undefined ? 'DEFAULT_5XX' : answerWith(response, response.body);
}

async function answerStreaming(
  functions: Functions,
  { functionId }: FunctionIntegration,
  event: unknown,
  deadline: Deadline,
): Promise<ApiResponse | ResponseType> {
  const invocation = functions.invokeStreaming(functionId, event);
  const result = await Promise.race([invocation, deadline.expired]);
  if (result === 'expired') {
    void invocation.then((late) => late.kind === 'success' && late.body.destroy());
    return 'INTEGRATION_TIMEOUT';
  }
  const head = result.kind === 'success' ? readStreamedHead(result.metadata) : undefined;
  if (result.kind !== 'success' || head === undefined) {
    deadline.cancel();
    if (result.kind !== 'success') return errorOf(result);
    result.body.destroy();
    return 'DEFAULT_5XX';
  }
  const { body } = result;
  body.once('close', () => deadline.cancel());
  void deadline.expired.then(() => body.destroy(new Error('the integration timed out')));
  return answerWith(head, body);
}

function answerWith({ status, headers }: ResponseHead, body: ApiResponse['body']): ApiResponse {
  return { status, headers, body, variables: { 'integration.status': status, integrationStatus: status } };
}

/** An error of the function itself is a malformed response; one of invoking it is a failed integration. */
function errorOf(failure: InvocationFailure): ResponseType {
  if (failure.kind === 'throttled') return 'INTEGRATION_FAILURE';
  return failure.kind === 'request-too-large' ? 'REQUEST_TOO_LARGE' : 'DEFAULT_5XX';
}
