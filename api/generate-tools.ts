import { type ArgumentSchema, CHAIN_ARGUMENT, type Tool } from '../lambdas/mcp/tools/tool.ts';
import type { DescribedOperation, Parameter } from './read-description.ts';

const HEADER = '// Made from api/data-api.yaml by `npm run generate`: change that, and run this again.\n';
/** Rows of a page that the weight of an operation pays for, and as many as an agent can read at once. */
const MAX_ROWS = 100;
const ROWS_PARAMETER = 'limit';
/** A whole file is nothing to be read at once. */
const FILE_PARAMETERS: ReadonlySet<string> = new Set(['format', 'max_rows']);
const CHAIN_PREFIX = '/{chain}/';

/** The tools that agents have for the operations of the Data API, as the MCP function reads them. */
export function generateTools(operations: readonly DescribedOperation[]): string {
  const tools = operations.map((one) => `  ${JSON.stringify(toolOf(one))},\n`).join('');
  return `${HEADER}import type { Tool } from './tool.ts';\n\nexport const DATA_TOOLS: readonly Tool[] = [\n${tools}];\n`;
}

function toolOf({ path, operation, parameters: described }: DescribedOperation): Tool {
  const parameters = described.filter(({ name }) => !FILE_PARAMETERS.has(name));
  const { operationId, tags, summary, description = '' } = operation;
  const each = operation['x-per-item'] === undefined ? '' : ' for each item';
  const weight = `Weight: ${operation['x-compute-units']} CU${each}.`;
  return {
    name: operationId,
    toolset: (tags[0] ?? '').toLowerCase(),
    title: summary,
    description: [`${summary}.`, description, weight].filter((text) => text !== '').join(' '),
    inputSchema: {
      type: 'object',
      properties: {
        ...(path.startsWith(CHAIN_PREFIX) && { chain: CHAIN_ARGUMENT }),
        ...Object.fromEntries(parameters.map((parameter) => [parameter.name, argumentOf(parameter)])),
      },
      required: parameters.filter(({ required }) => required === true).map(({ name }) => name),
      additionalProperties: false,
    },
  };
}

/** Formats are left to the operation itself: they are its own, or wider than JSON Schema has them. */
function argumentOf({ name, description, schema }: Parameter): ArgumentSchema {
  const { pattern, enum: values, default: standard, minimum, maximum, maxLength } = schema;
  return {
    type: schema.type as ArgumentSchema['type'],
    description,
    ...(pattern !== undefined && { pattern }),
    ...(values !== undefined && { enum: values }),
    ...(standard !== undefined && { default: standard }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && {
      maximum: name === ROWS_PARAMETER ? Math.min(maximum, MAX_ROWS) : maximum,
    }),
    ...(maxLength !== undefined && { maxLength }),
  };
}
