import type { DescribedOperation, Parameter, Schema } from './read-description.ts';

const HEADER = '// Made from api/data-api.yaml by `npm run generate`: change that, and run this again.\n';
/** A list that has this parameter has pages. */
export const PAGED_PARAMETER = 'cursor';

/** The route and parameter table of the Data API, as the function reads it: nothing is left to do at a cold start. */
export function generateOperations(operations: readonly DescribedOperation[]): string {
  const table = operations.map((one) => `  ${one.operation.operationId}: ${operationEntry(one)},\n`).join('');
  return (
    `${HEADER}import type { OperationEntry, ValuesOf } from './operation-entry.ts';\n\n` +
    `const ENTRIES = {\n${table}} as const satisfies Readonly<Record<string, OperationEntry>>;\n\n` +
    'export type DataOperationId = keyof typeof ENTRIES;\n\n' +
    '/** Parameters of each operation as they are read, defaults included. */\n' +
    'export type OperationParameters = {\n' +
    "  readonly [Id in DataOperationId]: ValuesOf<(typeof ENTRIES)[Id]['parameters']>;\n};\n\n" +
    'export const OPERATIONS: { readonly [Id in DataOperationId]: OperationEntry } = ENTRIES;\n'
  );
}

/** The parameters of the lists of an account, which another function reads. */
export function generateAccountParameters(operations: readonly DescribedOperation[]): string {
  const lists = operations.map(
    ({ operation, parameters }) =>
      `  ${operation.operationId}: [${parameters.map(parameterEntry).join(', ')}],\n`,
  );
  return (
    `${HEADER}import type { ParameterEntry } from '../data/operations/operation-entry.ts';\n\n` +
    '/** Parameters of each list of an account. */\n' +
    `export const ACCOUNT_PARAMETERS = {\n${lists.join('')}} as const satisfies Readonly<Record<string, readonly ParameterEntry[]>>;\n`
  );
}

function operationEntry({ path, operation, parameters }: DescribedOperation): string {
  const paged = parameters.some(({ name }) => name === PAGED_PARAMETER);
  const entry = {
    path,
    computeUnits: operation['x-compute-units'],
    ...(operation['x-per-item'] !== undefined && { perItem: operation['x-per-item'] }),
    ...(operation['x-dataset'] !== undefined && { dataset: operation['x-dataset'] }),
    ...(operation['x-max-window-blocks'] !== undefined && {
      maxWindowBlocks: operation['x-max-window-blocks'],
    }),
    paged,
  };
  const list = parameters.map(parameterEntry).join(', ');
  return `{ ${JSON.stringify(entry).slice(1, -1)}, parameters: [${list}] }`;
}

function parameterEntry({ name, in: place, required, schema }: Parameter): string {
  const members = [
    `name: ${JSON.stringify(name)}`,
    `in: ${JSON.stringify(place)}`,
    `required: ${required === true}`,
    kindOf(schema),
    ...(schema.default === undefined ? [] : [`default: ${JSON.stringify(schema.default)}`]),
  ];
  return `{ ${members.join(', ')} }`;
}

function kindOf(schema: Schema): string {
  if (schema.format === 'block-number') return "kind: 'height'";
  if (schema.type === 'integer')
    return `kind: 'integer', minimum: ${schema.minimum ?? 0}, maximum: ${schema.maximum ?? Number.MAX_SAFE_INTEGER}`;
  if (schema.type === 'boolean') return "kind: 'boolean'";
  if (schema.enum !== undefined) return `kind: 'enum', values: ${JSON.stringify(schema.enum)}`;
  if (schema.format === 'date-time') return "kind: 'time'";
  if (schema.format === 'date') return "kind: 'day'";
  if (schema.pattern !== undefined) {
    const foldCase = schema.pattern.includes('a-fA-F');
    return `kind: 'pattern', pattern: /${schema.pattern}/, foldCase: ${foldCase}`;
  }
  if (schema.maxLength === undefined) throw new Error('a text parameter needs a pattern or a maxLength');
  return `kind: 'text', maxLength: ${schema.maxLength}`;
}
