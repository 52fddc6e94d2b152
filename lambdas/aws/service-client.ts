import { type Clock, systemClock } from '../clock.ts';
import { Connections } from './connections.ts';
import { type ExchangeAnswer, exchange } from './exchange.ts';
import { type ClientConfig, type Place, readPlace, type ServiceNames } from './place.ts';
import { ExchangeError, ServiceError } from './service-error.ts';
import { createSigner, type SignPost } from './sign-request.ts';

/** The trace that this invocation is part of, as Lambda tells it. */
const TRACE_VARIABLE = '_X_AMZN_TRACE_ID';

/** A service of AWS that takes and gives JSON. */
export interface Service extends ServiceNames {
  readonly contentType: string;
}

export interface ServiceClientOptions {
  readonly service: Service;
  readonly config?: ClientConfig | undefined;
  /** Time to open a connection, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** @default the machine's clock */
  readonly clock?: Clock | undefined;
}

/** One request to a service. */
export interface ServiceRequest {
  readonly path: string;
  /** Names the operation, where the path does not. */
  readonly target?: string;
  /** Goes out as JSON. */
  readonly input: object;
  /** Time for the whole exchange, connection and answer included, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Sends one request, once; resolves with the answer's JSON.
 * @throws ServiceError if the service refuses or fails, ExchangeError if there is no whole answer
 */
export type SendToService = (request: ServiceRequest) => Promise<unknown>;

interface Opened {
  readonly place: Place;
  readonly sign: SignPost;
  readonly connections: Connections;
}

/** Connects to a service of AWS. Reads nothing and opens no connection before its first use. */
export function connectService(options: ServiceClientOptions): SendToService {
  const { service, config = {}, connectTimeoutMs, clock = systemClock } = options;
  let opened: Opened | undefined;

  function open(): Opened {
    const place = readPlace(service, config, process.env);
    const connections = new Connections(place.endpoint.protocol, clock);
    return { place, sign: createSigner(service.name, place.region), connections };
  }

  return async ({ path, target, input, timeoutMs }) => {
    opened ??= open();
    const { place, sign, connections } = opened;
    const { endpoint } = place;
    const body = JSON.stringify(input);
    const unsigned = {
      host: endpoint.host,
      'content-type': service.contentType,
      ...(target !== undefined && { 'x-amz-target': target }),
    };
    const credentials = await place.credentials();
    const headers = traced(sign({ path, headers: unsigned, body }, credentials, clock.now()));
    const agent = connections.take();
    return readAnswer(await exchange({ endpoint, path, headers, body, agent, connectTimeoutMs, timeoutMs }));
  };
}

/** The trace goes along unsigned: what a request passes on its way may change it. */
function traced(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const trace = process.env[TRACE_VARIABLE];
  return trace === undefined ? headers : { ...headers, 'x-amzn-trace-id': trace };
}

function readAnswer({ status, headers, body }: ExchangeAnswer): unknown {
  if (status === 200) {
    const answer = parse(body);
    if (answer === undefined) throw new ExchangeError('an answer that is not JSON', true);
    return answer;
  }
  const fields = Object(parse(body)) as Readonly<Record<string, unknown>>;
  const type = headers['x-amzn-errortype'] ?? fields.__type ?? `HTTP ${status}`;
  const message = fields.message ?? fields.Message ?? '';
  throw new ServiceError(errorName(String(type)), String(message), status, fields);
}

/** The name of an error's type, such as `com.amazonaws.dynamodb.v20120810#ThrottlingException:http://...`. */
function errorName(type: string): string {
  const [name = ''] = type.split(':');
  return name.slice(name.indexOf('#') + 1);
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
