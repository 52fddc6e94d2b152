import type { ChainSchema } from '../../shared/chain-database/chain-schema.ts';
import type { ParameterValues } from './parse-parameters.ts';
import type { CoveredRange, Scope, WindowPlan } from './plan.ts';

/** What is wrong with a window, for people; undefined if nothing is. */
export function windowProblem(values: ParameterValues): string | undefined {
  const { from_block, to_block, from_time, to_time } = values;
  const byBlock = from_block !== undefined || to_block !== undefined;
  const byTime = from_time !== undefined || to_time !== undefined;
  if (byBlock && byTime) return 'a window is given in blocks or in times, not in both';
  if (from_block !== undefined && to_block !== undefined && from_block > to_block)
    return 'from_block is above to_block';
  if (
    from_time !== undefined &&
    to_time !== undefined &&
    Date.parse(String(from_time)) > Date.parse(String(to_time))
  )
    return 'from_time is after to_time';
  return undefined;
}

/** SQL of the first block that may be at or after a moment: the one behind the last stored block that is earlier. */
export function earliestAt(schema: ChainSchema, moment: string): string {
  return `coalesce((SELECT number + 1 FROM ${schema}.blocks WHERE time < ${moment} ORDER BY time DESC, number DESC LIMIT 1), 0)`;
}

/** SQL of the last block that may be before a moment: the one below the first stored block that is not earlier. */
export function latestBefore(schema: ChainSchema, moment: string): string {
  return below(schema, `time >= ${moment}`);
}

/** SQL of the last block that may be at or before a moment: the one below the first that is stored of later. */
export function latestAt(schema: ChainSchema, moment: string): string {
  return below(schema, `time > ${moment}`);
}

function below(schema: ChainSchema, isLater: string): string {
  return `coalesce((SELECT number - 1 FROM ${schema}.blocks WHERE ${isLater} ORDER BY time, number LIMIT 1), as_of)`;
}

/**
 * Blocks that figures of periods are made of. What is above the finalized block may still change, so it counts only
 * where nothing else was asked for.
 */
export function finalizedPart({ from, to }: CoveredRange): CoveredRange {
  return {
    from,
    to: `CASE WHEN ${from} > finalized THEN greatest(${from}, ${to}) ELSE least(${to}, finalized) END`,
  };
}

/**
 * The window of a list; without a lower end it begins with the chain, or is as wide as it may be. Times stand for the
 * blocks that are stored, and for the missing ones beside these as far as coverage goes.
 */
export function windowOf(
  { schema, bind }: Scope,
  { from_block, to_block, from_time, to_time, clamp }: ParameterValues,
  column: string,
  maxBlocks?: number,
): WindowPlan {
  const to =
    to_block !== undefined
      ? bind.integer(Number(to_block))
      : to_time !== undefined
        ? `coalesce((SELECT number FROM ${schema}.blocks WHERE time <= ${bind.time(String(to_time))} ORDER BY time DESC, number DESC LIMIT 1), -1)`
        : undefined;
  const first =
    maxBlocks === undefined ? '0' : `greatest(least(${to ?? 'reach'}, reach) - ${maxBlocks - 1}, 0)`;
  const from =
    from_block !== undefined
      ? bind.integer(Number(from_block))
      : from_time !== undefined
        ? `coalesce((SELECT number FROM ${schema}.blocks WHERE time >= ${bind.time(String(from_time))} ORDER BY time, number LIMIT 1), as_of + 1)`
        : first;
  return {
    column,
    from,
    to,
    clamp: clamp === true,
    ...(from_time !== undefined && { earliest: earliestAt(schema, bind.time(String(from_time))) }),
    ...(to_time !== undefined && { latest: latestAt(schema, bind.time(String(to_time))) }),
    ...(maxBlocks !== undefined && { maxBlocks }),
  };
}

/** The window of one block, which must not be cut. */
export function oneBlock(block: string, column: string): WindowPlan {
  return { column, from: block, to: block, clamp: false };
}
