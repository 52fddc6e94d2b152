import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { type Clock, systemClock } from '../clock.ts';
import { createRequestHandler } from './request-handler.ts';

/** Endpoint, region and credentials, where they are not those of the environment. */
export type ClientConfig = Pick<DynamoDBClientConfig, 'credentials'> & {
  readonly endpoint?: string;
  readonly region?: string;
};

/** How a client is to speak to its service. */
export interface ClientOptions {
  readonly config?: ClientConfig | undefined;
  /** Time to open a connection, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** Time for one request, connection and whole answer included, in milliseconds. */
  readonly timeoutMs: number;
  /** @default the machine's clock */
  readonly clock?: Clock | undefined;
}

/** Variables of the environment that may name another endpoint of a service, as the SDKs of AWS have them. */
export type EndpointVariable =
  | 'AWS_ENDPOINT_URL_DYNAMODB'
  | 'AWS_ENDPOINT_URL_RDS_DATA'
  | 'AWS_ENDPOINT_URL_SECRETS_MANAGER'
  | 'AWS_ENDPOINT_URL_SQS';

/**
 * The settings of every client of the SDK: one attempt, since the caller knows what may be repeated; and what is the same
 * for each request is found out once.
 */
export function clientSettings(endpointVariable: EndpointVariable, options: ClientOptions) {
  const { config, clock = systemClock, connectTimeoutMs, timeoutMs } = options;
  const { AWS_REGION: region, [endpointVariable]: endpoint } = process.env;
  return {
    maxAttempts: 1,
    retryMode: 'standard',
    cacheMiddleware: true,
    requestHandler: createRequestHandler({ connectTimeoutMs, timeoutMs, clock }),
    // The one of the environment is read here; the SDK would look in files too.
    ignoreConfiguredEndpointUrls: true,
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...config,
  };
}
