import { decodeSegment } from '../../shared/http/decode-segment.ts';
import { type DataOperationId, OPERATIONS } from './operations.ts';

const PARAMETER = /^\{(\w+)\}$/;
const CHAIN_SEGMENT = '{chain}';

/** An operation that a path names, with the values of its parameters, still percent-encoded. */
export interface MatchedOperation {
  readonly operationId: DataOperationId;
  readonly path: Readonly<Record<string, string>>;
}

interface Route {
  readonly operationId: DataOperationId;
  readonly segments: readonly string[];
}

/** Fixed segments win over parameters, so they come first. */
const ROUTES: readonly Route[] = (Object.keys(OPERATIONS) as DataOperationId[])
  .map((operationId) => ({ operationId, segments: segmentsOf(OPERATIONS[operationId].path) }))
  .filter(({ segments }) => segments[0] === CHAIN_SEGMENT)
  .map(({ operationId, segments }) => ({ operationId, segments: segments.slice(1) }))
  .sort((one, other) => parameterCount(one) - parameterCount(other));

/**
 * The operation of a path below a chain; undefined if absent. The values are decoded: one that is not valid
 * is left as it is, which no parameter then takes.
 */
export function matchOperation(path: string): MatchedOperation | undefined {
  const segments = segmentsOf(path);
  for (const route of ROUTES) {
    if (route.segments.length !== segments.length) continue;
    const values = match(route.segments, segments);
    if (values !== undefined) return { operationId: route.operationId, path: values };
  }
  return undefined;
}

function match(route: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  const values: Record<string, string> = {};
  for (const [index, expected] of route.entries()) {
    const segment = segments[index] ?? '';
    const name = PARAMETER.exec(expected)?.[1];
    if (name === undefined && segment !== expected) return undefined;
    if (name !== undefined) values[name] = decodeSegment(segment);
  }
  return values;
}

function segmentsOf(path: string): string[] {
  return path
    .split('/')
    .filter((segment, index, all) => segment !== '' || (index > 0 && index < all.length - 1));
}

function parameterCount({ segments }: Route): number {
  return segments.filter((segment) => PARAMETER.test(segment)).length;
}
