import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

const PAGE = join(import.meta.dirname, 'page');
const STATIC_FILES = ['index.html', 'icon.svg'];
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** A file of the page. */
interface PageFile {
  readonly contentType: string;
  readonly content: Buffer;
}

/** The files of the page, its chart library included, by their path. */
export type PageFiles = ReadonlyMap<string, PageFile>;

/** Bundles the page. */
export async function bundlePage(): Promise<PageFiles> {
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
      { contentType: CONTENT_TYPES[extname(name)] ?? 'application/octet-stream', content },
    ]),
  );
}
