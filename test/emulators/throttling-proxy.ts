import { once } from 'node:events';
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A request to DynamoDB, as far as it says which one it is. */
interface ProxiedRequest {
  /** Such as `UpdateItem`. */
  readonly operation: string;
  readonly body: string;
}

/** An HTTP proxy before a DynamoDB emulator. */
export interface ThrottlingProxy {
  readonly endpoint: string;
  /** Refuses the requests that match from now on, and no other, as DynamoDB does that is asked too much. */
  throttle(matches: (request: ProxiedRequest) => boolean): void;
  /** Requests that were refused. */
  readonly hits: number;
  close(): Promise<void>;
}

const THROTTLED = JSON.stringify({
  __type: 'com.amazonaws.dynamodb.v20120810#ThrottlingException',
  message: 'ThrottlingException',
});

/** Starts a proxy on a free port of 127.0.0.1. */
export async function startThrottlingProxy(target: string): Promise<ThrottlingProxy> {
  const agent = new Agent({ keepAlive: true });
  let isThrottled: (request: ProxiedRequest) => boolean = () => false;
  let hits = 0;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
    if (isThrottled({ operation, body: body.toString() })) {
      hits += 1;
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' }).end(THROTTLED);
      return;
    }
    const { method, headers, url } = request;
    const forwarded = httpRequest(new URL(url ?? '/', target), { agent, method, headers });
    forwarded.end(body);
    const [answered] = (await once(forwarded, 'response')) as [IncomingMessage];
    const sent = await buffer(answered);
    const { statusCode = 0 } = answered;
    response.writeHead(statusCode, { ...answered.headers, 'content-length': sent.length }).end(sent);
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    throttle: (matches) => {
      isThrottled = matches;
    },
    get hits() {
      return hits;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}
