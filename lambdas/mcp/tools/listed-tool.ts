import type { ListToolsResult } from '@modelcontextprotocol/sdk/types.js';
import type { ArgumentSchema, Tool } from './tool.ts';

/**
 * A tool as agents see it, in few characters, as a list takes room in their context for as long as they work: each
 * only reads. Its title is how its description begins, so it is said once. The bounds that only keep out what is absurd are checked, and not told.
 */
export function listedTool({
  name,
  description,
  inputSchema,
  output,
}: Tool): ListToolsResult['tools'][number] {
  const { properties, required } = inputSchema;
  return {
    name,
    description,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, schema]) => [key, describedSchema(schema)]),
      ),
      ...(required.length > 0 && { required: [...required] }),
    },
    outputSchema: { type: 'object', required: [output] },
    annotations: { readOnlyHint: true },
  };
}

function describedSchema({
  type,
  description,
  pattern,
  minimum: _least,
  maximum,
  maxLength: _length,
  ...schema
}: ArgumentSchema): object {
  const isBlock = Array.isArray(type);
  const isSaid = isBlock || description === '';
  return {
    type,
    ...(description !== '' && { description }),
    ...schema,
    ...(maximum !== undefined && !isBlock && { maximum }),
    ...(pattern !== undefined && !isSaid && { pattern }),
  };
}
