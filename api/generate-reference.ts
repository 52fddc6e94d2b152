import {
  accountOperationsOf,
  type DescribedOperation,
  type Description,
  lookUp,
  operationsOf,
  type Parameter,
  type Schema,
} from './read-description.ts';
import { nameOf, plainValues, typeOf } from './schema-words.ts';

/** The reference page of the Data API, in Markdown. */
export function generateReference(description: Description): string {
  const operations = [...operationsOf(description), ...accountOperationsOf(description)];
  const sections = description.tags.map(({ name }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    return `## ${name}\n\n${own.map((one) => operationSection(description, one)).join('\n')}`;
  });
  return [
    '# Data API reference\n',
    'Made from `api/data-api.yaml` by `npm run generate`. What holds for all operations: [Data API](data-api.md).\n',
    ...sections,
    '## Rows\n',
    ...Object.entries(description.components.schemas)
      .filter(([, schema]) => schema.properties !== undefined)
      .map(([name, schema]) => rowSection(description, name, schema)),
  ].join('\n');
}

function operationSection(
  description: Description,
  { base, path, operation, parameters }: DescribedOperation,
): string {
  const found = lookUp(description, 'responses', operation.responses['200'] ?? { $ref: '' });
  const data = found.content?.['application/json'].schema.properties?.data ?? {};
  const row = nameOf(data.items ?? data);
  const lines = [
    `### \`GET ${base}${path}\`\n`,
    `${operation.summary}. ${operation.description ?? ''}`.trim(),
    '',
    `\`${operation.operationId}\` · ${operation['x-compute-units']} CU${operation['x-per-item'] === undefined ? '' : ' an item'} · \`data\`: ${data.items === undefined ? '' : 'array of '}[${row}](#${row.toLowerCase()})`,
    '',
  ];
  if (parameters.length > 0) {
    lines.push('| parameter | | values | meaning |', '| --- | --- | --- | --- |');
    lines.push(...parameters.map(parameterLine), '');
  }
  return lines.join('\n');
}

function parameterLine({ name, in: place, required, description, schema }: Parameter): string {
  const need = place === 'path' ? 'path' : required === true ? 'required' : '';
  return `| \`${name}\` | ${need} | ${valuesOf(schema)} | ${description} |`;
}

function valuesOf(schema: Schema): string {
  const { type, enum: values, default: standard, pattern } = schema;
  const ending = standard === undefined ? '' : `; default \`${standard}\``;
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(', ') + ending;
  const words =
    plainValues(schema) ?? (pattern === undefined ? String(type) : `\`${pattern.replaceAll('|', '\\|')}\``);
  return words + ending;
}

function rowSection(description: Description, name: string, schema: Schema): string {
  const lines = [`### ${name}\n`, schema.description ?? '', '', '| field | type | |', '| --- | --- | --- |'];
  for (const [field, one] of Object.entries(schema.properties ?? {}))
    lines.push(`| \`${field}\` | ${typeOf(description, one)} | ${one.description ?? ''} |`);
  return `${lines.join('\n')}\n`;
}
