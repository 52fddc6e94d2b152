import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js';
import { Ajv } from 'ajv';
import type { DataDependencies } from '../data/handle-data.ts';
import type { DataOperationId } from '../data/operations/operations.ts';
import { printable } from '../shared/http/printable.ts';
import { type AccountDependencies, callAccount } from './calls/call-account.ts';
import { callData } from './calls/call-data.ts';
import { callPortfolio } from './calls/call-portfolio.ts';
import { callRpc, type RpcDependencies, type TimedContext } from './calls/call-rpc.ts';
import { refusedResponse, type ToolResponseOrGone } from './calls/tool-response.ts';
import { isAccountTool } from './tools/account-tools.ts';
import { PORTFOLIO_TOOL } from './tools/portfolio-tool.ts';
import { isRpcTool } from './tools/rpc-tools.ts';
import type { Tool, ToolArguments } from './tools/tool.ts';

/** What calling a tool takes. */
export interface ToolDependencies {
  readonly data: DataDependencies;
  readonly rpc: RpcDependencies;
  readonly account: AccountDependencies;
}

type Validate = ReturnType<AjvJsonSchemaValidator['getValidator']>;

const DIGITS = /^[0-9]{1,15}$/;
/** How the validator begins each problem: the whole of the arguments, before the path to one. An argument may be called `data`, too. */
const ARGUMENTS_PREFIX = /(^|, )data(?:\/| )/g;

/** Compiles schemas; one for the process, as it is made in milliseconds. It stops at the first mistake: a list could have thousands. */
export const schemas = new AjvJsonSchemaValidator(new Ajv({ strict: false }));
const validators = new Map<string, Validate>();

/** Calls a tool, whose arguments are checked first: what is wrong with them costs nothing. */
export async function callTool(
  tool: Tool,
  asGiven: ToolArguments,
  context: TimedContext,
  { data, rpc, account }: ToolDependencies,
): Promise<ToolResponseOrGone> {
  const values = withNumbers(tool, asGiven);
  const problem = problemOf(tool, values);
  if (problem !== undefined) return refusedResponse(400, 'bad_request', problem);
  const { name } = tool;
  if (isRpcTool(name)) return callRpc(name, values, context, rpc);
  if (tool === PORTFOLIO_TOOL) return callPortfolio(values, context, data);
  const { holder, requestId } = context;
  if (isAccountTool(name)) return callAccount(name, values, { holder, requestId }, account);
  return callData(name as DataOperationId, values, { holder, requestId }, data);
}

/** Whole numbers that a client has written as texts are numbers where a tool takes nothing else. */
function withNumbers({ inputSchema: { properties } }: Tool, values: ToolArguments): ToolArguments {
  const entries = Object.entries(values).map(([name, value]) => {
    const isNumber = properties[name]?.type === 'integer' && typeof value === 'string' && DIGITS.test(value);
    return [name, isNumber ? Number(value) : value] as const;
  });
  return Object.fromEntries(entries);
}

function problemOf(tool: Tool, values: ToolArguments): string | undefined {
  const unknown = Object.keys(values).find((name) => !Object.hasOwn(tool.inputSchema.properties, name));
  if (unknown !== undefined) return `unknown argument: ${printable(unknown)}`;
  const { valid, errorMessage = '' } = validatorOf(tool)(values);
  if (valid) return undefined;
  return errorMessage.replaceAll(ARGUMENTS_PREFIX, '$1');
}

function validatorOf({ name, inputSchema }: Tool): Validate {
  const known = validators.get(name);
  if (known !== undefined) return known;
  const made = schemas.getValidator({ ...inputSchema, required: [...inputSchema.required] });
  validators.set(name, made);
  return made;
}
