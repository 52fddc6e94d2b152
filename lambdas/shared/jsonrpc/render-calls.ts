import type { Call } from './calls.ts';

const COMMA = Buffer.from(',');
const ARRAY_START = Buffer.from('[');
const ARRAY_END = Buffer.from(']');
const CALL_END = Buffer.from('}');

/**
 * JSON that a node is sent: one call as an object, several as a batch, with the ids `firstId`, `firstId` + 1, ...
 * Only validated parts of the client's bytes go in, params as they came.
 */
export function renderCalls(calls: readonly Call[], firstId: number): Buffer {
  const objects = calls.map((call, index) => renderCall(call, firstId + index));
  if (objects.length === 1) return Buffer.concat(objects.flat());
  const pieces = objects.flatMap((object, index) => (index === 0 ? object : [COMMA, ...object]));
  return Buffer.concat([ARRAY_START, ...pieces, ARRAY_END]);
}

function renderCall({ method, params }: Call, id: number): Uint8Array[] {
  const head = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)}`;
  return params === undefined
    ? [Buffer.from(`${head}}`)]
    : [Buffer.from(`${head},"params":`), params, CALL_END];
}
