import { expect, test } from '@jest/globals';
import { Binder } from '../../../lambdas/data/plan/binder.ts';
import type { OrderKey, Plan, Scope } from '../../../lambdas/data/plan/plan.ts';
import { composeStatement } from '../../../lambdas/data/plan/statement.ts';
import type { StatementRequest } from '../../../lambdas/data/plan/statement-request.ts';
import { chainSchema } from '../../../lambdas/shared/chain-database/chain-schema.ts';

/** The plan of a shape, and what of its request is not the same for all shapes. */
interface Shape {
  readonly plan: (scope: Scope) => Plan;
  readonly request?: Partial<StatementRequest>;
}

const SCHEMA = chainSchema('example');
const LOGS = `${SCHEMA}.logs`;
const NEWEST_FIRST = ['block_number', 'log_index'].map(
  (column): OrderKey => ({ column, type: 'bigint', descending: true }),
);
const BALANCE_ORDER: readonly OrderKey[] = [
  { column: 'balance', type: 'numeric', descending: true },
  { column: 'token', type: 'bytea', descending: false },
];
const WINDOW = { column: 't.block_number', from: '0', to: undefined, clamp: false } as const;
const HASH = `0x${'ab'.repeat(32)}`;

const list = {
  shape: 'list',
  branches: [{ from: LOGS, where: ['t.address = :address'] }],
  keys: NEWEST_FIRST,
  columns: 't.block_number, t.log_index',
  window: WINDOW,
} satisfies Plan;

/** Each shape that a statement of the Data API can have, on tables of few columns. */
const SHAPES: Readonly<Record<string, Shape>> = {
  'one row': {
    plan: () => ({
      shape: 'one',
      with: [`place AS (SELECT block_number FROM ${SCHEMA}.transactions WHERE hash = :hash)`],
      branches: [
        {
          from: `${SCHEMA}.transactions`,
          where: ['t.block_number = (SELECT block_number FROM place)'],
        },
      ],
      keys: [],
      columns: 't.hash',
      joins: `LEFT JOIN ${SCHEMA}.tokens AS token ON token.address = t.to_address`,
      height: 't.block_number',
      exists: 'EXISTS (SELECT 1 FROM place)',
    }),
    request: { dataset: 'transactions' },
  },
  'one row with a list in it': {
    plan: () => ({
      shape: 'one',
      branches: [{ from: `${SCHEMA}.transactions`, where: ['t.hash = :hash'] }],
      keys: [],
      columns: 't.hash',
      height: 't.block_number',
      parts: {
        field: 'logs',
        limit: 500,
        branches: [{ from: LOGS, where: ['t.tx_hash = :hash'] }],
        keys: NEWEST_FIRST,
        columns: 't.log_index, t.data',
        longBytes: '2 * octet_length(t.data)',
      },
    }),
  },
  'first page of a list': { plan: () => list, request: { dataset: 'logs' } },
  'later page of a list': {
    plan: () => list,
    request: { after: { keys: ['120', '3'], window: [0, 500], cut: false } },
  },
  'later page of a list that goes to the indexed head': {
    plan: () => ({ ...list, finality: 'latest' }),
    request: { after: { keys: ['120', '3'], window: [0, 500], cut: false, anchor: HASH } },
  },
  'list of at most so many blocks, whose times may belong to blocks that are missing': {
    plan: () => ({
      ...list,
      window: { ...WINDOW, from: '100', to: '200', earliest: '90', latest: '210', maxBlocks: 50 },
    }),
  },
  'list whose window may be cut': {
    plan: () => ({ ...list, window: { ...WINDOW, from: '100', to: '200', maxBlocks: 50, clamp: true } }),
  },
  'list with a filter that no index serves': {
    plan: () => ({
      ...list,
      finality: 'latest',
      branches: [{ from: LOGS, where: ['t.address = :address'] }],
      filter: ['t.topic1 = :topic'],
    }),
  },
  'list of several branches that may find the same row, with long values': {
    plan: () => ({
      ...list,
      overlapping: true,
      branches: [
        { from: LOGS, where: ['t.address = :address'] },
        { from: LOGS, where: ['t.tx_hash = :hash'], keys: 1, columns: 't.block_number, t.log_index' },
      ],
      columns: 't.log_index, t.data',
      longBytes: '2 * octet_length(t.data)',
      counted: 't.log_index > 0',
    }),
  },
  'later page of a snapshot, ordered in two directions': {
    plan: () => ({
      shape: 'list',
      branches: [{ from: `${SCHEMA}.balances`, where: ['t.holder = :holder'] }],
      keys: BALANCE_ORDER,
      columns: 't.token, t.balance',
      ofSnapshot: true,
    }),
    request: { after: { keys: ['12', '0xab'], cut: false, snapshot: 7 }, dataset: 'balances' },
  },
  'list that covers a range of its own': {
    plan: () => ({
      shape: 'list',
      branches: [{ from: `${SCHEMA}.candles`, where: ['t.subject = :subject'] }],
      keys: [{ column: 'start_time', type: 'timestamptz', descending: false }],
      columns: 't.start_time',
      covers: { from: '0', to: 'finalized' },
    }),
  },
  'first page of a file': { plan: () => list, request: { packed: 'with-names' } },
  'later page of a file of long rows': {
    plan: () => ({ ...list, columns: 't.log_index, t.data', longBytes: '2 * octet_length(t.data)' }),
    request: {
      packed: 'without-names',
      after: { keys: ['120', '3'], window: [0, 500], cut: false },
    },
  },
};

test.each(Object.entries(SHAPES))('the statement of %s', (_name, { plan, request }) => {
  const scope: Scope = { schema: SCHEMA, bind: new Binder(), entryPoints: [] };
  const statement = composeStatement({
    scope,
    plan: plan(scope),
    limit: 100,
    maxBytes: 600_000,
    after: undefined,
    dataset: undefined,
    seats: { keyId: 'key-1', count: 4 },
    ...request,
  });
  expect(statement).toMatchSnapshot();
  expect(scope.bind.parametersOf(statement)).toMatchSnapshot('parameters');
});
