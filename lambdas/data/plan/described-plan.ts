import { type DataOperationId, OPERATIONS } from '../operations/operations.ts';
import type { ParameterValues } from './parse-parameters.ts';
import type { Plan, Scope } from './plan.ts';
import type { Rows } from './resource.ts';
import { windowOf } from './window.ts';

const OF_TOKEN = { table: 'tokens', column: 'address', name: 'token' };

/** Whose lists are below a path: of a token that no transfer was seen of, or that is no tokenised stock, there are none. */
const OWNERS: Readonly<Record<string, typeof OF_TOKEN>> = {
  tokens: OF_TOKEN,
  nfts: OF_TOKEN,
  stocks: { table: 'stock_tokens', column: 'token', name: 'tokenised stock' },
};

/** The plan of an operation: its rows, in the order and the window, below the owner and with the tokens that its description has. */
export function describedPlan(
  scope: Scope,
  operationId: DataOperationId,
  { tokens, ...rows }: Rows,
  values: ParameterValues,
): Plan {
  const { path, paged, maxWindowBlocks } = OPERATIONS[operationId];
  const keys = (rows.keys ?? []).map((key) => ({
    ...key,
    ...(values.order !== undefined && { descending: values.order === 'desc' }),
  }));
  const owner = paged ? OWNERS[/^\/{chain}\/(\w+)\/{token}\//.exec(path)?.[1] ?? ''] : undefined;
  return {
    shape: rows.keys === undefined ? 'one' : 'list',
    ...rows,
    keys,
    // Every operation with a window has this parameter, which has a default.
    ...(values.clamp !== undefined && {
      window: windowOf(scope, values, `t.${keys[0]?.column}`, maxWindowBlocks),
    }),
    ...(owner && {
      exists: `EXISTS (SELECT 1 FROM ${scope.schema}.${owner.table} WHERE ${owner.column} = ${scope.bind.bytes(String(values.token))})`,
      absent: `unknown ${owner.name} ${values.token}`,
    }),
    ...(tokens && values.include === 'token' && includeTokens(scope, rows, tokens)),
  };
}

/** Symbol and decimals of tokens behind a row's own fields, null where the token says none: each by its key, for the page alone. */
function includeTokens(
  { schema }: Scope,
  rows: Rows,
  tokens: NonNullable<Rows['tokens']>,
): Pick<Plan, 'joins' | 'columns'> {
  const joins = Object.entries(tokens).map(
    ([name, column]) => `LEFT JOIN LATERAL (
      SELECT symbol, decimals FROM ${schema}.tokens WHERE address = ${column} LIMIT 1
    ) AS of_${name} ON true`,
  );
  const columns = Object.keys(tokens).map(
    (name) => `of_${name}.symbol AS ${name}_symbol, of_${name}.decimals AS ${name}_decimals`,
  );
  return {
    joins: [...(rows.joins === undefined ? [] : [rows.joins]), ...joins].join(' '),
    columns: [rows.columns, ...columns].join(', '),
  };
}
