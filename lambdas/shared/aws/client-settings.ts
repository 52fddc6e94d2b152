import type { DynamoDBClient, DynamoDBClientConfig, GetItemCommandOutput } from '@aws-sdk/client-dynamodb';
import { getSchemaSerdePlugin } from '@smithy/core/schema';
import { type Clock, systemClock } from '../runtime/clock.ts';
import { createRequestHandler } from './request-handler.ts';
import { Sha256 } from './sha256.ts';

/** Endpoint, region and credentials, where they are not those of the environment. */
export type ClientConfig = Pick<DynamoDBClientConfig, 'credentials'> & {
  readonly endpoint?: string;
  readonly region?: string;
};

/** How a client is to speak to its service. */
export interface AwsClientOptions {
  readonly config?: ClientConfig | undefined;
  /** Time to open a connection, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** Time for one request, connection and whole response included, in milliseconds. */
  readonly timeoutMs: number;
  /** @default the machine's clock */
  readonly clock?: Clock | undefined;
}

/** Variable of the environment that may name another endpoint of a service, as the SDKs of AWS have them. */
export type EndpointVariable = `AWS_ENDPOINT_URL_${Uppercase<string>}`;

/** Without a mode: the SDK would add it to what it keeps of a kind of request, once for each that is sent. */
const ONE_ATTEMPT: Extract<DynamoDBClientConfig['retryStrategy'], { retry: unknown }> = {
  retry: (next, args) => next(args),
};

/**
 * The settings of every client of the SDK: one attempt, because the caller knows which requests may be repeated. Values
 * that are the same for each request are computed once.
 */
export function clientSettings(endpointVariable: EndpointVariable, options: AwsClientOptions) {
  const { config, clock = systemClock, connectTimeoutMs, timeoutMs } = options;
  const { AWS_REGION: region, [endpointVariable]: endpoint } = process.env;
  return {
    maxAttempts: 1,
    retryStrategy: ONE_ATTEMPT,
    cacheMiddleware: true,
    sha256: Sha256,
    requestHandler: createRequestHandler({ connectTimeoutMs, timeoutMs, clock }),
    // The one of the environment is read here; the SDK would look in files too.
    ignoreConfiguredEndpointUrls: true,
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...config,
  };
}

type MetadataBearer = Pick<GetItemCommandOutput, '$metadata'>;

/** A client of the SDK, of whichever service. */
interface SdkClient<Input extends object, Output extends MetadataBearer> {
  config: Pick<DynamoDBClient['config'], 'signer'> & Parameters<typeof getSchemaSerdePlugin>[0];
  readonly middlewareStack: {
    remove(name: string): boolean;
    use(plugin: ReturnType<typeof getSchemaSerdePlugin<Input, Output>>): void;
  };
}

/** Steps of every request that have no use here: what they prepare for a log, and what they tell of the SDK. */
const UNUSED_STEPS = ['loggerMiddleware', 'getUserAgentMiddleware'];

/**
 * Saves a client work that is the same for each request, or for nothing. Its signer is made once. The SDK copies all
 * settings three times a request: V8 has the object that they were added to, one by one, as a hash table. A copy of it
 * is a plain object, which is copied a hundred times faster.
 */
export function lightenClient<Input extends object, Output extends MetadataBearer>(
  client: SdkClient<Input, Output>,
): void {
  const { config, middlewareStack } = client;
  for (const step of UNUSED_STEPS) middlewareStack.remove(step);
  const makeSigner = config.signer;
  let signer: ReturnType<typeof makeSigner> | undefined;
  config.signer = (scheme) => {
    signer ??= makeSigner(scheme);
    return signer;
  };
  client.config = { ...config };
  middlewareStack.use(getSchemaSerdePlugin(client.config));
}
