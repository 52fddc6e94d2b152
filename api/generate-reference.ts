import {
  accountOperationsOf,
  type DescribedOperation,
  type Description,
  lookUp,
  operationsOf,
  type Parameter,
  type Schema,
  wordOf,
} from './read-description.ts';

const REFERENCE_PREFIX = '#/components/schemas/';

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

function valuesOf({
  type,
  enum: values,
  default: standard,
  minimum,
  maximum,
  format,
  pattern,
}: Schema): string {
  const ending = standard === undefined ? '' : `; default \`${standard}\``;
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(', ') + ending;
  if (type === 'integer' && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER)
    return `${minimum ?? 0} to ${maximum}${ending}`;
  if (format !== undefined) return format + ending;
  return (pattern === undefined ? String(type) : `\`${pattern.replaceAll('|', '\\|')}\``) + ending;
}

function rowSection(description: Description, name: string, schema: Schema): string {
  const lines = [`### ${name}\n`, schema.description ?? '', '', '| field | type | |', '| --- | --- | --- |'];
  for (const [field, one] of Object.entries(schema.properties ?? {}))
    lines.push(`| \`${field}\` | ${typeOf(description, one)} | ${one.description ?? ''} |`);
  return `${lines.join('\n')}\n`;
}

function typeOf(description: Description, schema: Schema): string {
  if (schema.$ref !== undefined) return nameOf(schema);
  if (schema.anyOf !== undefined) return schema.anyOf.map((one) => typeOf(description, one)).join(' or ');
  if (schema.items !== undefined) return `array of ${typeOf(description, schema.items)}`;
  const word = wordOf(description, schema);
  if (word !== undefined) return `${word} or null`;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ');
  return typeof schema.type === 'string' ? schema.type : (schema.type ?? []).join(' or ');
}

function nameOf({ $ref = '', type }: Schema): string {
  return $ref.startsWith(REFERENCE_PREFIX) ? $ref.slice(REFERENCE_PREFIX.length) : String(type);
}
