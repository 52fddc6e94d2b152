import type { DatabaseRow } from '../../shared/chain-database/decode-row.ts';

/** Blocks from one to another, both included. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/** The numbers as ranges, as few as possible. `numbers`: ascending, without doubles. */
export function toRanges(numbers: readonly number[]): BlockRange[] {
  const ranges: { from: number; to: number }[] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && last.to === number - 1) last.to = number;
    else ranges.push({ from: number, to: number });
  }
  return ranges;
}

/** Ranges as the literal of a PostgreSQL `int8multirange`. */
export function multirange(ranges: readonly BlockRange[]): string {
  return `{${ranges.map(({ from, to }) => `[${from},${to}]`).join(',')}}`;
}

/** The range whose first and last blocks stand in a row. */
export function rangeIn({ from_block, to_block }: DatabaseRow): BlockRange {
  return { from: Number(from_block), to: Number(to_block) };
}
