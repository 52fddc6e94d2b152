import { readFacts } from './cache/answer-facts.ts';
import { readQuantity } from './cache/quantity.ts';
import type { Call, NodeAnswer } from './calls.ts';
import type { ChainNode } from './chain-node.ts';

const MAX_PARAMS_BYTES = 64;
const NEWEST_BLOCK = /^\[\s*"latest"\s*(?:,\s*(?:true|false)\s*)?\]$/;
const MAX_QUANTITY_BYTES = 32;

/** The newest block number that an answer tells; undefined if the call does not ask for it. */
export function toldHead(call: Call, answer: NodeAnswer): bigint | undefined {
  if (answer.kind !== 'result') return undefined;
  const { result } = answer;
  if (call.method === 'eth_blockNumber') {
    return result.length > MAX_QUANTITY_BYTES ? undefined : readQuantity(textOf(result));
  }
  return newestBlockParams(call) === undefined ? undefined : readFacts(result, 'number').block;
}

/**
 * Whether an answer is of an older head than a client has been told. Not that of `eth_blockNumber`, which
 * `holdHead` corrects.
 */
export function isBeforeServed(call: Call, answer: NodeAnswer, { view }: ChainNode): boolean {
  if (call.method === 'eth_blockNumber') return false;
  const told = toldHead(call, answer);
  return told !== undefined && told < view.served;
}

/**
 * The head that clients see never goes back. `eth_blockNumber` is answered with the newest block that any upstream
 * in good standing has reported; the newest block itself, if all that can be had is older than what was told
 * before, with the block that was given then. `answer`: undefined if there is none that may be given.
 */
export function holdHead(
  call: Call,
  answer: NodeAnswer | undefined,
  { view, newestBlocks, clock }: ChainNode,
): NodeAnswer | undefined {
  const params = newestBlockParams(call);
  if (answer === undefined) {
    const kept = params === undefined ? undefined : newestBlocks.find(params, view.served, clock.now());
    return kept === undefined ? undefined : { kind: 'result', result: kept, kept: true };
  }
  const told = toldHead(call, answer);
  if (answer.kind !== 'result' || told === undefined) return answer;
  if (params !== undefined) {
    newestBlocks.keep(params, told, answer.result, clock.now());
    view.serve(told);
    return answer;
  }
  const head = view.head ?? told;
  view.serve(head);
  return head === told ? answer : { kind: 'result', result: Buffer.from(`"0x${head.toString(16)}"`) };
}

/** Params of a call that asks for the newest block; undefined for any other. */
function newestBlockParams({ method, params }: Call): string | undefined {
  if (method !== 'eth_getBlockByNumber' || params === undefined || params.length > MAX_PARAMS_BYTES) {
    return undefined;
  }
  const text = textOf(params);
  return NEWEST_BLOCK.test(text) ? text : undefined;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
