import { createServer } from 'node:http';
import { buildSite } from '../docs/site/build-site.ts';
import { contentSecurityPolicy, siteAnswer, withBaseUrl } from '../docs/site/serve-file.ts';
import type { StageConfig } from '../lib/config/stage-config.ts';
import { type LocalServer, listenWhereLast } from './processes/listen-locally.ts';

const REQUEST_TIMEOUT_MS = 10_000;

/**
 * Makes the reference of a stage and serves it on a port of its own, with the headers of a deployed one.
 * @param lastUrl where the reference was in the last run; it is there again if the port is free
 */
export async function startSite(
  config: StageConfig,
  baseUrl: string,
  lastUrl?: string,
): Promise<LocalServer> {
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
  return listenWhereLast(server, lastUrl);
}
