import type { Clock } from '../runtime/clock.ts';
import { Connections } from './connections.ts';
import { exchange, type SignedExchange, type SignedRequest } from './exchange.ts';

export interface RequestHandlerOptions extends Pick<SignedExchange, 'connectTimeoutMs' | 'timeoutMs'> {
  readonly clock: Clock;
}

/** Option of a single request: less time than its client gives. The SDK then puts its steps together anew, which takes time. */
export interface TimeLeft {
  /** Time for connection and whole answer, in milliseconds. */
  readonly requestTimeout: number;
}

/**
 * Sends the SDK's signed requests in place of its own handler. That one bounds the time until a response begins and
 * pauses within it, but neither the whole time nor the size, and it sends into connections that were idle for long.
 */
export function createRequestHandler({ connectTimeoutMs, timeoutMs, clock }: RequestHandlerOptions) {
  let connections: Connections | undefined;
  return {
    metadata: { handlerProtocol: 'http/1.1' },
    async handle(request: SignedRequest, { requestTimeout = timeoutMs }: Partial<TimeLeft> = {}) {
      connections ??= new Connections(request.protocol, clock);
      const agent = connections.take();
      return { response: await exchange({ request, agent, connectTimeoutMs, timeoutMs: requestTimeout }) };
    },
    /** The SDK sets options of its own handler so. This one has none that may change. */
    updateHttpClientConfig() {},
    httpHandlerConfigs: () => ({}),
  };
}
