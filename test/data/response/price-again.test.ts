/** The price of a Data API response that is worked out again is what was billed: exactly where rows are short. */
import fc from 'fast-check';
import { type DataOperationId, OPERATIONS } from '../../../lambdas/data/operations/operations.ts';
import { billedCalls, cuOf } from '../../../lambdas/data/plan/price.ts';
import { dataPrice } from '../../../lambdas/data/response/price-again.ts';
import { renderBody } from '../../../lambdas/data/response/render-body.ts';
import { FIRST_PRICE_LIST } from '../../../lambdas/shared/bill/price-list.ts';

const META = {
  asOfBlock: 9,
  finalizedBlock: 9,
  coverage: 'full',
  refreshedAt: '2026-11-20T09:00:00Z',
  rowsRead: 3,
  queryMs: 1,
} as const;
const operations = fc.constantFrom(...(Object.keys(OPERATIONS) as DataOperationId[]));

function priceOf(operationId: DataOperationId, data: string, coverage: 'full' | 'none' = 'full') {
  const body = renderBody(data, 'cursor","meta":{', { ...META, coverage });
  return dataPrice({ operationId, statusCode: 200, body }, FIRST_PRICE_LIST);
}

test('of a list, and of a batch in which some are not found', () => {
  fc.assert(
    fc.property(operations, fc.array(fc.boolean(), { maxLength: 300 }), fc.nat(1_500), (id, found, width) => {
      const { computeUnits, perItem } = OPERATIONS[id];
      const isPerItem = perItem !== undefined;
      const rows = found.map((isFound) => ({
        error: isPerItem && !isFound ? 'not_found' : null,
        x: 'é'.repeat(width / 2),
      }));
      const data = JSON.stringify(rows);
      const size = {
        rows: isPerItem ? found.filter(Boolean).length : rows.length,
        bytes: Buffer.byteLength(data),
      };
      const cu = cuOf(billedCalls({ computeUnits, isPerItem }, size));
      const bounds = priceOf(id, data);
      expect(bounds?.most).toBe(cu);
      if (isPerItem || width < 900) expect(bounds?.least).toBe(cu);
      else expect(bounds?.least).toBeLessThanOrEqual(cu);
    }),
  );
});

test('of one object, of what is not there, of a failure and of what the client has kept', () => {
  expect(priceOf('getBlock', '{"number":1,"transactions":["a"]}')).toEqual({ least: 5, most: 5 });
  const long = JSON.stringify({ list: Array.from({ length: 130 }, () => 1) });
  expect(priceOf('getBlock', long)).toEqual({ least: 5, most: 7 });
  expect(priceOf('listTransfers', '[]', 'none')).toEqual({ least: 0, most: 0 });
  expect(priceOf('getBlock', 'null', 'none')).toEqual({ least: 0, most: 0 });
  expect(priceOf('listChains', '[]', 'none')).toEqual({ least: 1, most: 1 });
  expect(priceOf('listTransfers', '[]')).toEqual({ least: 10, most: 10 });
  const batch = JSON.stringify([{ error: null }, { error: 'not_found' }, { error: null }]);
  expect(priceOf('getTokens', batch)).toEqual({ least: 10, most: 10 });
  const answered = { operationId: 'getBlock', body: '' } as const;
  expect(dataPrice({ ...answered, statusCode: 503 }, FIRST_PRICE_LIST)).toEqual({ least: 0, most: 0 });
  expect(dataPrice({ ...answered, statusCode: 304 }, FIRST_PRICE_LIST)).toEqual({ least: 0, most: 1 });
});
