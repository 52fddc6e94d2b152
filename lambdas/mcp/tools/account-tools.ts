import type { ArgumentSchema, Tool } from './tool.ts';

/** Set of the tool that tells of the account of the key as it is. */
export const ACCOUNT_TOOLSET = 'account';
/** Set of those that tell what it has used. */
const USAGE_TOOLSET = 'usage';

const PAGE: Readonly<Record<string, ArgumentSchema>> = {
  limit: { type: 'integer', description: '', default: 50, minimum: 1, maximum: 100 },
  cursor: { type: 'string', description: '' },
};
const HOURS: Readonly<Record<string, ArgumentSchema>> = {
  ...PAGE,
  order: { type: 'string', description: '', enum: ['asc', 'desc'], default: 'desc' },
  from_time: { type: 'string', description: '' },
  to_time: { type: 'string', description: '' },
};

/** What a tool of the account says of itself. */
interface Words {
  readonly title: string;
  readonly more: string;
}

function tool(
  toolset: string,
  name: string,
  { title, more }: Words,
  { properties = {}, required = [] }: Partial<Pick<Tool['inputSchema'], 'properties' | 'required'>>,
): Tool {
  return {
    name,
    toolset,
    title,
    description: `${title}. ${more}`,
    inputSchema: { type: 'object', properties, required, additionalProperties: false },
    output: 'data',
  };
}

const ACCOUNT: Words = { title: 'Balance, plan and limits of the account', more: 'In CU. Free.' };
const USAGE: Words = { title: 'Usage of the account by hour', more: 'By chain and method. Free.' };
const SETTLEMENTS: Words = { title: 'Settlements of the account', more: 'By hour, in billing units. Free.' };
const LANES: Words = { title: 'Lanes of an hour', more: 'The running totals that X-CU-Lane names. Free.' };

const CREDITS: Words = { title: 'Credits of the account', more: 'And what was taken back of them. Free.' };

/** What tells of the account of the key. Free, as the same requests are without MCP. */
export const ACCOUNT_TOOLS: readonly Tool[] = [
  tool(ACCOUNT_TOOLSET, 'getAccount', ACCOUNT, {}),
  tool(USAGE_TOOLSET, 'listAccountUsage', USAGE, { properties: HOURS }),
  tool(USAGE_TOOLSET, 'listAccountSettlements', SETTLEMENTS, { properties: HOURS }),
  tool(USAGE_TOOLSET, 'listAccountLanes', LANES, {
    properties: { ...PAGE, hour: { type: 'string', description: 'In UTC, such as 2026-11-20T09.' } },
    required: ['hour'],
  }),
  tool(USAGE_TOOLSET, 'listAccountCredits', CREDITS, { properties: PAGE }),
];

/** Whether a tool tells of the account of the key. */
export function isAccountTool(name: string): boolean {
  return ACCOUNT_TOOLS.some((one) => one.name === name);
}
