import type { QueryConfig } from 'pg';
import { matchOperation } from '../../lambdas/data/operations/match-operation.ts';
import { type PlanInput, type PlannedRequest, planRequest } from '../../lambdas/data/plan-request.ts';
import { CHAIN } from '../stage.ts';
import type { SampledRequest } from './data-requests.ts';

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
    chain: CHAIN,
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
