/** Makes everything that is made from the description of the Data API, or with `--check` tells what is stale. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import { generateOperations } from './generate-operations.ts';
import { generateReference } from './generate-reference.ts';
import { DESCRIPTION_FILE, operationsOf, readDescription } from './read-description.ts';

const PROJECT = join(import.meta.dirname, '..');
const FAILURE_EXIT_CODE = 1;

/** Content of each generated file, by its path in the project. */
async function generate(): Promise<Readonly<Record<string, string>>> {
  const description = readDescription();
  const types = astToString(await openapiTS(pathToFileURL(DESCRIPTION_FILE), { silent: true }));
  return {
    'lambdas/data/operations/operations.ts': generateOperations(operationsOf(description)),
    'api/types.ts': types,
    'docs/data-api-reference.md': generateReference(description),
  };
}

async function main(check: boolean): Promise<number> {
  const stale: string[] = [];
  for (const [path, content] of Object.entries(await generate())) {
    const file = join(PROJECT, path);
    if (contentOf(file) === content) continue;
    stale.push(relative(PROJECT, file));
    if (!check) writeFileSync(file, content);
  }
  for (const path of stale) process.stdout.write(check ? `${path} is stale\n` : `wrote ${path}\n`);
  return check && stale.length > 0 ? FAILURE_EXIT_CODE : 0;
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

process.exitCode = await main(process.argv.includes('--check'));
