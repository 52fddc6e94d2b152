import { ServiceError, startJsonEndpoint } from '../processes/json-endpoint.ts';
import type { LocalServer } from '../processes/listen-locally.ts';

/** The largest event of an asynchronous invocation on Lambda. */
const MAX_REQUEST_BYTES = 1024 * 1024;
const INVOCATION = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/;
/** Lambda has queued the event. */
const ACCEPTED = 202;

/** What starts each function, by its name: with an event, and without waiting for its end. */
export type StartedFunctions = Map<string, (event: object) => void>;

/** Serves the asynchronous invocations of Lambda, which functions start others by. `functions` may be filled later. */
export function startLambdaEndpoint(functions: StartedFunctions, accessKeyId: string): Promise<LocalServer> {
  return startJsonEndpoint({
    maxRequestBytes: MAX_REQUEST_BYTES,
    contentType: 'application/json',
    accessKeyId,
    status: ACCEPTED,
    respond: async ({ path, input }) => {
      const name = decodeURIComponent(INVOCATION.exec(path)?.[1] ?? '');
      const start = functions.get(name);
      if (start === undefined)
        throw new ServiceError('ResourceNotFoundException', `no function ${name}`, 404);
      start(input);
      return '';
    },
  });
}
