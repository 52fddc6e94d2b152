import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { refuseForeignPages } from '../guard/refusal.ts';
import { refused } from '../guard/refused.ts';
import { type LocalServer, listenWhereLast, type PagePort } from '../processes/listen-locally.ts';
import type { Dashboard } from './dashboard.ts';
import { bundlePage, type PageFiles } from './page-files.ts';
import { DEFAULT_RANGE_SECONDS, RANGES } from './view.ts';

const MAX_CONNECTIONS = 64;
const REQUEST_TIMEOUT_MS = 10_000;
/** How often samples are taken and alarms judged. */
const TICK_MS = 2_000;
/** The page needs its own files only, and no script of any other origin can be put into it. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
const HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};

/**
 * Serves the page of a dashboard on a port of its own, and keeps the dashboard ticking. The page is bundled when it is
 * first asked for: most runs are never looked at.
 */
export async function startDashboardServer(dashboard: Dashboard, port: PagePort = {}): Promise<LocalServer> {
  let bundled: Promise<PageFiles> | undefined;
  const files = () => {
    bundled ??= bundlePage();
    return bundled;
  };

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '', query] = (request.url ?? '').split('?');
    const send = (status: number, contentType: string, content: Buffer | string) =>
      response.writeHead(status, { ...HEADERS, 'Content-Type': contentType }).end(content);
    if (request.method !== 'GET') return void send(405, 'text/plain', 'only GET');
    if (path === '/view.json') {
      const requested = Number(new URLSearchParams(query).get('range'));
      const range = Object.hasOwn(RANGES, requested) ? requested : DEFAULT_RANGE_SECONDS;
      return void send(200, 'application/json', JSON.stringify(dashboard.view(range)));
    }
    const file = (await files()).get(path);
    if (file === undefined) return void send(404, 'text/plain', 'not found');
    send(200, file.contentType, file.content);
  }

  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    if (refused(refuseForeignPages, request, response)) return;
    respond(request, response).catch((error) => response.writeHead(500).end(`${error}\n`));
  });
  server.maxConnections = MAX_CONNECTIONS;
  const { url, close } = await listenWhereLast(server, port);
  dashboard.tick();
  const ticking = setInterval(dashboard.tick, TICK_MS);
  return {
    url,
    async close() {
      clearInterval(ticking);
      await close();
    },
  };
}
