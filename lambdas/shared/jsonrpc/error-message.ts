import type { UpstreamResponse } from './calls.ts';
import { decodeString } from './json-values.ts';
import { jsonText, MAX_RESPONSE_DEPTH, membersAt } from './scan-json.ts';

/** The code of errors for which a node has no other. Billed, unless the message says that the state is gone. */
export const SERVER_ERROR_CODE = -32000;

/** The code of a revert. */
export const REVERT_CODE = 3;

const MESSAGE_MEMBER = 'message';
const STATE_GONE_START = 'historical state';
const STATE_GONE_END = 'is not available';

/** Longest message in which words are looked for, in UTF-16 units. */
export const MAX_MESSAGE_LENGTH = 4_096;

const REVERTED = /revert/i;
/** Spans are bounded: a message can be as long as a client makes it. */
const STATE_GONE =
  /missing trie node|historical state|state .{0,200}(?:not available|unavailable|missing)|no state|pruned|distance to target block/i;
/** What no node would answer otherwise: the call failed, or asks for too much. `tracer`: in the words of the client. */
const OWN_FAULT =
  /revert|out of gas|opcode|insufficient|nonce|underpriced|already|more than|block range|too large|results|execution|tracer/i;

type NodeError = Pick<Extract<UpstreamResponse, { kind: 'error' }>, 'error'>;

/** A member of a node's error: its name, and where its value is. */
interface ErrorMember {
  readonly name: string;
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

function* membersOf({ error }: NodeError): Generator<ErrorMember> {
  const text = jsonText(error);
  for (const [nameStart, nameEnd, start, end] of membersAt(text, 0, MAX_RESPONSE_DEPTH))
    yield { name: decodeString(text.bytes, nameStart, nameEnd), bytes: text.bytes, start, end };
}

/** The message of a node's error, whose JSON has been found to have one. The rest, maybe megabytes, is not built. */
export function messageOf(error: NodeError): string {
  for (const { name, bytes, start, end } of membersOf(error))
    if (name === MESSAGE_MEMBER) return decodeString(bytes, start, end);
  return '';
}

/** Longest text of `data` that is read, in bytes of JSON: what providers say there is short. */
const MAX_DATA_BYTES = 4_096;
const DATA_MEMBER = 'data';

/** What a node's error says: its message, and the texts in its `data`, where some providers say what is the matter. */
export function wordsOf(error: NodeError): string {
  let message = '';
  let data = '';
  for (const { name, bytes, start, end } of membersOf(error)) {
    if (name === MESSAGE_MEMBER) message = decodeString(bytes, start, end);
    if (name === DATA_MEMBER && end - start <= MAX_DATA_BYTES)
      data = textsOf(JSON.parse(bytes.toString('utf8', start, end))).join('; ');
  }
  return data === '' ? message : `${message}; ${data}`;
}

/** A text, or those among the members of an object. Hex is what a contract returned, and says nothing of a node. */
export function textsOf(data: unknown): readonly string[] {
  const values = typeof data === 'object' && data !== null ? Object.values(data) : [data];
  return values.filter((value): value is string => typeof value === 'string' && !value.startsWith('0x'));
}

/** Whether a message is, in any case and with any words around and between, `historical state ... is not available`. */
export function saysHistoricalStateGone(message: string): boolean {
  const words = message.toLowerCase();
  const start = words.indexOf(STATE_GONE_START);
  return start >= 0 && words.includes(STATE_GONE_END, start + STATE_GONE_START.length);
}

/** Whether a message tells of a revert: the rest of its words can be those of a contract. */
export function saysReverted(message: string): boolean {
  return REVERTED.test(message);
}

/** Whether a message says that the node has dropped, or never had, the state that it takes. */
export function saysStateGone(message: string): boolean {
  return STATE_GONE.test(message);
}

/** Whether a message says that it lies in the call. Reasons of reverts are in it: nothing else must be read there. */
export function saysOwnFault(message: string): boolean {
  return OWN_FAULT.test(message);
}
