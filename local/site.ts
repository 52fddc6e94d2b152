import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSite } from '../docs/site/build-site.ts';
import { contentSecurityPolicy, siteAnswer, withBaseUrl } from '../docs/site/serve-file.ts';
import type { StageConfig } from '../lib/config.ts';

const HOST = '127.0.0.1';
const REQUEST_TIMEOUT_MS = 10_000;

/** The reference of a run, on a port of its own. */
export interface Site {
  /** Without a slash at the end. */
  readonly url: string;
  close(): Promise<void>;
}

/** Makes the reference of a stage and serves it on a free port of 127.0.0.1, with the headers of a deployed one. */
export async function startSite(config: StageConfig, baseUrl: string): Promise<Site> {
  const files = withBaseUrl(await buildSite(config), baseUrl);
  const headers = {
    'Content-Security-Policy': contentSecurityPolicy(baseUrl),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-cache',
  };
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { Allow: 'GET, HEAD' }).end();
      return;
    }
    const [path = '/'] = (request.url ?? '/').split('?');
    const { status, contentType, body } = siteAnswer(files, path);
    response.writeHead(status, { ...headers, 'Content-Type': contentType }).end(body);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, HOST, resolve);
  });
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
