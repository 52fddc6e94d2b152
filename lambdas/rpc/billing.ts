import type { Call, NodeAnswer } from './calls.ts';
import { bringsTracer } from './own-tracer.ts';

/** Codes of node errors that are never billed. */
const UNBILLED_CODES: ReadonlySet<number> = new Set([4444, -32002, -32003, -32600]);
/** Code that is billed unless its message says that the state is gone. */
const SERVER_ERROR_CODE = -32000;
const STATE_GONE_START = 'historical state ';
/** The whole of the message, and short: words of a client come with others before or behind them. */
const STATE_GONE = /^historical state (?:[\w #:,()=-]{1,100} )?is not available$/;

/** Compute units that the answer of a call of this weight is billed: nothing unless the node has answered. */
export function billedCu(call: Pick<Call, 'method' | 'params'>, answer: NodeAnswer, weight: number): number {
  switch (answer.kind) {
    case 'result':
      return weight;
    case 'error':
      return UNBILLED_CODES.has(answer.code) || saysStateIsGone(call, answer) ? 0 : weight;
    case 'failed':
      return 0;
  }
}

/** Whether a node error is `historical state ... is not available`, in the node's own words. */
function saysStateIsGone(
  call: Pick<Call, 'method' | 'params'>,
  { error, code }: Extract<NodeAnswer, { kind: 'error' }>,
): boolean {
  if (code !== SERVER_ERROR_CODE) return false;
  const json = Buffer.from(error.buffer, error.byteOffset, error.length);
  // An error can carry megabytes of data: it is parsed only if it can be this one.
  if (!json.includes(STATE_GONE_START)) return false;
  const { message } = JSON.parse(json.toString()) as { message: string };
  return STATE_GONE.test(message) && !bringsTracer(call);
}
