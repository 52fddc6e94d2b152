import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '..', '..', 'config');

/** Stage file of a stage that is known by its name. */
export function stageFile(stage: string): string {
  return join(FOLDER, `${stage}.json`);
}

/** Names of the stages that have a file of their own in this repository. */
export function stageNames(): string[] {
  return readdirSync(FOLDER)
    .flatMap((file) => (file.endsWith('.json') ? file.slice(0, -'.json'.length) : []))
    .sort();
}
