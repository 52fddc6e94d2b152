import type { DescribedOperation } from './read-description.ts';

/** The table by which the typed client finds the path of an operation. */
export function generateClientPaths(operations: readonly DescribedOperation[]): string {
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
