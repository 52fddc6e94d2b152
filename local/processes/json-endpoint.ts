import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { refuseOtherClients } from '../guard/refusal.ts';
import { refused } from '../guard/refused.ts';
import { type LocalServer, listenLocally } from './listen-locally.ts';

const REQUEST_TIMEOUT_MS = 60_000;

/** An error as an AWS service tells it: the SDK makes an exception of this name of it. */
export class ServiceError extends Error {
  override readonly name: string;
  readonly status: number;

  constructor(name: string, message: string, status = 400) {
    super(message);
    this.name = name;
    this.status = status;
  }
}

/** A call: what tells the operation, and the request's JSON object. */
export interface ServiceCall {
  readonly path: string;
  readonly target: string | undefined;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface EndpointOptions {
  readonly maxRequestBytes: number;
  /** Of requests and responses. */
  readonly contentType: string;
  /** The only access key that it knows. */
  readonly accessKeyId: string;
  /** Status of what is answered without an error. @default 200 */
  readonly status?: number;
  /** Answers one call with JSON text; may reject with a ServiceError. */
  respond(call: ServiceCall): Promise<string>;
}

/** Serves an AWS service that takes and gives JSON, on a free port of 127.0.0.1. */
export async function startJsonEndpoint(options: EndpointOptions): Promise<LocalServer> {
  // No connection ends while it is idle: a client could send its next request just then, and not know what became of it.
  const timeouts = { requestTimeout: REQUEST_TIMEOUT_MS, keepAliveTimeout: 0 };
  const refuse = refuseOtherClients(options.contentType, options.accessKeyId);
  const server = createServer(timeouts, (request, response) => {
    if (!refused(refuse, request, response)) void serve(options, request, response);
  });
  return listenLocally(server);
}

async function serve(
  options: EndpointOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { status, headers, body } = await respondToCall(options, request.url ?? '', request.headers, () =>
    readBody(request, options.maxRequestBytes),
  );
  response.writeHead(status, headers).end(body);
}

/** A response of a service, before it is sent. */
export interface ServiceResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Answers a request as its service does. */
export async function respondToCall(
  options: EndpointOptions,
  path: string,
  { 'x-amz-target': target }: Readonly<Record<string, string | readonly string[] | undefined>>,
  readText: () => Promise<string>,
): Promise<ServiceResponse> {
  const headers = { 'content-type': options.contentType, 'x-amzn-requestid': randomUUID() };
  try {
    const input = parseInput(await readText());
    const call = { path, target: typeof target === 'string' ? target : undefined, input };
    return { status: options.status ?? 200, headers, body: await options.respond(call) };
  } catch (error) {
    const failure =
      error instanceof ServiceError
        ? error
        : new ServiceError('InternalServerErrorException', String(error), 500);
    const { name, message, status } = failure;
    const body = JSON.stringify({ __type: name, message });
    return { status, headers: { ...headers, 'x-amzn-errortype': name }, body };
  }
}

/** Reads to the end also what is too long, so that the client hears why it is refused. */
async function readBody(request: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= maxBytes) chunks.push(chunk);
  }
  if (length > maxBytes) throw new ServiceError('BadRequestException', 'Request size exceeds the limit', 413);
  return Buffer.concat(chunks).toString('utf8');
}

function parseInput(body: string): Readonly<Record<string, unknown>> {
  try {
    const input: unknown = JSON.parse(body);
    if (typeof input === 'object' && input !== null) return input as Record<string, unknown>;
  } catch {
    // Reported below, like a body that is no object.
  }
  throw new ServiceError('SerializationException', 'the request is not a JSON object');
}
