import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Sources of a stack beside its stage file: code, migrations, descriptions, pages, and the packages by their lock file. */
const SOURCES = [
  'api',
  'cdk.json',
  'database',
  'docs',
  'lambdas',
  'lib',
  'local',
  'package-lock.json',
  'package.json',
];

/**
 * A digest of all that a synthesis reads: as long as it is the same, so is the assembly.
 * @param project folder of the sources
 * @param configPath path of the stage file
 */
export function assemblyKey(project: string, configPath: string): string {
  const digest = createHash('sha256').update(process.version);
  const add = (name: string, content: Uint8Array) =>
    digest.update(`\n${JSON.stringify([name, content.length])}\n`).update(content);
  add('', readFileSync(configPath));
  for (const source of SOURCES)
    for (const file of filesOf(join(project, source))) add(file.slice(project.length), readFileSync(file));
  return digest.digest('hex');
}

/** Every file of a folder, or the one file that it is, always in the same order. */
function filesOf(path: string): string[] {
  let names: string[];
  try {
    names = readdirSync(path).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return [path];
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return names.flatMap((name) => filesOf(join(path, name)));
}
