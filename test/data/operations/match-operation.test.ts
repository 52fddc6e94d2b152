import { expect, test } from '@jest/globals';
import { matchOperation } from '../../../lambdas/data/operations/match-operation.ts';
import { OPERATIONS } from '../../../lambdas/data/operations/operations.ts';

test('every path of the description is matched to its operation', () => {
  for (const [operationId, { path }] of Object.entries(OPERATIONS)) {
    if (operationId === 'listChains') continue;
    const filled = path.replace('/{chain}', '').replace(/\{\w+\}/g, 'value');
    expect(matchOperation(filled)?.operationId).toBe(operationId);
  }
});

test.each([
  ['/blocks/', 'listBlocks'],
  ['/blocks/5/', 'getBlock'],
  ['/stocks/corporate-actions', 'listCorporateActions'],
  ['/blocks//5', undefined],
  ['/blocks/5/nothing', undefined],
  ['/', undefined],
  ['', undefined],
  ['/Blocks/5', undefined],
  ['/blocks/by-hash', 'getBlock'],
  ['/blocks/by-hash/0x', undefined],
])('%s is %s', (path, operationId) => expect(matchOperation(path)?.operationId).toBe(operationId));

test('values are decoded, and what is not valid stays as it is', () => {
  expect(matchOperation('/blocks/%35')?.path).toEqual({ number: '5' });
  expect(matchOperation('/blocks/%2e%2e%2f')?.path).toEqual({ number: '../' });
  expect(matchOperation('/blocks/%zz')?.path).toEqual({ number: '%zz' });
  expect(matchOperation('/blocks/%ff')?.path).toEqual({ number: '%ff' });
  expect(matchOperation('/blocks/%00')?.path).toEqual({ number: '\u0000' });
});
