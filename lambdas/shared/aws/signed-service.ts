import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { systemClock } from '../runtime/clock.ts';
import {
  type AwsClientOptions,
  clientSettings,
  createRequestHandler,
  type EndpointVariable,
  type ExchangeResponse,
  type SignedRequest,
} from './client-settings.ts';

/** Times of the start of a function, in milliseconds. */
const START_TIMES = { connectTimeoutMs: 500, timeoutMs: 2_000 };
/** Lambda has queued the event. */
const ACCEPTED = 202;

/** A service of AWS whose client the SDK has in a package of its own, of which one or two requests are needed. */
interface SignedServiceOptions extends AwsClientOptions {
  /** Name of the service, as signatures have it: `s3`, `kms`. */
  readonly service: string;
  readonly endpointVariable: EndpointVariable;
  /** Host in a region of AWS. */
  readonly hostOf: (region: string) => string;
}

/** One request of a service. */
interface ServiceRequest {
  readonly method: string;
  /** Of letters, digits and `/._-`, and of what is percent-encoded: what signatures write in another way does not occur. */
  readonly path: string;
  /** Names and values of its query, not yet encoded. */
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Sends one request, once. Rejects with an `UpstreamError` if there is no whole response. */
type SendSigned = (request: ServiceRequest) => Promise<ExchangeResponse>;

/**
 * Signs requests with the SDK and sends them as its clients here do. A client of S3 would add a tenth of a mebibyte to the
 * layer, for two requests. Opens no connection before its first use.
 */
export function connectSigned(options: SignedServiceOptions): SendSigned {
  const { service, endpointVariable, hostOf, clock = systemClock, connectTimeoutMs, timeoutMs } = options;
  const handler = createRequestHandler({ connectTimeoutMs, timeoutMs, clock });
  let opened: ReturnType<typeof open> | undefined;

  async function open() {
    const settings = clientSettings(endpointVariable, options);
    // Its credentials, its region and its signer; it sends nothing itself.
    const { config } = new DynamoDBClient(settings);
    const region = await config.region();
    const signer = await config.signer({
      schemeId: 'aws.auth#sigv4',
      name: 'sigv4',
      signingName: service,
      signingRegion: region,
      properties: {},
    } as Parameters<typeof config.signer>[0]);
    return { signer, url: new URL(settings.endpoint ?? `https://${hostOf(region)}`) };
  }

  return async ({ method, path, query = {}, headers = {}, body }) => {
    opened ??= open();
    const { signer, url } = await opened;
    const { protocol, hostname, host, port } = url;
    const unsigned = {
      method,
      protocol,
      hostname,
      ...(port !== '' && { port: Number(port) }),
      path,
      query,
      headers: {
        host,
        ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    };
    const signed = await signer.sign(unsigned);
    const { response } = await handler.handle({ ...(signed as SignedRequest), path: withQuery(path, query) });
    return response;
  };
}

/** Encoded as signatures encode it: a space is %20. */
function withQuery(path: string, query: Readonly<Record<string, string>>): string {
  const pairs = new URLSearchParams(query).toString().replaceAll('+', '%20');
  return pairs === '' ? path : `${path}?${pairs}`;
}

/** Invokes a function, by its name or with its version behind a colon; resolves to whatever Lambda answers. */
type InvokeFunction = (
  functionName: string,
  event: object,
  headers?: Readonly<Record<string, string>>,
) => Promise<ExchangeResponse>;

/** Connects to Lambda. Opens no connection before its first use. */
export function connectLambda(times: AwsClientOptions): InvokeFunction {
  const send = connectSigned({
    ...times,
    service: 'lambda',
    endpointVariable: 'AWS_ENDPOINT_URL_LAMBDA',
    hostOf: (region) => `lambda.${region}.amazonaws.com`,
  });
  return (functionName, event, headers = {}) =>
    send({
      method: 'POST',
      path: `/2015-03-31/functions/${encodeURIComponent(functionName)}/invocations`,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(event),
    });
}

/**
 * Connects to a function of the stage. The result starts one run of it and does not wait for its end; it rejects with an
 * Error if Lambda may not have taken the event. Opens no connection before its first use.
 */
export function connectFunction(functionName: string): () => Promise<void> {
  const invoke = connectLambda(START_TIMES);
  return async () => {
    const { statusCode } = await invoke(functionName, {}, { 'x-amz-invocation-type': 'Event' });
    if (statusCode !== ACCEPTED) throw new Error(`Lambda answered with status ${statusCode}`);
  };
}
