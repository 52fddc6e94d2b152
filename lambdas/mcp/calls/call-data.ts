import { isBlamelessStatus, type KeyHolder } from 'gateway-access';
import { dataMetrics } from '../../data/data-metrics.ts';
import { type DataDependencies, type DataRequest, handleData } from '../../data/handle-data.ts';
import { type DataOperationId, OPERATIONS } from '../../data/operations/operations.ts';
import { emitMetrics } from '../../shared/runtime/metrics.ts';
import type { ToolArguments } from '../tools/tool.ts';
import type { ToolResponseOrGone } from './tool-response.ts';

const CHAIN_PREFIX = '/{chain}';
const PLACEHOLDER = /\{(\w+)\}/g;
const FIRST_ERROR_STATUS = 400;

/** A call of a tool by the holder of a key. */
export interface CallContext {
  readonly holder: KeyHolder;
  readonly requestId: string;
}

/** Runs an operation of the Data API exactly as its HTTP route does: parameters, limits, statement, charge. */
export async function callData(
  operationId: DataOperationId,
  values: ToolArguments,
  context: CallContext,
  dependencies: DataDependencies,
): Promise<ToolResponseOrGone> {
  const request = requestOf(operationId, values, context);
  const startedAt = dependencies.clock.now();
  const response = await handleData(request, dependencies);
  const lines = dataMetrics(request, { response, startedAt }, dependencies);
  for (const line of lines) emitMetrics(line, dependencies.clock.now());
  const { statusCode, headers, body } = response;
  if (body.length === 0) return undefined;
  return {
    status: statusCode,
    headers,
    body: typeof body === 'string' ? [Buffer.from(body)] : body,
    isError: statusCode >= FIRST_ERROR_STATUS,
    isBlameless: isBlamelessStatus(statusCode),
  };
}

/** The request that a client would send: parameters of the path in the path, the others in the query. */
function requestOf(operationId: DataOperationId, values: ToolArguments, context: CallContext): DataRequest {
  const { path, parameters } = OPERATIONS[operationId];
  const query = parameters.filter(({ in: place, name }) => place === 'query' && values[name] !== undefined);
  return {
    ...context,
    chain: values.chain === undefined ? undefined : String(values.chain),
    path: path.startsWith(CHAIN_PREFIX)
      ? path
          .slice(CHAIN_PREFIX.length)
          .replace(PLACEHOLDER, (_, name: string) => encodeURIComponent(String(values[name])))
      : undefined,
    query: Object.fromEntries(query.map(({ name }) => [name, [String(values[name])]])),
    ifNoneMatch: undefined,
  };
}
