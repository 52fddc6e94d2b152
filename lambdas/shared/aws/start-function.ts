import { connectSigned } from './signed-service.ts';

const TIMES = { connectTimeoutMs: 500, timeoutMs: 2_000 };
/** Lambda has queued the event. */
const ACCEPTED = 202;

/**
 * Connects to a function of the stage. The result starts one run of it and does not wait for its end; it rejects with an
 * Error if Lambda may not have taken the event. Opens no connection before its first use.
 */
export function connectFunction(functionName: string): () => Promise<void> {
  const send = connectSigned({
    ...TIMES,
    service: 'lambda',
    endpointVariable: 'AWS_ENDPOINT_URL_LAMBDA',
    hostOf: (region) => `lambda.${region}.amazonaws.com`,
  });
  return async () => {
    const { statusCode } = await send({
      method: 'POST',
      path: `/2015-03-31/functions/${encodeURIComponent(functionName)}/invocations`,
      headers: { 'content-type': 'application/json', 'x-amz-invocation-type': 'Event' },
      body: '{}',
    });
    if (statusCode !== ACCEPTED) throw new Error(`Lambda answered with status ${statusCode}`);
  };
}
