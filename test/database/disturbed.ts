import type { ChainDatabase } from '../../lambdas/shared/chain-database/chain-database.ts';

/**
 * A database to which something happens before its n-th request, from 1 on: what throws there fails that request.
 * @param unit what counts: each statement, or each transaction and each statement outside of one
 */
export function disturbed(
  database: ChainDatabase,
  before: (nth: number) => void | Promise<void>,
  unit: 'statement' | 'transaction' = 'statement',
): ChainDatabase {
  let count = 0;
  const next = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    count += 1;
    await before(count);
    return work();
  };
  return {
    query: (sql, parameters) => next(() => database.query(sql, parameters)),
    transaction: (work) =>
      unit === 'transaction'
        ? next(() => database.transaction(work))
        : database.transaction((queries) =>
            work({ query: (sql, parameters) => next(() => queries.query(sql, parameters)) }),
          ),
  };
}
