const TOKEN =
  /SERVICE_QUOTA\(\s*(?<quota>[a-z]\w*)\s*\)|(?<name>FILL|IF)\s*\(|(?<id>[a-z]\w*)|(?<same>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[<>=!]=|[-+*/()<>\s])|(?<comma>,)|[A-Z_]\w*|./gs;

/** Tells a figure of a metric by its id; undefined: unknown. */
type Read = (id: string) => number | undefined;
/** @param quotaOf how much of what a metric counts the account may have */
type Compute = (read: Read, quotaOf: Read) => number | undefined;

/** A metric math expression, parsed. */
export interface Expression {
  /** The metrics that it reads. */
  readonly ids: readonly string[];
  /** Its value at one time; undefined where a value that it needs is missing, or by division by zero. */
  readonly compute: Compute;
}

/** An expression is none, or uses what the local dashboard does not know. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}

class MissingFigureError extends Error {
  override readonly name = 'MissingFigureError';
}

/**
 * Parses metric math: numbers, ids, arithmetic, comparisons, `IF(condition, then, otherwise)`, `FILL(metric, number)`
 * and `SERVICE_QUOTA(metric)`. All of it is JavaScript once metrics are reads and arguments wait until they are needed.
 * @throws ExpressionError that says what is not understood
 */
export function parseExpression(text: string): Expression {
  const ids: string[] = [];
  const script = Array.from(text.matchAll(TOKEN), ({ 0: token, groups = {} }) => {
    const { quota, name, id, same, comma } = groups;
    ids.push(...[id ?? quota ?? []].flat());
    if (quota !== undefined) return `quotaOf("${quota}")`;
    if (name !== undefined) return `${name}(() =>`;
    if (id !== undefined) return `read("${id}")`;
    if (comma !== undefined) return ', () =>';
    if (same === undefined) throw new ExpressionError(`"${token}" is not supported by a local run`);
    return same;
  });
  const evaluate = compile(script.join(' '));
  return {
    ids,
    compute: (read, quotaOf) =>
      figureOr(
        () =>
          evaluate(
            (id) => figure(read(id)),
            (id) => figure(quotaOf(id)),
            choose,
            figureOr,
          ),
        () => undefined,
      ),
  };
}

type Figure = (id: string) => number;
type Evaluate = (read: Figure, quotaOf: Figure, ...functions: [typeof choose, typeof figureOr]) => unknown;

function compile(script: string): Evaluate {
  try {
    return new Function('read', 'quotaOf', 'IF', 'FILL', `'use strict'; return (${script});`) as never;
  } catch (error) {
    throw new ExpressionError('not an expression', { cause: error });
  }
}

function choose<T>(condition: () => unknown, then: () => T, otherwise: () => T): T {
  return figure(condition()) === 0 ? otherwise() : then();
}

function figureOr<T>(compute: () => unknown, otherwise: () => T): number | T {
  try {
    return figure(compute());
  } catch (error) {
    if (error instanceof MissingFigureError) return otherwise();
    throw error;
  }
}

function figure(value: unknown): number {
  const number = Number(value);
  if (Number.isFinite(number)) return number;
  throw new MissingFigureError();
}
