import type { Position } from './cursor.ts';
import type { Scope } from './plan.ts';
import type { StatementRequest } from './statement-request.ts';

/** SQL of the window as requested: by the cursor, by the parameters, or all that may be returned. */
export function requestedBounds({
  scope: { bind },
  plan: { window },
  after,
}: Pick<StatementRequest, 'scope' | 'plan' | 'after'>): string {
  const [from, to] = after?.window?.map((height) => bind.integer(height)) ?? [
    window?.from ?? '0',
    window?.to,
  ];
  const last = to ?? (window === undefined ? 'as_of' : 'reach');
  return `SELECT as_of, finalized, reach, updated_at, (${from})::bigint AS asked_from, (${last})::bigint AS asked_to FROM head`;
}

/** SQL of the window that is searched (`lo` to `hi`), why it is refused, and the blocks that may belong to it. */
export function effectiveBounds({
  scope,
  plan: { window },
  after,
}: Pick<StatementRequest, 'scope' | 'plan' | 'after'>): string {
  if (window === undefined)
    return `SELECT *, NULL::text AS refusal, asked_from AS lo, asked_to AS hi, asked_from AS earliest, asked_to AS latest
  FROM requested`;
  // The window of a cursor is what the first page promised: it is never cut, and no time stands for it.
  const { maxBlocks, clamp, earliest, latest } =
    after?.window === undefined ? window : { maxBlocks: window.maxBlocks, clamp: false };
  const replaced =
    after?.anchor === undefined ? '' : ` WHEN NOT ${isStored(scope, after)} THEN 'block_replaced'`;
  const tooHigh = " WHEN greatest(asked_from, asked_to) > reach THEN 'finality_exceeded'";
  const tooWide =
    maxBlocks === undefined ? '' : ` WHEN asked_to - asked_from >= ${maxBlocks} THEN 'window_too_large'`;
  const hi = 'least(asked_to, reach)';
  const lo = maxBlocks === undefined ? 'asked_from' : `greatest(asked_from, ${hi} - ${maxBlocks - 1})`;
  return `SELECT *,
    ${clamp ? 'NULL::text' : `CASE${replaced}${tooHigh}${tooWide} END`} AS refusal,
    ${lo} AS lo,
    ${hi} AS hi,
    CASE WHEN ${lo} > asked_from THEN ${lo} ELSE ${earliest ?? 'asked_from'} END AS earliest,
    CASE WHEN ${hi} < asked_to THEN ${hi} ELSE ${latest ?? 'asked_to'} END AS latest
  FROM requested`;
}

/** SQL of whether the block in which the previous page ended is still stored. */
function isStored({ schema, bind }: Scope, { keys, anchor = '' }: Position): string {
  return `EXISTS (
      SELECT 1 FROM ${schema}.blocks WHERE number = ${bind.integer(Number(keys[0]))} AND hash = ${bind.bytes(anchor)}
    )`;
}
