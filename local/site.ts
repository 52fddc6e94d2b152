import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { StageConfig } from '../lib/config/stage-config.ts';
import type { DashboardPages } from './dashboard/view.ts';
import { refuseForeignPages } from './guard/refusal.ts';
import { refused } from './guard/refused.ts';
import { type LocalServer, listenWhereLast, type PagePort } from './processes/listen-locally.ts';
import { isTried, respondToTried } from './try-requests.ts';

const REQUEST_TIMEOUT_MS = 10_000;

/** Mark of pages whose requests can be tried. */
const TRIED_HERE = '<html lang="en" data-try>';

/** The pages that a dashboard leads to. @param url of the site, without a slash at its end */
export function pagesForDashboard(url: string): DashboardPages {
  return { reference: url, status: `${url}/status.html`, runbook: `${url}/runbook.html` };
}

/** Response to a path of the reference. */
interface SiteResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Serves the reference of a stage on a port of its own, with the headers of a deployed one. It is made when it is first
 * asked for, which takes half a second of a start that few need.
 */
export async function startSite(
  config: StageConfig,
  baseUrl: string,
  port: PagePort = {},
): Promise<LocalServer> {
  let made: Promise<(path: string) => SiteResponse> | undefined;
  const site = () => {
    made ??= makeSite(config, baseUrl);
    return made;
  };
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    if (isTried(request.url)) return respondToTried(request, response, baseUrl);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { Allow: 'GET, HEAD' }).end();
      return;
    }
    const [path = '/'] = (request.url ?? '/').split('?');
    const { status, headers, body } = (await site())(path);
    response.writeHead(status, headers).end(body);
  };
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    if (refused(refuseForeignPages, request, response)) return;
    respond(request, response).catch((error) => response.writeHead(500).end(`${error}\n`));
  });
  return listenWhereLast(server, port);
}

/** Loads what makes the pages, too: a start need not wait for it. */
async function makeSite(config: StageConfig, baseUrl: string): Promise<(path: string) => SiteResponse> {
  const [{ buildSite }, { contentSecurityPolicy, siteResponse, withBaseUrl }] = await Promise.all([
    import('../docs/site/build-site.ts'),
    import('../docs/site/serve-file.ts'),
  ]);
  const files = withBaseUrl(await buildSite(config, { forOperators: true }), baseUrl);
  const shown = (body: string) => body.replace('<html lang="en">', TRIED_HERE);
  const headers = {
    'Content-Security-Policy': contentSecurityPolicy(baseUrl),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-cache',
  };
  return (path) => {
    const { status, contentType, body } = siteResponse(files, path);
    return { status, headers: { ...headers, 'Content-Type': contentType }, body: shown(body) };
  };
}
