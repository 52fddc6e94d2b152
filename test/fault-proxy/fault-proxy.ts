import { once } from 'node:events';
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the proxy does to one request. */
export type ProxyFault =
  | 'killed before forwarding'
  | 'killed after applying'
  | 'reset before forwarding'
  | 'reset after applying'
  /** Forwarded once the client has left. */
  | 'request late'
  /** Forwarded at once, and answered once the client has left. */
  | 'answer late'
  /** Forwarded twice; the client gets the first answer. */
  | 'doubled'
  /** Forwarded twice; the client gets the second answer. */
  | 'doubled, second answer'
  | 'throttled'
  | 'in conflict'
  | 'failed'
  | 'failed after applying'
  | 'answer cut off'
  | 'answer not readable';

export const PROXY_FAULTS: readonly ProxyFault[] = [
  'killed before forwarding',
  'killed after applying',
  'reset before forwarding',
  'reset after applying',
  'request late',
  'answer late',
  'doubled',
  'doubled, second answer',
  'throttled',
  'in conflict',
  'failed',
  'failed after applying',
  'answer cut off',
  'answer not readable',
];

/** A request to DynamoDB, as far as it says which write it is. */
export interface ProxiedRequest {
  /** Such as `UpdateItem`. */
  readonly operation: string;
  readonly body: string;
}

/** An HTTP proxy before a DynamoDB emulator. */
export interface FaultProxy {
  readonly endpoint: string;
  /** Lets a fault happen to so many of the next requests that match, and to no other. */
  inject(fault: ProxyFault, matches: (request: ProxiedRequest) => boolean, times: number): void;
  /** Requests to which a fault has happened. */
  readonly hits: number;
  /** Resolves when everything that was forwarded late has been answered. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

interface PlannedFault {
  readonly fault: ProxyFault;
  readonly matches: (request: ProxiedRequest) => boolean;
  times: number;
}

interface ForwardedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** One request while the proxy works on it. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly forward: () => Promise<ForwardedResponse>;
  readonly operation: string;
}

const JSON_TYPE = { 'content-type': 'application/x-amz-json-1.0' };

/** Starts a proxy on a free port of 127.0.0.1. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const agent = new Agent({ keepAlive: true });
  const underWay = new Set<Promise<void>>();
  let planned: PlannedFault | undefined;
  let hits = 0;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readAll(request);
    const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
    const forward = () => send(agent, target, request, body);
    const next = planned;
    if (next?.matches({ operation, body: body.toString() }) !== true)
      return answer(response, await forward());
    hits += 1;
    next.times -= 1;
    if (next.times === 0) planned = undefined;
    await commit(next.fault, { request, response, forward, operation });
  };
  const server = createServer((request, response) => {
    const work = serve(request, response)
      .catch(() => {
        response.destroy();
      })
      .finally(() => underWay.delete(work));
    underWay.add(work);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    inject: (fault, matches, times) => {
      planned = { fault, matches, times };
    },
    get hits() {
      return hits;
    },
    settled: async () => {
      await Promise.all(underWay);
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await Promise.all(underWay);
      agent.destroy();
    },
  };
}

async function commit(fault: ProxyFault, { request, response, forward, operation }: Exchange): Promise<void> {
  const { socket } = request;
  const givenUp = once(response, 'close');
  switch (fault) {
    case 'killed before forwarding':
      socket.destroy();
      return;
    case 'reset before forwarding':
      socket.resetAndDestroy();
      return;
    case 'killed after applying':
      await forward();
      socket.destroy();
      return;
    case 'reset after applying':
      await forward();
      socket.resetAndDestroy();
      return;
    case 'request late':
      await givenUp;
      await forward();
      return;
    case 'answer late':
      await forward();
      await givenUp;
      return;
    case 'doubled': {
      const first = await forward();
      await forward();
      return answer(response, first);
    }
    case 'doubled, second answer':
      await forward();
      return answer(response, await forward());
    case 'throttled':
      return refuse(response, 400, 'ThrottlingException');
    case 'in conflict':
      return operation === 'TransactWriteItems'
        ? refuse(response, 400, 'TransactionCanceledException', [
            { Code: 'TransactionConflict' },
            { Code: 'None' },
          ])
        : refuse(response, 400, 'TransactionConflictException');
    case 'failed':
      return refuse(response, 500, 'InternalServerError');
    case 'failed after applying':
      await forward();
      return refuse(response, 500, 'InternalServerError');
    case 'answer cut off': {
      const { status, body } = await forward();
      response.writeHead(status, { ...JSON_TYPE, 'content-length': body.length });
      response.write(body.subarray(0, body.length / 2), () => socket.destroy());
      return;
    }
    case 'answer not readable':
      await forward();
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
      return;
  }
}

function refuse(
  response: ServerResponse,
  status: number,
  name: string,
  CancellationReasons?: readonly { readonly Code: string }[],
): void {
  const __type = `com.amazonaws.dynamodb.v20120810#${name}`;
  response.writeHead(status, JSON_TYPE).end(JSON.stringify({ __type, message: name, CancellationReasons }));
}

function answer(response: ServerResponse, { status, headers, body }: ForwardedResponse): void {
  response.writeHead(status, { ...headers, 'content-length': body.length }).end(body);
}

async function send(
  agent: Agent,
  target: string,
  { url, method, headers }: IncomingMessage,
  body: Buffer,
): Promise<ForwardedResponse> {
  const forwarded = httpRequest(new URL(url ?? '/', target), { agent, method, headers });
  forwarded.end(body);
  const [response] = (await once(forwarded, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, body: await readAll(response) };
}

async function readAll(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
