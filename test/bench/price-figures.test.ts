import { expect, test } from '@jest/globals';
import { judgePrices, MAX_PRICE_RATIO } from '../../bench/figures.ts';

const request = (name: string, cu: number, databaseMs: number, bytes = 0) => ({
  name,
  cu,
  databaseMs,
  bytes,
});

test('each request is put beside the median of what a CU costs, the dearest first', () => {
  const judged = judgePrices([request('fair', 10, 10), request('cheap', 20, 10), request('dear', 1, 4)]);
  expect(judged.map(({ name, msPerCu, ratio }) => [name, msPerCu, ratio])).toEqual([
    ['dear', 4, 4],
    ['fair', 1, 1],
    ['cheap', 0.5, 0.5],
  ]);
  expect(judged.filter(({ ratio }) => ratio > MAX_PRICE_RATIO).map(({ name }) => name)).toEqual(['dear']);
});

test('bytes cost as well: a mebibyte as much as 20 ms of the database', () => {
  const [one] = judgePrices([request('large', 10, 0, 1_048_576)]);
  expect(one?.msPerCu).toBe(2);
});
