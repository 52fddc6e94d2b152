import { extname } from 'node:path';
import type { SiteFiles } from './build-site.ts';

/** Stands in the files of the site for the address of the gateway, which is known where they are served. */
export const BASE_URL_PLACEHOLDER = '{base_url}';
/** Served for every path that is no file. */
export const NOT_FOUND_FILE = '404.html';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

/** What is answered for a path of the site. */
export interface SiteResponse {
  readonly status: 200 | 404;
  readonly contentType: string;
  readonly body: string;
}

export function contentTypeOf(file: string): string {
  return CONTENT_TYPES[extname(file)] ?? 'application/octet-stream';
}

/** The site with the address of its gateway, which has no slash at its end. */
export function withBaseUrl(files: SiteFiles, baseUrl: string): SiteFiles {
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => [name, text.replaceAll(BASE_URL_PLACEHOLDER, baseUrl)]),
  );
}

/** The file at a path, such as `/status.html`. */
export function siteResponse(files: SiteFiles, path: string): SiteResponse {
  const name = path === '/' ? 'index.html' : path.slice(1);
  const isFile = Object.hasOwn(files, name);
  const file = isFile ? name : NOT_FOUND_FILE;
  return {
    status: isFile ? 200 : 404,
    contentType: contentTypeOf(file),
    body: files[file] ?? '',
  };
}

/** Lets pages load what is their own and ask for some addresses, and nothing else. */
export function contentSecurityPolicy(...asked: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    ["connect-src 'self'", ...asked].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
