import { Ajv } from 'ajv';
import { openRpcDocument } from '../../api/openrpc.ts';
import { RPC_METHODS, RPC_SCHEMAS, type RpcSchema } from '../../api/rpc-methods.ts';
import { ERROR_CATALOGUE } from '../../lambdas/shared/jsonrpc/error-catalogue.ts';
import {
  isMethodAvailable,
  matchesPattern,
  WEIGHTS,
  weightOf,
} from '../../lambdas/shared/methods/method-facts.ts';
import { BLOCKED_METHODS } from '../../lambdas/shared/methods/method-table.ts';

const METHODS = Object.values(RPC_METHODS).flat();
const DOCUMENT = openRpcDocument();

/** Where the meta-schema of OpenRPC looks for what a JSON Schema is, in both of its ways to write it. */
const SCHEMA_ADDRESSES = ['https://meta.json-schema.tools', 'https://meta.json-schema.tools/'];
/** What the meta-schema of OpenRPC says of a JSON Schema, which it takes from elsewhere. */
const ANY_SCHEMA = {
  type: ['object', 'boolean'],
  definitions: { JSONSchemaObject: { properties: { $ref: { type: 'string' } } } },
};

test.each(METHODS.map((method) => [method.method, method] as const))(
  '%s is served, and its call is what its parameters say',
  (name, { parameters, params }) => {
    expect(isMethodAvailable(name)).toBe(true);
    expect(params.length).toBeGreaterThanOrEqual(parameters.filter(({ optional }) => !optional).length);
    for (const [index, value] of params.entries())
      expect(problemsOf(parameters[index]?.schema ?? false, value)).toEqual([]);
  },
);

/** What is wrong with a value by a schema of the document. */
function problemsOf(schema: RpcSchema | false, value: unknown): unknown {
  const ajv = new Ajv({ strict: false });
  const found = typeof schema === 'string' ? { $ref: `#/components/schemas/${schema}` } : schema;
  ajv.validate({ components: { schemas: RPC_SCHEMAS }, allOf: [found] }, value);
  return ajv.errors ?? [];
}

test('is OpenRPC by its meta-schema', () => {
  const { openrpcDocument } = jest.requireActual<{ openrpcDocument: object }>('@open-rpc/meta-schema');
  const ajv = new Ajv({ strict: false, validateFormats: false });
  for (const address of SCHEMA_ADDRESSES) ajv.addSchema(ANY_SCHEMA, address);
  ajv.validate({ ...openrpcDocument, $schema: undefined }, DOCUMENT);
  expect(ajv.errors).toBeNull();
});

test('is OpenRPC by the rules that no schema can have', () => {
  const names = DOCUMENT.methods.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const codes = Object.values(DOCUMENT.components.errors).map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
  for (const { params } of DOCUMENT.methods) {
    expect(new Set(params.map(({ name }) => name)).size).toBe(params.length);
    const needs = params.map(({ required }) => required);
    expect(needs).toEqual(needs.toSorted((one, other) => Number(other) - Number(one)));
  }
  for (const [, kind, name] of JSON.stringify(DOCUMENT).matchAll(/"#\/components\/(\w+)\/([\w-]+)"/g))
    expect(DOCUMENT.components[kind as 'schemas' | 'errors']).toHaveProperty([name ?? '']);
});

test('of a chain that serves fewer methods it has those, and the patterns of the others', () => {
  const deny = ['eth_sign*', 'eth_getLogs', 'eth_accounts'];
  const { methods, 'x-methods': patterns } = openRpcDocument({ deny });
  expect(patterns.deny).toEqual([...BLOCKED_METHODS, ...deny]);
  const names = methods.map(({ name }) => name);
  expect(names).toEqual(
    DOCUMENT.methods
      .map(({ name }) => name)
      .filter((name) => name !== 'eth_getLogs' && name !== 'eth_accounts'),
  );
  for (const { name } of openRpcDocument({ allow: ['net_*'] }).methods) expect(name).toMatch(/^net_/);
  expect(openRpcDocument({ allow: ['net_*'] })['x-methods'].allow).toEqual(['net_*']);
});

test('has the weight of each method, and every error of the catalogue', () => {
  for (const { name, 'x-compute-units': weight } of DOCUMENT.methods) expect(weight).toBe(weightOf(name));
  const undescribed = WEIGHTS.filter(
    ([pattern]) => !DOCUMENT.methods.some(({ name }) => matchesPattern(name, pattern)),
  );
  expect(undescribed).toEqual([]);
  expect(DOCUMENT['x-methods'].deny).toEqual(BLOCKED_METHODS);
  const described = Object.values(DOCUMENT.components.errors).flatMap(({ code, data }) =>
    data.map(({ reason, retryable }) => ({ reason, code, retryable })),
  );
  for (const [reason, { code, retryable }] of Object.entries(ERROR_CATALOGUE))
    expect(described).toContainEqual({ reason, code, retryable });
  expect(described.map(({ reason }) => reason)).toContain('gateway_unreachable');
});
