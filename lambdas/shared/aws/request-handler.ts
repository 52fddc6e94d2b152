import { Connections } from '../http/connections.ts';
import type { Clock } from '../runtime/clock.ts';
import { processBounds, requestsAtATime } from '../runtime/process-bounds.ts';
import { exchange, type SignedExchange, type SignedRequest } from './exchange.ts';

/** Time after which an idle connection is not used again, in milliseconds. */
const IDLE_CONNECTION_MS = 10_000;

interface RequestHandlerOptions extends Pick<SignedExchange, 'connectTimeoutMs' | 'timeoutMs'> {
  readonly clock: Clock;
}

/** Option of a single request: less time than its client gives. The SDK then puts its steps together anew, which takes time. */
export interface TimeLeft {
  /** Time for connection and whole response, in milliseconds. */
  readonly requestTimeout: number;
}

/**
 * Sends the SDK's signed requests in place of its own handler. That one bounds the time until a response begins and
 * pauses within it, but neither the whole time nor the size, and it sends into connections that were idle for long.
 */
export function createRequestHandler({ connectTimeoutMs, timeoutMs, clock }: RequestHandlerOptions) {
  const { awsConnections } = processBounds(requestsAtATime(), 0);
  /** By the origin of its server: a client has one, or few. */
  const servers = new Map<string, Connections>();

  function connectionsTo({ protocol, hostname, port }: SignedRequest): Connections {
    const origin = `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}`;
    const known = servers.get(origin);
    if (known !== undefined) return known;
    const bounds = { most: awsConnections, mostIdle: awsConnections, idleMs: IDLE_CONNECTION_MS };
    const connections = new Connections({ origin, clock, ...bounds });
    servers.set(origin, connections);
    return connections;
  }

  return {
    metadata: { handlerProtocol: 'http/1.1' },
    async handle(request: SignedRequest, { requestTimeout = timeoutMs }: Partial<TimeLeft> = {}) {
      const connections = connectionsTo(request);
      return {
        response: await exchange({ request, connections, connectTimeoutMs, timeoutMs: requestTimeout }),
      };
    },
    /** The SDK sets options of its own handler so. This one has none that may change. */
    updateHttpClientConfig() {},
    httpHandlerConfigs: () => ({}),
  };
}
