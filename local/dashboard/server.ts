import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentSecurityPolicy, contentTypeOf } from '../../docs/site/serve-file.ts';
import type { LocalServer, PagePort } from '../processes/listen-locally.ts';
import { type Shown, servePages } from '../processes/page-server.ts';
import type { Dashboard } from './dashboard.ts';
import { drawPage } from './draw-page.ts';
import { DEFAULT_RANGE_SECONDS, RANGES } from './view.ts';

const PAGE = join(import.meta.dirname, 'page');
/** What the page loads, by its path. */
const FILES: ReadonlySet<string> = new Set(['/page.css', '/page.js', '/icon.svg']);
/** How often samples are taken and alarms judged. */
const TICK_MS = 2_000;
const NOT_FOUND: Shown = { status: 404, contentType: 'text/plain', body: 'not found' };

/** Serves the page of a dashboard on a port of its own, and keeps the dashboard ticking. */
export async function startDashboardServer(dashboard: Dashboard, port: PagePort = {}): Promise<LocalServer> {
  const { url, close } = await servePages({
    port,
    contentSecurityPolicy: contentSecurityPolicy(),
    show: async (path, query) => {
      if (FILES.has(path))
        return { status: 200, contentType: contentTypeOf(path), body: readFileSync(join(PAGE, path)) };
      if (path !== '/') return NOT_FOUND;
      const requested = Number(query.get('range'));
      const range = Object.hasOwn(RANGES, requested) ? requested : DEFAULT_RANGE_SECONDS;
      const body = drawPage(dashboard.view(range), query.get('chain') ?? '');
      return { status: 200, contentType: contentTypeOf('index.html'), body };
    },
  });
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
