import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { DynamoDBClient, DynamoDBClientConfig, GetItemCommandOutput } from '@aws-sdk/client-dynamodb';
import { getSchemaSerdePlugin } from '@smithy/core/schema';
import { Connections } from '../http/connections.ts';
import { sendRequest } from '../http/send-request.ts';
import { type Clock, systemClock } from '../runtime/clock.ts';
import { processBounds, requestsAtATime } from '../runtime/process-bounds.ts';

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

/** Time after which an idle connection is not used again, in milliseconds. */
const IDLE_CONNECTION_MS = 10_000;

interface RequestHandlerOptions extends Pick<AwsClientOptions, 'connectTimeoutMs' | 'timeoutMs'> {
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
    /** Nothing is sent twice. Rejects with an `UpstreamError` if there is no whole response within the times and the size. */
    async handle(request: SignedRequest, { requestTimeout = timeoutMs }: Partial<TimeLeft> = {}) {
      const { method, path, headers, body } = request;
      const received = await sendRequest({
        ...{ method, path, headers, body, connectTimeoutMs },
        connections: connectionsTo(request),
        timeoutMs: requestTimeout,
        maxResponseBytes: MAX_RESPONSE_BYTES,
      });
      const response: ExchangeResponse = {
        statusCode: received.status,
        headers: received.headers as Record<string, string>,
        body: received.body,
      };
      return { response };
    },
    /** The SDK sets options of its own handler so. This one has none that may change. */
    updateHttpClientConfig() {},
    httpHandlerConfigs: () => ({}),
  };
}

/** Largest response that is read, in bytes: a batch of DynamoDB may hold 16 MiB of items. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

/** A request as the SDK hands it over: signed, with all its headers. A query is a part of the path. */
export interface SignedRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number | undefined;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** A whole response, whatever its status, as the SDK takes it. */
export interface ExchangeResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

/** Keys by the bytes that they are made of, as long as the SDK keeps these: it has one signing key a day. */
const keys = new WeakMap<ArrayBufferView, KeyObject>();

/**
 * SHA-256, or its HMAC with a secret, as the signers of the SDK ask for it. The SDK's own hands bytes to Node as the
 * secret: finding out that they are no key takes Node four times as long as the whole HMAC with a key.
 */
export class Sha256 {
  readonly #secret: string | KeyObject | undefined;
  #hash: ReturnType<typeof createHash | typeof createHmac>;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#secret = typeof secret === 'object' ? keyOf(secret) : secret;
    this.#hash = this.#begin();
  }

  update(data: Uint8Array): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    this.#hash = this.#begin();
  }

  #begin() {
    return this.#secret === undefined ? createHash('sha256') : createHmac('sha256', this.#secret);
  }
}

function keyOf(secret: ArrayBuffer | ArrayBufferView): KeyObject {
  if (secret instanceof ArrayBuffer) return createSecretKey(new Uint8Array(secret));
  const { buffer, byteOffset, byteLength } = secret;
  const known = keys.get(secret) ?? createSecretKey(new Uint8Array(buffer, byteOffset, byteLength));
  keys.set(secret, known);
  return known;
}
