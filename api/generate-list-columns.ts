import type { Column, ColumnKind } from '../lambdas/data/export/column.ts';
import { PAGED_PARAMETER } from './generate-operations.ts';
import {
  type DescribedOperation,
  type Description,
  lookUp,
  type Operation,
  type Schema,
} from './read-description.ts';

const HEADER = '// Made from api/data-api.yaml by `npm run generate`: change that, and run this again.\n';

/** How the description of a field says that only a parameter's value adds it to the rows. */
const ONLY_WITH = /only with `(?<parameter>\w+)=(?<value>\w+)`/;

/** How it says that a number may exceed what JSON's readers take exactly. */
const WIDE = /a string of digits/;

/** The columns of the lists that have pages, as exports read and write them. */
export function generateListColumns(
  description: Description,
  operations: readonly DescribedOperation[],
): string {
  const lists = operations.filter(({ parameters }) =>
    parameters.some(({ name }) => name === PAGED_PARAMETER),
  );
  const rowOf = new Map(
    lists.map(({ operation }) => [operation.operationId, rowSchema(description, operation)]),
  );
  const rows = [...new Set(rowOf.values())]
    .map(
      (name) =>
        `const ${constantOf(name)}: readonly Column[] = ${JSON.stringify(columnsOf(description, name))};\n`,
    )
    .join('');
  const entries = [...rowOf].map(([id, row]) => `  ${id}: ${constantOf(row)},\n`).join('');
  return (
    `${HEADER}import type { Column } from './column.ts';\n\n${rows}\n` +
    '/** Columns of each list that has pages, in the order of the description. */\n' +
    `export const LIST_COLUMNS: Readonly<Record<string, readonly Column[]>> = {\n${entries}};\n`
  );
}

function constantOf(schema: string): string {
  return schema.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
}

/** Name of the schema of a list's rows. */
function rowSchema(description: Description, { operationId, responses }: Operation): string {
  const response = lookUp(description, 'responses', responses['200'] ?? { $ref: '' });
  const row = response.content?.['application/json'].schema.properties?.data?.items?.$ref?.split('/').pop();
  if (row === undefined) throw new Error(`${operationId} has rows of no schema`);
  return row;
}

function schemaNamed(description: Description, name: string): Schema {
  return lookUp(description, 'schemas', { $ref: `#/components/schemas/${name}` });
}

function columnsOf(description: Description, row: string): readonly Column[] {
  const { properties = {}, required = [] } = schemaNamed(description, row);
  return Object.entries(properties).map(([name, schema]) => {
    const { parameter, value } = ONLY_WITH.exec(schema.description ?? '')?.groups ?? {};
    if (parameter === undefined && !required.includes(name))
      throw new Error(`${row}.${name} is not in each row, and its description does not say in which`);
    const kind = kindOf(description, schema);
    return {
      name,
      ...(kind !== undefined && { kind }),
      ...(WIDE.test(schema.description ?? '') && { isWide: true }),
      ...(parameter !== undefined && value !== undefined && { onlyWith: [parameter, value] }),
    };
  });
}

/** What a column is; undefined: a text. */
function kindOf(description: Description, schema: Schema): ColumnKind | undefined {
  const { type, format, pattern } =
    schema.$ref === undefined ? schema : lookUp(description, 'schemas', { $ref: schema.$ref });
  const types = [type].flat();
  if (types.includes('integer')) return 'integer';
  if (types.includes('boolean')) return 'boolean';
  if (types.includes('array') || types.includes('object')) return 'json';
  if (format === 'date') return 'day';
  return pattern !== undefined && pattern === schemaNamed(description, 'Timestamp').pattern
    ? 'time'
    : undefined;
}
