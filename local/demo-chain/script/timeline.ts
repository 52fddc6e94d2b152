import type { Random } from './random.ts';

/** Gaps between blocks, in seconds, with how often each kind occurs, in percent: bursts, calm and quiet hours. */
const GAPS = [
  { percent: 72, minimum: 1, maximum: 20 },
  { percent: 23, minimum: 60, maximum: 900 },
  { percent: 5, minimum: 3_600, maximum: 10_000 },
] as const;

/**
 * Times of blocks that fill a span, strictly increasing; the last one is the end.
 * @param end in seconds since the epoch
 * @param span in seconds, at least one for each block
 */
export function blockTimes(random: Random, count: number, end: number, span: number): number[] {
  const gaps = Array.from({ length: count }, () => pickGap(random));
  const total = gaps.reduce((sum, gap) => sum + gap, 0);
  // One second is kept for each block, so that rounding never makes two blocks of one time.
  const spare = span - count;
  let passed = 0;
  return gaps.map((gap, index) => {
    passed += gap;
    return end - span + index + 1 + Math.floor((passed * spare) / total);
  });
}

function pickGap(random: Random): number {
  let drawn = random.integer(1, 100);
  for (const { percent, minimum, maximum } of GAPS) {
    if (drawn <= percent) return random.integer(minimum, maximum);
    drawn -= percent;
  }
  return 1;
}
