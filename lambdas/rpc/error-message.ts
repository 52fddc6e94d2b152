import type { NodeAnswer } from './calls.ts';

const STATE_GONE =
  /missing trie node|historical state|state .*(?:not available|unavailable|missing)|no state|pruned|distance to target block/i;

/** The message of a node's error, whose JSON has been found to have one. */
export function messageOf({ error }: Pick<Extract<NodeAnswer, { kind: 'error' }>, 'error'>): string {
  const json = Buffer.from(error.buffer, error.byteOffset, error.length).toString();
  return (JSON.parse(json) as { message: string }).message;
}

/** Whether a message says that the node has dropped, or never had, the state that it takes. */
export function saysStateGone(message: string): boolean {
  return STATE_GONE.test(message);
}
