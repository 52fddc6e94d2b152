/** Blocks without traces are on record as the ranges that they are: neighbours of one reason are one. */
import { gapRanges } from '../../../lambdas/chain-data/store/trace-gaps.ts';

const gap = (block_number: number, reason: 'failed' | 'refused') =>
  ({ block_number, reason, last_error: `of ${block_number}` }) as unknown as Parameters<
    typeof gapRanges
  >[0][number];

test('neighbouring gaps of one reason are one range, and no others', () => {
  const gaps = [gap(5, 'failed'), gap(6, 'failed'), gap(8, 'failed'), gap(9, 'refused')];
  expect(gapRanges(gaps).map(({ from, to, lastError }) => [from, to, lastError])).toEqual([
    [5, 6, 'of 6'],
    [8, 8, 'of 8'],
    [9, 9, 'of 9'],
  ]);
});
