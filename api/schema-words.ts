import type { Description, Schema } from './read-description.ts';

const SCHEMA_PREFIX = '#/components/schemas/';

/** What a value is, in words: the name of a schema, or a type of JSON. */
export function typeOf(description: Description, schema: Schema): string {
  if (schema.$ref !== undefined) return nameOf(schema);
  if (schema.anyOf !== undefined) return schema.anyOf.map((one) => typeOf(description, one)).join(' or ');
  if (schema.items !== undefined) return `array of ${typeOf(description, schema.items)}`;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ');
  const word = wordOf(description, schema);
  return word === undefined ? [schema.type ?? 'any'].flat().join(' or ') : `${word} or null`;
}

/** Name of the schema that another one is, or its type. */
export function nameOf({ $ref = '', type }: Schema): string {
  return $ref.startsWith(SCHEMA_PREFIX) ? $ref.slice(SCHEMA_PREFIX.length) : String(type);
}

/** The values of a parameter where a range or the name of a format says them. */
export function plainValues({ type, minimum, maximum, format }: Schema): string | undefined {
  if (type === 'integer' && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER)
    return `${minimum ?? 0} to ${maximum}`;
  return format;
}

/**
 * Name of the schema that a nullable schema repeats (`Decimal`): a value that may be null has the pattern in place of a
 * reference. Undefined if no schema has this pattern.
 */
function wordOf({ components }: Description, { pattern, type }: Schema): string | undefined {
  if (pattern === undefined || !Array.isArray(type)) return undefined;
  const found = Object.entries(components.schemas).find(
    ([, schema]) => schema.pattern === pattern && schema.type === 'string',
  );
  return found?.[0];
}
