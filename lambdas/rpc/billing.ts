import type { NodeAnswer } from './calls.ts';

/** Codes of node errors that are never billed. */
const UNBILLED_CODES: ReadonlySet<number> = new Set([4444, -32002, -32003, -32600]);
/** Code that is billed unless its message says that the state is gone. */
const SERVER_ERROR_CODE = -32000;
const STATE_GONE_START = 'historical state ';
const STATE_GONE_END = 'is not available';

/** Compute units that the answer of a call of this weight is billed: nothing unless the node has answered. */
export function billedCu(answer: NodeAnswer, weight: number): number {
  switch (answer.kind) {
    case 'result':
      return weight;
    case 'error':
      return UNBILLED_CODES.has(answer.code) || saysStateIsGone(answer.error, answer.code) ? 0 : weight;
    case 'failed':
      return 0;
  }
}

/** Whether a node error is `historical state ... is not available`. `error`: raw JSON of the error object. */
function saysStateIsGone(error: Uint8Array, code: number): boolean {
  if (code !== SERVER_ERROR_CODE) return false;
  const json = Buffer.from(error.buffer, error.byteOffset, error.length);
  // An error can carry megabytes of data: it is parsed only if it can be this one.
  if (!json.includes(STATE_GONE_START)) return false;
  const { message } = JSON.parse(json.toString()) as { message: string };
  const start = message.indexOf(STATE_GONE_START);
  return start >= 0 && message.includes(STATE_GONE_END, start + STATE_GONE_START.length);
}
