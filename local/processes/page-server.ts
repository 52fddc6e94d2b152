import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { refuseForeignPages } from '../guard/refusal.ts';
import { refused } from '../guard/refused.ts';
import { type LocalServer, listenWhereLast, type PagePort } from './listen-locally.ts';

const REQUEST_TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 64;

/** What is shown at a path. */
export interface Shown {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Buffer;
}

interface PageServerOptions {
  readonly port: PagePort;
  readonly contentSecurityPolicy: string;
  readonly show: (path: string, query: URLSearchParams) => Promise<Shown>;
  /** Answers what is for no page; undefined: it is for one. @default all is for pages */
  readonly take?: (request: IncomingMessage, response: ServerResponse) => Promise<void> | undefined;
}

/** Serves pages to this machine on a port of their own, with the headers of deployed ones. */
export async function servePages(options: PageServerOptions): Promise<LocalServer> {
  const { port, contentSecurityPolicy, show, take } = options;
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const taken = take?.(request, response);
    if (taken !== undefined) return taken;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { Allow: 'GET, HEAD' }).end();
      return;
    }
    const [path = '/', query] = (request.url ?? '/').split('?');
    const { status, contentType, body } = await show(path, new URLSearchParams(query));
    const headers = {
      'Content-Type': contentType,
      'Content-Security-Policy': contentSecurityPolicy,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-cache',
    };
    response.writeHead(status, headers).end(body);
  };
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    if (refused(refuseForeignPages, request, response)) return;
    respond(request, response).catch((error) => response.writeHead(500).end(`${error}\n`));
  });
  server.maxConnections = MAX_CONNECTIONS;
  return listenWhereLast(server, port);
}
