import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentTypeOf } from '../../docs/site/serve-file.ts';
import type { Shown } from '../processes/page-server.ts';
import type { Dashboard } from './dashboard.ts';
import { drawPage } from './draw-page.ts';
import { DEFAULT_RANGE_SECONDS, RANGES } from './view.ts';

const FOLDER = join(import.meta.dirname, 'page');
/** What the page loads, by its path. */
const FILES: ReadonlySet<string> = new Set(['/dashboard.css', '/dashboard.js']);

/** Path of the page beside those of the reference. */
export const DASHBOARD_PATH = '/dashboard.html';

/** The page of a dashboard and its files; undefined: the path leads to another page. */
export function showDashboard(dashboard: Dashboard, path: string, query: URLSearchParams): Shown | undefined {
  if (FILES.has(path))
    return { status: 200, contentType: contentTypeOf(path), body: readFileSync(join(FOLDER, path)) };
  if (path !== DASHBOARD_PATH) return undefined;
  const requested = Number(query.get('range'));
  const range = Object.hasOwn(RANGES, requested) ? requested : DEFAULT_RANGE_SECONDS;
  const body = drawPage(dashboard.view(range), query.get('chain') ?? '');
  return { status: 200, contentType: contentTypeOf(path), body };
}
