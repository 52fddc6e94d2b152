import { accountOperationsOf, readDescription } from '../../api/read-description.ts';
import { OPERATIONS } from '../../lambdas/data/operations/operations.ts';
import { ACCOUNT_TOOLS } from '../../lambdas/mcp/tools/account-tools.ts';
import { DATA_TOOLS } from '../../lambdas/mcp/tools/data-tools.ts';
import { listedTool } from '../../lambdas/mcp/tools/listed-tool.ts';
import { isRpcTool, RPC_TOOLS } from '../../lambdas/mcp/tools/rpc-tools.ts';
import {
  chooseTools,
  DEFAULT_TOOLSETS,
  INSTRUCTIONS,
  TOOLSETS,
  toolNamed,
} from '../../lambdas/mcp/tools/toolsets.ts';
import { isIdempotent, weightOf } from '../../lambdas/shared/methods/method-facts.ts';
import { ACCOUNT_PARAMETERS } from '../../lambdas/status/account-parameters.ts';

/** Some agents take no more tools than these. */
const MOST_TOOLS = 40;
/** What the list takes of an agent's context for as long as it works: some six and a half thousand tokens. */
const MOST_LIST_CHARACTERS = 26_000;

const chosen = (...toolsets: string[]) => {
  const result = chooseTools(toolsets.length === 0 ? {} : { toolsets });
  if (!result.ok) throw new Error(result.message);
  return result.tools;
};

test('each operation of the Data API is a tool with its parameters, its weight and the default chain', () => {
  expect(DATA_TOOLS.map(({ name }) => name)).toEqual(Object.keys(OPERATIONS));
  for (const { name, description, inputSchema } of DATA_TOOLS) {
    const { parameters, computeUnits, path } = OPERATIONS[name as keyof typeof OPERATIONS];
    expect(description).toMatch(new RegExp(` ${computeUnits} CU( for each item)?\\.$`));
    // A whole file is nothing for an agent.
    const names = parameters
      .map((parameter) => parameter.name)
      .filter((one) => !['format', 'trailer', 'csv', 'max_rows'].includes(one));
    expect(Object.keys(inputSchema.properties)).toEqual(
      path.includes('{chain}') ? ['chain', ...names] : names,
    );
    expect(inputSchema.required).toEqual(
      parameters.filter(({ required }) => required).map((one) => one.name),
    );
    // What has no words of its own is told once, for all tools.
    for (const [key, { description: words }] of Object.entries(inputSchema.properties))
      expect([key, words !== '' || INSTRUCTIONS.includes(key)]).toEqual([key, true]);
  }
});

test('a page that a tool gives has no more rows than its weight pays for', () => {
  const limits = DATA_TOOLS.flatMap(({ inputSchema: { properties } }) => properties.limit ?? []);
  expect(limits.length).toBeGreaterThan(20);
  for (const { maximum } of limits) expect(maximum).toBeLessThanOrEqual(100);
});

test('the methods of JSON-RPC that are tools change nothing, and say what they weigh', () => {
  for (const { name, description } of RPC_TOOLS) {
    expect(isRpcTool(name) && isIdempotent(name)).toBe(true);
    expect(description).toContain(` ${weightOf(name)} CU.`);
  }
});

/** Hashes and signatures: they are for the program that verifies a bill. */
const NO_TOOLS = ['listSettlementLanes', 'listAccountReceipts'];

test('every operation of the description is a tool, and takes the same parameters', () => {
  const lists = [...accountOperationsOf(readDescription())].map(({ operation }) => operation.operationId);
  expect([...ACCOUNT_TOOLS.map(({ name }) => name), ...NO_TOOLS]).toEqual(['getAccount', ...lists]);
  const parametersOf = (id: string) =>
    Object.entries(ACCOUNT_PARAMETERS).flatMap(([list, own]) =>
      list === id ? own.map(({ name }) => name) : [],
    );
  for (const { name, inputSchema } of ACCOUNT_TOOLS.slice(1))
    expect([name, Object.keys(inputSchema.properties)]).toEqual([name, parametersOf(name)]);
});

test('every tool takes blocks as numbers and as texts', () => {
  const blocks = chosen('all').flatMap(({ name, inputSchema }) =>
    Object.entries(inputSchema.properties)
      .filter(([key]) => /^(from_block|to_block|block|number)$/.test(key))
      .map(([key, { type }]) => [`${name} ${key}`, type]),
  );
  expect(blocks.length).toBeGreaterThan(40);
  for (const [name, type] of blocks) expect([name, type]).toEqual([name, ['integer', 'string']]);
});

test('the list that every agent gets is short', () => {
  expect(chosen().length).toBeLessThanOrEqual(MOST_TOOLS);
  expect(JSON.stringify({ tools: chosen().map(listedTool) }).length).toBeLessThan(MOST_LIST_CHARACTERS);
  expect(new Set(chosen().map(({ toolset }) => toolset))).toEqual(new Set(DEFAULT_TOOLSETS));
});

test('a URL names its sets, once or several times; each tool is of one, and none is unnamed', () => {
  expect(chosen('all').length).toBe(DATA_TOOLS.length + RPC_TOOLS.length + ACCOUNT_TOOLS.length + 1);
  expect(TOOLSETS.flatMap((toolset) => chosen(toolset)).length).toBe(chosen('all').length);
  expect(chosen('dex,nfts')).toEqual(chosen('dex', 'nfts'));
  expect(new Set(chosen('dex').map(({ toolset }) => toolset))).toEqual(new Set(['dex']));
  for (const { name } of chosen('all')) expect(name).toMatch(/^[A-Za-z0-9_]{1,64}$/);
});

test.each([
  [{ toolsets: [''] }, /unknown toolset: ;/],
  [{ toolsets: ['rpc,DEX'] }, /unknown toolset: DEX; there are all, rpc, account, usage, chains, /],
  [{ toolsets: ['\u0000'.repeat(1_000)] }, /unknown toolset: \?{40};/],
  [{ toolset: ['rpc'] }, /unknown parameter: toolset/],
])('%j is no choice of tools', (query, message) => {
  expect(chooseTools(query)).toEqual({ ok: false, message: expect.stringMatching(message) });
});

test('a tool is found by its own name only', () => {
  expect(toolNamed('eth_call')?.title).toMatch(/call/);
  for (const name of ['', 'constructor', 'ETH_CALL', 'eth_sendRawTransaction'])
    expect(toolNamed(name)).toBeUndefined();
});
