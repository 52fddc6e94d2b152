import type { SiteFiles } from '../docs/site/build-site.ts';
import { contentSecurityPolicy, siteResponse, withBaseUrl } from '../docs/site/serve-file.ts';
import type { StageConfig } from '../lib/config/stage-config.ts';
import type { Dashboard } from './dashboard/dashboard.ts';
import { showDashboard } from './dashboard/show-dashboard.ts';
import type { LocalServer, PagePort } from './processes/listen-locally.ts';
import { servePages } from './processes/page-server.ts';
import { isTried, respondToTried } from './try-requests.ts';

/** Mark of pages whose requests can be tried. */
const TRIED_HERE = '<html lang="en" data-try>';

/**
 * Serves the reference of a stage, and its dashboard. The reference is made when it is first asked for, which takes half a second
 * of a start that few need.
 */
export async function startSite(
  config: StageConfig,
  baseUrl: string,
  { dashboard, ...port }: PagePort & { readonly dashboard?: Dashboard } = {},
): Promise<LocalServer> {
  let made: Promise<SiteFiles> | undefined;
  return servePages({
    port,
    contentSecurityPolicy: contentSecurityPolicy(`${baseUrl}/v1/status`),
    take: (request, response) =>
      isTried(request.url) ? respondToTried(request, response, baseUrl) : undefined,
    show: async (path, query) => {
      const shown = dashboard && showDashboard(dashboard, path, query);
      if (shown !== undefined) return shown;
      made ??= makeSite(config, baseUrl);
      const { body, ...rest } = siteResponse(await made, path);
      return { ...rest, body: body.replace('<html lang="en">', TRIED_HERE) };
    },
  });
}

/** Loads what makes the pages, too: a start need not wait for it. */
async function makeSite(config: StageConfig, baseUrl: string): Promise<SiteFiles> {
  const { buildSite } = await import('../docs/site/build-site.ts');
  return withBaseUrl(await buildSite(config, { forOperators: true }), baseUrl);
}
