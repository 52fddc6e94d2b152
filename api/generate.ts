/** Generates the files that follow from the description of the Data API and from the contract; with `--check` it lists the stale ones instead. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { clientDescription } from './client-description.ts';
import { readContract, readSeen } from './contract.ts';
import { generateListColumns } from './generate-list-columns.ts';
import { generateAccountParameters, generateOperations } from './generate-operations.ts';
import { generateReference } from './generate-reference.ts';
import { generateRules } from './generate-rules.ts';
import { generateTools } from './generate-tools.ts';
import {
  accountOperationsOf,
  type DescribedOperation,
  operationsOf,
  readDescription,
} from './read-description.ts';

const PROJECT = join(import.meta.dirname, '..');
const FAILURE_EXIT_CODE = 1;
/** Types that the client does not use, because it has those of the operations. */
const BY_PATH: ReadonlySet<string> = new Set(['paths', 'webhooks', '$defs']);

/** Generated lines for parts that no request has. */
const ABSENT = /^ +(?:header|cookie|requestBody)\?: never;\n/gm;

/** Content of each generated file, by its path in the project. */
async function generate(): Promise<Readonly<Record<string, string>>> {
  const description = readDescription();
  const types = await openapiTS(Buffer.from(clientDescription(description)), { silent: true });
  const operations = operationsOf(description);
  const accountOperations = accountOperationsOf(description);
  return {
    'lambdas/data/operations/operations.ts': generateOperations(operations),
    'lambdas/data/export/list-columns.ts': generateListColumns(description, operations),
    'lambdas/status/account-parameters.ts': generateAccountParameters(accountOperations),
    'lambdas/mcp/tools/data-tools.ts': generateTools(operations),
    'clients/typescript/src/description.ts': astToString(types.filter(isOfClient)).replaceAll(ABSENT, ''),
    'clients/typescript/src/operation-paths.ts': generateClientPaths([...operations, ...accountOperations]),
    'docs/data-api-reference.md': generateReference(description),
    'docs/rules.md': generateRules(readContract(), readSeen()),
  };
}

/** The client finds an operation by its name, so the types by path are left out. */
function isOfClient(node: object): boolean {
  const { name } = node as { readonly name?: { readonly escapedText?: unknown } };
  return !BY_PATH.has(String(name?.escapedText));
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

/** The table by which the typed client finds the path of an operation. */
function generateClientPaths(operations: readonly DescribedOperation[]): string {
  const lines = operations.map(
    ({ base, path, operation }) => `  ${operation.operationId}: '${base}${path}',\n`,
  );
  return (
    '// Made from the description of the Data API, as the types beside it.\n' +
    "import type { OperationId } from './operation-types.ts';\n\n" +
    '/** Path of each operation. */\n' +
    `export const OPERATION_PATHS: { readonly [Id in OperationId]: string } = {\n${lines.join('')}};\n`
  );
}

process.exitCode = await main(process.argv.includes('--check'));
