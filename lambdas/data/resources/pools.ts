import type { OperationParameters } from '../operations/operations.ts';
import type { ParameterValues } from '../plan/parse-parameters.ts';
import type { OrderKey, Plan, Scope } from '../plan/plan.ts';
import { keysOf, scanOf } from './keys.ts';

/** What pools are chosen by. */
type PoolParameters = OperationParameters['listPools'];

const BY_LIQUIDITY: readonly OrderKey[] = [
  { column: 'liquidity_usd', type: 'fraction', descending: true },
  { column: 'pool_id', type: 'bytea', descending: false },
];

/** What is wrong with a choice of pools, for people; undefined if nothing is. Each choice has an index in the order of its list. */
export function poolsProblem({ token, token0, token1, protocol, sort }: ParameterValues): string | undefined {
  if ((token0 === undefined) !== (token1 === undefined)) return 'token0 and token1 are given together';
  if (token0 !== undefined && token !== undefined) return 'pools are of token, or of token0 and token1';
  if (protocol !== undefined && token0 !== undefined)
    return 'protocol goes with token, not with token0 and token1';
  if (protocol !== undefined && sort === 'liquidity') return 'protocol goes with sort=pool_id only';
  return undefined;
}

/** Pools of a token, of a pair in either order or of all, by their id or the most liquid first. */
export function chosenPools(
  scope: Scope,
  parameters: PoolParameters,
): Pick<Plan, 'branches' | 'overlapping' | 'keys'> {
  const byLiquidity = parameters.sort === 'liquidity';
  const further = [
    ...(parameters.protocol === undefined ? [] : [`t.protocol = ${scope.bind.text(parameters.protocol)}`]),
    ...(byLiquidity ? ['t.liquidity_usd IS NOT NULL'] : []),
  ];
  return {
    branches: tokenConditions(scope, parameters).flatMap((where) =>
      scanOf(scope, 'dex_pools', ...where, ...further),
    ),
    overlapping: true,
    keys: byLiquidity ? BY_LIQUIDITY : keysOf('bytea', 'pool_id'),
  };
}

/** Conditions of each scan. */
function tokenConditions(
  { bind }: Scope,
  { token, token0, token1 }: PoolParameters,
): readonly (readonly string[])[] {
  if (token !== undefined) {
    const address = bind.bytes(token);
    return [[`t.token0 = ${address}`], [`t.token1 = ${address}`]];
  }
  if (token0 === undefined || token1 === undefined) return [[]];
  const [one, other] = [bind.bytes(token0), bind.bytes(token1)];
  return [
    [`t.token0 = ${one}`, `t.token1 = ${other}`],
    [`t.token0 = ${other}`, `t.token1 = ${one}`],
  ];
}
