import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { contentSecurityPolicy, contentTypeOf } from '../../docs/site/serve-file.ts';
import type { LocalServer, PagePort } from '../processes/listen-locally.ts';
import { type Shown, servePages } from '../processes/page-server.ts';
import type { Dashboard } from './dashboard.ts';
import { DEFAULT_RANGE_SECONDS, RANGES } from './view.ts';

const PAGE = join(import.meta.dirname, 'page');
const STATIC_FILES = ['index.html', 'icon.svg'];
/** How often samples are taken and alarms judged. */
const TICK_MS = 2_000;
const NOT_FOUND: Shown = { status: 404, contentType: 'text/plain', body: 'not found' };

/** The files of the page, its chart library included, by their path. */
type PageFiles = ReadonlyMap<string, Shown>;

/**
 * Serves the page of a dashboard on a port of its own, and keeps the dashboard ticking. The page is bundled when it is
 * first asked for: most runs are never looked at.
 */
export async function startDashboardServer(dashboard: Dashboard, port: PagePort = {}): Promise<LocalServer> {
  let bundled: Promise<PageFiles> | undefined;
  const { url, close } = await servePages({
    port,
    contentSecurityPolicy: contentSecurityPolicy(),
    show: async (path, query) => {
      if (path !== '/view.json') {
        bundled ??= bundlePage();
        return (await bundled).get(path) ?? NOT_FOUND;
      }
      const requested = Number(query.get('range'));
      const range = Object.hasOwn(RANGES, requested) ? requested : DEFAULT_RANGE_SECONDS;
      return { status: 200, contentType: 'application/json', body: JSON.stringify(dashboard.view(range)) };
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

/** Bundles the page. */
async function bundlePage(): Promise<PageFiles> {
  const { build, stop } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [join(PAGE, 'page.ts'), join(PAGE, 'page.css')],
    outdir: PAGE,
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
    logLevel: 'silent',
  });
  // Its process would stay as long as the run, with the memory that the build has taken.
  await stop();
  const bundled = outputFiles.map(({ path, contents }) => [extname(path), Buffer.from(contents)] as const);
  const all = [
    ...bundled.map(([extension, content]) => [`page${extension}`, content] as const),
    ...STATIC_FILES.map((name) => [name, readFileSync(join(PAGE, name))] as const),
  ];
  return new Map(
    all.map(([name, content]) => [
      name === 'index.html' ? '/' : `/${name}`,
      { status: 200, contentType: contentTypeOf(name), body: content },
    ]),
  );
}
