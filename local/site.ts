import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buildSite, type SiteFiles } from '../docs/site/build-site.ts';
import { contentSecurityPolicy, siteAnswer, withBaseUrl } from '../docs/site/serve-file.ts';
import type { StageConfig } from '../lib/config/stage-config.ts';
import { type LocalServer, listenWhereLast } from './processes/listen-locally.ts';

const REQUEST_TIMEOUT_MS = 10_000;

/**
 * Serves the reference of a stage on a port of its own, with the headers of a deployed one. It is made when it is first
 * asked for, which takes half a second of a start that few need.
 * @param lastUrl where the reference was in the last run; it is there again if the port is free
 */
export async function startSite(
  config: StageConfig,
  baseUrl: string,
  lastUrl?: string,
): Promise<LocalServer> {
  let made: Promise<SiteFiles> | undefined;
  const files = () => {
    made ??= buildSite(config).then((site) => withBaseUrl(site, baseUrl));
    return made;
  };
  const headers = {
    'Content-Security-Policy': contentSecurityPolicy(baseUrl),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-cache',
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { Allow: 'GET, HEAD' }).end();
      return;
    }
    const [path = '/'] = (request.url ?? '/').split('?');
    const { status, contentType, body } = siteAnswer(await files(), path);
    response.writeHead(status, { ...headers, 'Content-Type': contentType }).end(body);
  };
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    answer(request, response).catch((error) => response.writeHead(500).end(`${error}\n`));
  });
  return listenWhereLast(server, lastUrl);
}
