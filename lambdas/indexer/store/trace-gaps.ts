import type { Queries } from '../../chain-data/chain-database.ts';
import type { TraceGap } from '../decode/rows.ts';
import type { BlockRange } from './block-range.ts';

/** A stretch of blocks that have no traces for one reason. */
export interface TraceGapRange extends BlockRange {
  readonly reason: TraceGap['reason'];
  readonly lastError: string;
}

/** Neighbouring gaps of one reason as one, with the last message. `gaps`: in the order of the chain. */
export function gapRanges(gaps: readonly TraceGap[]): TraceGapRange[] {
  const ranges: TraceGapRange[] = [];
  for (const { block_number, reason, last_error } of gaps) {
    const last = ranges.at(-1);
    const goesOn = last?.to === block_number - 1 && last.reason === reason;
    const from = goesOn ? last.from : block_number;
    if (goesOn) ranges.pop();
    ranges.push({ from, to: block_number, reason, lastError: last_error });
  }
  return ranges;
}

/** Records gaps of blocks that are in none. A gap that goes on where one of the same reason ends makes that longer. */
export async function recordGaps(
  queries: Queries,
  schema: string,
  gaps: readonly TraceGapRange[],
): Promise<void> {
  for (const { from, to, reason, lastError } of gaps) {
    const parameters = { from, to, reason, error: lastError };
    const { updated } = await queries.query(
      `UPDATE ${schema}._trace_gaps SET to_block = :to, last_error = :error, recorded_at = now()
       WHERE to_block = :from - 1 AND reason = :reason`,
      parameters,
    );
    if (updated > 0) continue;
    await queries.query(
      `INSERT INTO ${schema}._trace_gaps (from_block, to_block, reason, last_error)
       VALUES (:from, :to, :reason, :error)`,
      parameters,
    );
  }
}

/** Takes blocks out of the gaps that they are in; what is left of those stays. */
export async function closeGaps(queries: Queries, schema: string, { from, to }: BlockRange): Promise<void> {
  const { rows } = await queries.query(
    `DELETE FROM ${schema}._trace_gaps
     WHERE int8range(from_block, to_block, '[]') && int8range(:from, :to, '[]')
     RETURNING from_block, to_block, reason, coalesce(last_error, '') AS last_error`,
    { from, to },
  );
  const rest = rows.flatMap(({ from_block, to_block, reason, last_error }) => {
    const gap = { reason: reason as TraceGap['reason'], lastError: String(last_error) };
    const [first, last] = [Number(from_block), Number(to_block)];
    return [
      ...(first < from ? [{ ...gap, from: first, to: from - 1 }] : []),
      ...(last > to ? [{ ...gap, from: to + 1, to: last }] : []),
    ];
  });
  await recordGaps(queries, schema, rest);
}
