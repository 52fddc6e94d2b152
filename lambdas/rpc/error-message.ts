import type { NodeAnswer } from './calls.ts';

/** Spans are bounded: a message can be as long as a client makes it. */
const STATE_GONE =
  /missing trie node|historical state|state .{0,200}(?:not available|unavailable|missing)|no state|pruned|distance to target block/i;
/** What no node would answer otherwise: the call failed, or asks for too much. `tracer`: in the words of the client. */
const OWN_FAULT =
  /revert|out of gas|opcode|insufficient|nonce|underpriced|already|more than|block range|too large|results|execution|tracer/i;

/** The message of a node's error, whose JSON has been found to have one. */
export function messageOf({ error }: Pick<Extract<NodeAnswer, { kind: 'error' }>, 'error'>): string {
  const json = Buffer.from(error.buffer, error.byteOffset, error.length).toString();
  return (JSON.parse(json) as { message: string }).message;
}

/** Whether a message says that the node has dropped, or never had, the state that it takes. */
export function saysStateGone(message: string): boolean {
  return STATE_GONE.test(message);
}

/** Whether a message says that it lies in the call. Reasons of reverts are in it: nothing else must be read there. */
export function saysOwnFault(message: string): boolean {
  return OWN_FAULT.test(message);
}
