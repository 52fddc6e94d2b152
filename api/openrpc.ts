import { FRONT_ERRORS } from '../lambdas/rpc/response/front-errors.ts';
import { MAX_BATCH_CALLS, MAX_BODY_BYTES } from '../lambdas/shared/jsonrpc/calls.ts';
import { ERROR_CATALOGUE } from '../lambdas/shared/jsonrpc/error-catalogue.ts';
import {
  effectiveMethods,
  isMethodServed,
  WEIGHTS,
  weightOf,
} from '../lambdas/shared/methods/method-facts.ts';
import { CACHED_CU, DEFAULT_WEIGHT } from '../lambdas/shared/methods/method-table.ts';
import type { ChainMethods } from '../lambdas/shared/runtime/settings.ts';
import { RPC_METHODS, RPC_SCHEMAS, type RpcMethod, type RpcSchema } from './rpc-methods.ts';

const OPENRPC_VERSION = '1.3.2';
/** Only a call of this method is refused for its range of blocks. */
const LOGS_METHOD = 'eth_getLogs';
const LOGS_ERROR = ERROR_CATALOGUE.logs_range_too_large.code;
/** Bounds in messages that are the same for every stage; the others differ from chain to chain. */
const BOUNDS: Readonly<Record<string, number>> = {
  batch_too_large: MAX_BATCH_CALLS,
  body_too_large: MAX_BODY_BYTES,
};

const DESCRIPTION = `JSON-RPC 2.0 by POST, single calls and batches of up to ${MAX_BATCH_CALLS}. The key is sent as \`x-api-key\`, as \`Authorization: Bearer\` or in the path; \`./{chain}/\` beside the server is the same for another chain. The methods here are those that are called most: every other one of \`x-methods.allow\` that is not in \`x-methods.deny\` is served by the default chain as well; \`GET /v1/chains\` has both for each chain. \`x-compute-units\` is the weight of a call; an answer from the cache has the weight \`x-compute-units.cached\`. With \`X-Min-Block\`, a decimal number, what is at a tag or is not there is of a node that has the block. With \`X-Verify: state\` balances, nonces, slots and code are proven against a block whose hash two operators name, with \`X-Verify: block\` blocks, transactions and receipts. What a node answers is passed on as it is otherwise.`;

interface DescribedError {
  readonly code: number;
  readonly message: string;
  /** One entry for each `error.data.reason` that the number stands for. */
  readonly data: readonly {
    readonly reason: string;
    readonly message: string;
    readonly retryable: boolean;
    readonly http_status: number;
  }[];
}

/**
 * The JSON-RPC interface as an OpenRPC document, made from the tables that the function itself goes by: methods, their
 * compute units, and the errors that the gateway makes. The numbers of errors are unique, as OpenRPC asks for; the reasons
 * behind a number are its `data`.
 *
 * @param served the methods of the default chain, which the document is about. @default every chain's
 */
export function openRpcDocument(served: ChainMethods = {}) {
  const errors = describeErrors();
  const methods = Object.entries(RPC_METHODS).flatMap(([group, entries]) =>
    entries
      .filter(({ method }) => isMethodServed(method, served))
      .map((entry) => describeMethod(group, entry, errors)),
  );
  return {
    openrpc: OPENRPC_VERSION,
    info: { title: 'JSON-RPC', version: '1', description: DESCRIPTION },
    servers: [{ name: 'default chain', url: './', summary: 'Relative to where this document is served.' }],
    methods,
    components: {
      schemas: RPC_SCHEMAS,
      errors: Object.fromEntries(errors.map((error) => [errorName(error), error])),
    },
    'x-compute-units': { default: DEFAULT_WEIGHT, cached: CACHED_CU, weights: Object.fromEntries(WEIGHTS) },
    'x-methods': effectiveMethods(served),
  };
}

function describeMethod(group: string, entry: RpcMethod, errors: readonly DescribedError[]) {
  return {
    name: entry.method,
    summary: entry.summary,
    tags: [{ name: group }],
    paramStructure: 'by-position',
    params: entry.parameters.map(({ name, holds, schema, optional }) => ({
      name,
      summary: holds,
      required: optional !== true,
      schema: schemaOf(schema),
    })),
    result: { name: 'result', summary: entry.gives, schema: schemaOf(entry.result) },
    errors: errors
      .filter(({ code }) => code !== LOGS_ERROR || entry.method === LOGS_METHOD)
      .map((error) => ({ $ref: `#/components/errors/${errorName(error)}` })),
    'x-compute-units': weightOf(entry.method),
  };
}

function schemaOf(schema: RpcSchema) {
  return typeof schema === 'string' ? { $ref: `#/components/schemas/${schema}` } : schema;
}

function describeErrors(): DescribedError[] {
  const byCode = Map.groupBy(Object.entries({ ...ERROR_CATALOGUE, ...FRONT_ERRORS }), ([, { code }]) => code);
  return [...byCode].map(([code, entries]) => {
    const data = entries.map(([reason, { message, retryable, httpStatus }]) => ({
      reason,
      message: message.replace('<max>', String(BOUNDS[reason] ?? '<max>')),
      retryable,
      http_status: httpStatus,
    }));
    return { code, message: [...new Set(data.map(({ message }) => message))].join('; '), data };
  });
}

/** Name of the component of an error, which must be text. */
function errorName({ code }: DescribedError): string {
  return `code${code}`;
}
