/** One statement whole, so that what its pieces come to can be read; what it does is shown by the requests of test/data. */
import { expect, test } from '@jest/globals';
import { Binder } from '../../../lambdas/data/plan/binder.ts';
import type { OrderKey } from '../../../lambdas/data/plan/plan.ts';
import { composeStatement } from '../../../lambdas/data/plan/statement.ts';
import { chainSchema } from '../../../lambdas/shared/chain-database/chain-schema.ts';

const SCHEMA = chainSchema('example');

test('the statement of later page of a list that goes to the indexed head', () => {
  const bind = new Binder();
  const statement = composeStatement({
    scope: { schema: SCHEMA, bind, entryPoints: [] },
    plan: {
      shape: 'list',
      finality: 'latest',
      branches: [{ from: `${SCHEMA}.logs`, where: ['t.address = :address'] }],
      keys: ['block_number', 'log_index'].map(
        (column): OrderKey => ({ column, type: 'bigint', descending: true }),
      ),
      columns: 't.block_number, t.log_index',
      window: { column: 't.block_number', from: '0', to: undefined, clamp: false },
    },
    limit: 100,
    maxBytes: 600_000,
    after: { keys: ['120', '3'], window: [0, 500], cut: false, anchor: `0x${'ab'.repeat(32)}` },
    dataset: 'logs',
    seats: { keyId: 'key-1', count: 4 },
  });
  expect(statement).toMatchSnapshot();
  expect(bind.parametersOf(statement)).toMatchSnapshot('parameters');
});
