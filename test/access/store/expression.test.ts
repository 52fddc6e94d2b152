import {
  attributeValue,
  conditionExpressions,
  queryExpressions,
  updateExpressions,
} from '../../../lambdas/access/store/store.ts';

const KEY = { table: 'accounts', key: { account: 'a1' } } as const;

test('a condition is the conjunction of its clauses, a list their disjunction', () => {
  const expressions = conditionExpressions([
    { is: 'present', attribute: 'account' },
    [
      { is: 'absent', attribute: 'w_1' },
      { is: '<', attribute: 'w_1', value: 7n },
    ],
    { is: '=', attribute: 'status', value: 'active' },
  ]);
  expect(expressions).toEqual({
    ConditionExpression: 'attribute_exists(#n0) AND (attribute_not_exists(#n1) OR #n1 < :v0) AND #n2 = :v1',
    ExpressionAttributeNames: { '#n0': 'account', '#n1': 'w_1', '#n2': 'status' },
    ExpressionAttributeValues: { ':v0': { N: '7' }, ':v1': { S: 'active' } },
  });
});

test('nothing is sent that is not used', () => {
  expect(conditionExpressions([])).toEqual({});
  expect(updateExpressions({ ...KEY, when: [], set: {}, add: {} })).toEqual({});
  expect(conditionExpressions([{ is: 'absent', attribute: 'record' }])).toEqual({
    ConditionExpression: 'attribute_not_exists(#n0)',
    ExpressionAttributeNames: { '#n0': 'record' },
  });
});

test('an update sets and adds', () => {
  const expressions = updateExpressions({
    ...KEY,
    when: [{ is: '<=', attribute: 'charged', value: 9n }],
    set: { plan: 'free', w_1: 3n },
    add: { charged: 5n },
  });
  expect(expressions).toEqual({
    UpdateExpression: 'SET #n0 = :v0, #n1 = :v1 ADD #n2 :v2',
    ConditionExpression: '#n2 <= :v3',
    ExpressionAttributeNames: {
      '#n0': 'plan',
      '#n1': 'w_1',
      '#n2': 'charged',
    },
    ExpressionAttributeValues: {
      ':v0': { S: 'free' },
      ':v1': { N: '3' },
      ':v2': { N: '5' },
      ':v3': { N: '9' },
    },
  });
});

test('a query is over a partition, or a range of it', () => {
  const partition = { attribute: 'account', value: 'a1' };
  const whole = { table: 'ledger', partition, limit: 10 } as const;
  expect(queryExpressions(whole)).toMatchObject({ KeyConditionExpression: '#n0 = :v0' });
  expect(queryExpressions({ ...whole, sort: { attribute: 'record', from: 'a', to: 'b' } })).toMatchObject({
    KeyConditionExpression: '#n0 = :v0 AND #n1 BETWEEN :v1 AND :v2',
  });
});

test('numbers keep all their digits', () => {
  expect(attributeValue(10n ** 38n - 1n)).toEqual({ N: '9'.repeat(38) });
  expect(attributeValue(-5n)).toEqual({ N: '-5' });
});
