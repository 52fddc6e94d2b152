import type { QueryConfig } from 'pg';
import { matchOperation } from '../../../lambdas/data/operations/match-operation.ts';
import { type DataOperationId, OPERATIONS } from '../../../lambdas/data/operations/operations.ts';
import { type PlanInput, type PlannedRequest, planRequest } from '../../../lambdas/data/plan-request.ts';
import type { Samples } from './seeded-rows.ts';

/** A moment within the seeded chain. */
const MOMENT = '2026-01-01T00:10:00Z';
const DAY = '2026-01-31';

/** Path of a request below the chain, and its query. */
export interface SampledRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, string[]>>;
}

/** A request of an operation for rows that are there. */
export function samplePath(operationId: DataOperationId, samples: Samples): SampledRequest {
  const { path, parameters } = OPERATIONS[operationId];
  const query: Record<string, string[]> = {};
  let filled = path.replace('/{chain}', '');
  for (const { name, in: place, required } of parameters) {
    if (place === 'query' && !required && !isChosen(operationId, name)) continue;
    const value = sampleValue(operationId, name, samples);
    if (place === 'path') filled = filled.replace(`{${name}}`, value);
    else query[name] = [value];
  }
  return { path: filled, query };
}

/** Optional parameters that an operation is measured with. */
function isChosen(operationId: DataOperationId, name: string): boolean {
  return (
    (operationId === 'listLogs' && name === 'address') || (operationId === 'listStocks' && name === 'day')
  );
}

/** Most members of a batch. */
const BATCH = 100;

/** A whole batch of members that are there. */
function batchOf(...members: readonly string[]): string {
  return Array.from({ length: BATCH }, (_, index) => members[index % members.length]).join(',');
}

function sampleValue(operationId: DataOperationId, name: string, samples: Samples): string {
  const isItem = /Nft(Collection|Item|Owner|Transfer)/.test(operationId);
  switch (name) {
    case 'address':
      return operationId === 'listLogs' ? samples.token : samples.address;
    case 'token':
      return isItem ? samples.collection : samples.token;
    case 'tokens':
      return operationId === 'getPrices'
        ? batchOf(samples.token, samples.stock)
        : `${samples.token},${samples.stock}`;
    case 'addresses':
      return batchOf(samples.token, samples.stock);
    case 'hashes':
      return batchOf(samples.hash);
    case 'token_id':
      return samples.tokenId;
    case 'pool':
      return operationId === 'listPoolCandles' ? samples.token : samples.pool;
    case 'hash':
      return operationId === 'getBlockByHash' ? samples.blockHash : samples.hash;
    case 'number':
      return String(samples.block);
    case 'time':
      return MOMENT;
    case 'day':
      return DAY;
    case 'dataset':
      return 'transactions';
    default:
      throw new Error(`${operationId} has a parameter ${name} without a sample`);
  }
}

/** What the function makes of a request. */
export function planSampled({
  path,
  query,
  pageSize,
  keyId = 'bench',
}: SampledRequest & Pick<PlanInput, 'pageSize'> & { readonly keyId?: string }): PlannedRequest {
  const matched = matchOperation(path);
  if (matched === undefined) throw new Error(`no operation at ${path}`);
  const planned = planRequest({
    account: 'bench',
    chain: 'bench',
    matched,
    query,
    seal: () => '',
    ...(pageSize && { pageSize }),
    seats: { keyId, count: 8 },
  });
  if (!planned.ok) throw new Error(`${path}: ${planned.failure.message}`);
  return planned;
}

/** A statement as PostgreSQL itself takes it, which plans it anew each time. */
export function bareQuery([sql, parameters = {}]: ReturnType<PlannedRequest['statement']>): QueryConfig {
  const names = Object.keys(parameters);
  const text = sql.replace(/(?<!:):(\w+)/g, (_, name: string) => `$${names.indexOf(name) + 1}`);
  return { text, values: Object.values(parameters) };
}
