import { type ArgumentSchema, CHAIN_ARGUMENT, type Tool } from '../lambdas/mcp/tools/tool.ts';
import type { DescribedOperation, Parameter } from './read-description.ts';

const HEADER = '// Made from api/data-api.yaml by `npm run generate`: change that, and run this again.\n';
/** Rows of a page that the weight of an operation pays for, and as many as an agent can read at once. */
const MAX_ROWS = 100;
const ROWS_PARAMETER = 'limit';
/** A whole file is nothing to be read at once. */
const FILE_PARAMETERS: ReadonlySet<string> = new Set(['format', 'trailer', 'csv', 'max_rows']);
const CHAIN_PREFIX = '/{chain}/';
/** Numbers of blocks: models write them as numbers, and some clients as texts. */
const BLOCK_TYPES = ['integer', 'string'] as const;
const BLOCK_PATTERN = '^[0-9]{1,78}$';
/**
 * Words for an agent, by those of the description: it has the list in its context for as long as it works. What every list
 * takes is said once, in the instructions.
 */
const SHORT: Readonly<Record<string, string>> = {
  'Most rows of a page.': '',
  'Leave out transfers of nothing, which anybody can make in the name of an address. A page ends after 4,000 transfers read, however few it lists, and may be empty: `next_cursor` continues.':
    'Leave out amounts of 0.',
  'Begin with the native coin, as the token `0x0000000000000000000000000000000000000000` of 18 decimals, even if it is 0. Each row then has `as_of_block`: add up only rows that share it. A node says the native balance, at the block of the snapshot, or if none still has that state at `as_of_block` of `meta`; if none answers in two seconds it is null, and so is its block.':
    'The native coin first; add up rows of one as_of_block.',
  'Leave out transfers and internal transfers of less, in whole coins or tokens by their decimals (`0.01`); those of tokens that say none are counted in raw units, and NFTs in pieces. A page ends as with `exclude_zero`.':
    'Least amount, in whole coins or tokens.',
  'With `false`, leave out rows that have a `spam_reason`; with `true`, all others. A page ends as with `exclude_zero`.':
    'false: without spam.',
  '`next_cursor` of the page before; all other parameters but `limit` must be the same.': '',
  'How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not.':
    '',
  'First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970.':
    '',
  'Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970.': '',
  'By block, the newest first unless `asc`.': '',
  'Cut a window that is too wide or too high; `coverage` is `partial` then.': '',
  'First block of the window.': '',
  'Last block of the window. Default: the finalized block.': '',
  '`token` adds symbol and decimals beside each token of a row.': 'Symbol and decimals too.',
};
/** Sentences of an operation's description that a tool has: further ones are of fields, paths and statuses. */
const MAX_SENTENCES = 1;

/** The tools that agents have for the operations of the Data API, as the MCP function reads them. */
export function generateTools(operations: readonly DescribedOperation[]): string {
  const stale = Object.keys(SHORT).filter(
    (words) =>
      !operations.some(({ parameters }) => parameters.some(({ description }) => description === words)),
  );
  if (stale.length > 0) throw new Error(`no parameter is described so any more: ${stale.join(' ')}`);
  const tools = operations.map((one) => `  ${JSON.stringify(toolOf(one))},\n`).join('');
  return `${HEADER}import type { Tool } from './tool.ts';\n\nexport const DATA_TOOLS: readonly Tool[] = [\n${tools}];\n`;
}

function toolOf({ path, operation, parameters: described }: DescribedOperation): Tool {
  const parameters = described.filter(({ name }) => !FILE_PARAMETERS.has(name));
  const { operationId, tags, summary, description = '' } = operation;
  const each = operation['x-per-item'] === undefined ? '' : ' for each item';
  const weight = `${operation['x-compute-units']} CU${each}.`;
  const sentences = description
    .split(/(?<=\.) /)
    .slice(0, MAX_SENTENCES)
    .join(' ');
  return {
    name: operationId,
    toolset: (tags[0] ?? '').toLowerCase(),
    title: summary,
    description: [`${summary}.`, sentences, weight].filter((text) => text !== '').join(' '),
    inputSchema: {
      type: 'object',
      properties: {
        ...(path.startsWith(CHAIN_PREFIX) && { chain: CHAIN_ARGUMENT }),
        ...Object.fromEntries(parameters.map((parameter) => [parameter.name, argumentOf(parameter)])),
      },
      required: parameters.filter(({ required }) => required === true).map(({ name }) => name),
      additionalProperties: false,
    },
    output: 'data',
  };
}

/** Formats are left to the operation itself: they are its own, or wider than JSON Schema has them. */
function argumentOf({ name, description, schema }: Parameter): ArgumentSchema {
  const { pattern, enum: values, default: standard, minimum, maximum, maxLength } = schema;
  const short = SHORT[description] ?? description;
  if (schema.type === 'integer' && maximum === undefined)
    return { type: BLOCK_TYPES, description: short, pattern: BLOCK_PATTERN, minimum: minimum ?? 0 };
  return {
    type: schema.type as ArgumentSchema['type'],
    description: short,
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
