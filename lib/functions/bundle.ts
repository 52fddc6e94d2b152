import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { AssetCode, type Code, type CodeConfig } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { type BuildOptions, buildSync } from 'esbuild';
import { STAGE_SETTINGS_FILE, type StageSettings } from '../../lambdas/shared/runtime/settings.ts';

/** Name under which the functions import the layer. */
const ACCESS_PACKAGE = 'gateway-access';
/** The client of HTTP, which the layer has for itself and for the functions. */
const HTTP_CLIENT = 'undici/lib/dispatcher/client.js';
/** Modules that functions take from the layer. */
export const IN_LAYER = [ACCESS_PACKAGE, HTTP_CLIENT];
/** Parts of the client of HTTP that are never loaded: the parser for processors without SIMD, and bodies that are forms. */
const UNUSED_OF_HTTP_CLIENT = ['../llhttp/llhttp-wasm.js', '../web/fetch/body.js'];

/**
 * Variable with a folder in which bundles are kept, for many syntheses without a change of code, as in a run of
 * the tests does. Without it each synthesis bundles anew.
 */
const KEPT_BUNDLES_VARIABLE = 'GATEWAY_KEPT_BUNDLES';
const LAMBDAS = join(import.meta.dirname, '..', '..', 'lambdas');

/**
 * Bundle of the function in `lambdas/<name>`: `index.js`, with `index.handler`, and the stage's settings beside it.
 * @param files further files of the bundle by path
 */
export function bundleFunction(
  name: string,
  settings: StageSettings,
  files: Readonly<Record<string, string>> = {},
): Code {
  return new BundledCode((folder) => {
    for (const [path, content] of Object.entries(files)) write(join(folder, path), content);
    bundle(name, entryOf(name), join(folder, 'index.js'), IN_LAYER);
    write(join(folder, STAGE_SETTINGS_FILE), JSON.stringify(settings));
    // Below a folder of ES modules, as a data folder in this project is, the bundle would be taken for one.
    write(join(folder, 'package.json'), JSON.stringify({ type: 'commonjs' }));
  });
}

/** Bundle of the layer: the access package with everything that it needs, and the client of HTTP, where `NODE_PATH` finds them. */
export function bundleAccessLayer(): Code {
  return new BundledCode((folder) => {
    const modules = join(folder, 'nodejs', 'node_modules');
    const home = join(modules, ACCESS_PACKAGE);
    bundle('access', entryOf('access'), join(home, 'index.js'), [HTTP_CLIENT]);
    write(join(home, 'package.json'), JSON.stringify({ name: ACCESS_PACKAGE, main: 'index.js' }));
    bundle(
      'http-client',
      createRequire(import.meta.url).resolve(HTTP_CLIENT),
      join(modules, HTTP_CLIENT),
      [],
    );
  });
}

function entryOf(name: string): string {
  return join(LAMBDAS, name, 'index.ts');
}

/** Code that is made during the synthesis. The asset is named by a hash of its content and copied when it is bound. */
class BundledCode extends AssetCode {
  readonly #make: (folder: string) => void;

  constructor(make: (folder: string) => void) {
    super(mkdtempSync(join(tmpdir(), 'gateway-bundle-')));
    this.#make = make;
  }

  override bind(scope: Construct): CodeConfig {
    try {
      this.#make(this.path);
      return super.bind(scope);
    } finally {
      rmSync(this.path, { recursive: true, force: true });
    }
  }
}

/** Bundles what an entry imports, or takes the bundle that was kept under the name. */
function bundle(name: string, entry: string, outfile: string, external: string[]): void {
  const make = (file: string) => build(entry, file, external);
  const kept = keptFile(`${name}.js`, make);
  if (kept === undefined) make(outfile);
  else {
    mkdirSync(dirname(outfile), { recursive: true });
    copyFileSync(kept, outfile);
  }
}

/** Text that takes long to make and is the same for every stage: made anew, or taken from the folder of kept bundles. */
export function keptText(name: string, make: () => string): string {
  const kept = keptFile(name, (file) => writeFileSync(file, make()));
  return kept === undefined ? make() : readFileSync(kept, 'utf8');
}

/** A file of the folder in which bundles are kept, made if it is not there; undefined without such a folder. */
function keptFile(name: string, make: (file: string) => void): string | undefined {
  const { [KEPT_BUNDLES_VARIABLE]: folder } = process.env;
  if (folder === undefined) return undefined;
  const kept = join(folder, name);
  if (existsSync(kept)) return kept;
  const making = mkdtempSync(join(folder, 'making-'));
  make(join(making, name));
  // In one step: another synthesis at the same time finds the whole of it.
  renameSync(join(making, name), kept);
  rmSync(making, { recursive: true });
  return kept;
}

function build(entry: string, outfile: string, external: string[]): void {
  buildSync(bundleOptions(entry, outfile, external));
}

/** CommonJS, because a layer is found through `NODE_PATH`, which `require` honours and `import` does not. */
export function bundleOptions(entry: string, outfile: string, external: string[]) {
  return {
    entryPoints: [entry],
    outfile,
    external: [...external, ...UNUSED_OF_HTTP_CLIENT],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    mainFields: ['module', 'main'],
    alias: {
      // Where there is no layer, it is a part of the bundle.
      ...(external.includes(ACCESS_PACKAGE) ? {} : { [ACCESS_PACKAGE]: join(LAMBDAS, 'access', 'index.ts') }),
      '@aws-sdk/credential-provider-node': join(LAMBDAS, 'shared', 'aws', 'environment-credentials.ts'),
      '@smithy/node-http-handler': join(LAMBDAS, 'shared', 'aws', 'sdk-http-handler.ts'),
      'node:http2': join(LAMBDAS, 'shared', 'http', 'unloaded-modules.ts'),
      'node:stream/web': join(LAMBDAS, 'shared', 'http', 'unloaded-modules.ts'),
      'node:assert': join(LAMBDAS, 'shared', 'http', 'assert.cts'),
    },
    define: { 'import.meta.dirname': '__dirname' },
    minify: true,
    legalComments: 'none',
    logLevel: 'silent',
  } as const satisfies BuildOptions;
}

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
