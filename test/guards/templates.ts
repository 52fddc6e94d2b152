/**
 * Prints the templates of all stage files of the project in the current folder as JSON, by stage and file, without what
 * only the code of functions decides. Argument: an empty folder for the assemblies.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const STAGES = 'config';
/** Hashes of assets, and of the versions of functions, which are in logical ids too. */
const HASH = /[0-9a-f]{64}|(?<=CurrentVersion[0-9A-F]{8})[0-9a-f]{32}/g;

interface Synthesis {
  synthesise(stageFile: string, folder: string): { readonly folder: string };
}

const [into = ''] = process.argv.slice(2);
const { synthesise } = (await import(pathToFileURL(resolve('lib/synthesise.ts')).href)) as Synthesis;
const templates: Record<string, unknown> = {};
for (const stage of readdirSync(STAGES)) {
  const { folder } = synthesise(join(STAGES, stage), join(into, stage));
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.template.json'))) {
    const text = readFileSync(join(folder, name), 'utf8');
    templates[`${stage} ${name}`] = JSON.parse(text.replaceAll(HASH, 'HASH'));
  }
}
process.stdout.write(JSON.stringify(templates));
