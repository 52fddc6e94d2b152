import { systemClock } from '../../lambdas/shared/runtime/clock.ts';
import type { Resolver } from '../template/intrinsics.ts';
import type { Template } from '../template/template.ts';
import type { LocalServices } from './environment-variables.ts';
import { createSharedPool, type SharedPool } from './shared-pool.ts';
import { StreamingRate } from './streaming-rate.ts';
import { readWebFunctions, type WebConfiguration } from './web-configuration.ts';
import { WebEnvironment } from './web-environment.ts';
import { lambdaResponse, type WebRequest, type WebResponse } from './web-response.ts';

/** Bytes of a response that API Gateway streams as fast as they come; what follows goes at the rate of other functions. */
const BURST_BYTES = 10_000_000;

export interface WebFunctionsOptions extends LocalServices {
  readonly template: Template;
  readonly resolver: Resolver;
  onLog(logicalId: string, line: string): void;
  /** Told of each response of an endpoint. */
  onResponse?(endpoint: Pick<WebConfiguration, 'name' | 'endpointName'>, status: number): void;
  readonly streamedBytesPerSecond?: number;
  /** How long an environment without a request is kept, in milliseconds. @default five minutes */
  readonly idleMs?: number;
}

/** The web functions of a template, running on this machine. */
export interface WebFunctions {
  /** Sends a request to the endpoint of this name; undefined: there is none. */
  request(domainName: string, request: WebRequest): Promise<WebResponse> | undefined;
  close(): Promise<void>;
}

/**
 * Makes the web functions of a template ready. They scale from none: the first request starts an environment and waits for it,
 * and so does one that finds all full. Where no other may be started, Lambda refuses it at once.
 */
export function createWebFunctions(options: WebFunctionsOptions): WebFunctions {
  const { template, resolver, onLog, idleMs, streamedBytesPerSecond } = options;
  const pools = new Map<string, SharedPool<WebRequest, WebResponse>>();
  for (const configuration of readWebFunctions(template, resolver)) {
    const onLine = (line: string) => onLog(configuration.logicalId, line);
    const pool = createSharedPool<WebEnvironment, WebRequest, WebResponse>({
      maxEnvironments: configuration.maxEnvironments,
      start: (events) =>
        new WebEnvironment(configuration, options, events, {
          onLine,
          ...(idleMs !== undefined && { idleMs }),
        }),
      serve: (environment, request) => environment.request(request),
      refused: () => lambdaResponse('full'),
      waitsWhenFull: false,
    });
    pools.set(configuration.domainName, {
      ...pool,
      take: async (request) => {
        const response = await pool.take(request);
        options.onResponse?.(configuration, response.status);
        return response;
      },
    });
  }
  return {
    request(domainName, request) {
      return pools.get(domainName)?.take(request).then(atLambdasRate(streamedBytesPerSecond));
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
    },
  };
}

function atLambdasRate(bytesPerSecond: number | undefined): (response: WebResponse) => WebResponse {
  return (response) => {
    if (response.isOfLambda) return response;
    const { body } = response;
    const rate = new StreamingRate(systemClock, bytesPerSecond, BURST_BYTES);
    body.once('error', (error) => rate.destroy(error));
    // A body that breaks off ends without an error of its own.
    body.once('close', () => body.readableEnded || rate.destroy(new Error('the answer broke off')));
    rate.once('close', () => body.destroy());
    return { ...response, body: body.pipe(rate) };
  };
}
