import { Agent, createServer, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type LocalServer, listenLocally } from '../../local/processes/listen-locally.ts';

const MAX_CONNECTIONS = 256;

/** One request to a service of AWS, and its response. */
export interface Exchange {
  /** The operation, as the AWS JSON protocols name it; empty for a service that uses paths. */
  readonly operation: string;
  readonly request: Buffer;
  readonly status: number;
  readonly response: Buffer;
}

interface CountingProxyOptions {
  /** URL of the service. */
  readonly target: string;
  /** Takes each exchange before its caller gets the response. */
  readonly onExchange: (exchange: Exchange) => void;
  /** What is sent in the place of a request's body. @default what came */
  readonly rewrite?: (operation: string, body: Buffer) => Buffer;
}

/** Stands between functions and a service of AWS on a free port of this machine, and says what goes through it. */
export async function startCountingProxy(options: CountingProxyOptions): Promise<LocalServer> {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_CONNECTIONS });
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, outgoing) => {
    pass(incoming, agent, options).then(
      ({ status, headers, body }) => outgoing.writeHead(status, headers).end(body),
      () => outgoing.destroy(),
    );
  });
  const { url, close } = await listenLocally(server);
  return {
    url,
    async close() {
      await close();
      agent.destroy();
    },
  };
}

async function pass(incoming: IncomingMessage, agent: Agent, options: CountingProxyOptions) {
  const { target, onExchange, rewrite } = options;
  const operation = String(incoming.headers['x-amz-target'] ?? '').replace(/^.*\./, '');
  const received = await buffer(incoming);
  const sent = rewrite?.(operation, received) ?? received;
  const headers = { ...incoming.headers, 'content-length': String(sent.length) };
  const incomingResponse = await exchange(
    new URL(incoming.url ?? '/', target),
    { method: String(incoming.method), headers, agent },
    sent,
  );
  const response = await buffer(incomingResponse);
  const status = Number(incomingResponse.statusCode);
  onExchange({ operation, request: sent, status, response });
  const { 'transfer-encoding': _, connection: __, ...kept } = incomingResponse.headers;
  return { status, headers: { ...kept, 'content-length': response.length }, body: response };
}

function exchange(url: URL, options: RequestOptions, body: Buffer) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request(url, options, resolve);
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}
