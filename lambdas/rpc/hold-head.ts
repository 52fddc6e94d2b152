import type { HeadView } from '../upstream/head-view.ts';
import type { Call, NodeAnswer } from './calls.ts';
import type { ChainNode } from './chain-node.ts';
import type { Verdict } from './judge-answer.ts';
import { newestBlockParams, toldHead } from './told-head.ts';

/**
 * The head that clients see does not go back because an upstream lags. `eth_blockNumber` is answered with the number of
 * the head; the newest block itself, if all that can be had is older than what clients were told, with the block that
 * was given then, as long as the head is there. If that cannot be had either, the older one is true, and is given.
 * `answer`: undefined if there is none that may be given.
 */
export function holdHead(
  call: Call,
  answer: NodeAnswer | undefined,
  { view, newestBlocks, clock }: ChainNode,
): NodeAnswer | undefined {
  const params = newestBlockParams(call);
  const told = answer === undefined ? undefined : toldHead(call, answer)?.number;
  if (params !== undefined && (told === undefined || told < view.served)) {
    const kept = newestBlocks.find(params, view, clock.now());
    return kept === undefined ? answer : { kind: 'result', result: kept, kept: true };
  }
  if (answer?.kind !== 'result' || told === undefined) return answer;
  if (params !== undefined) {
    newestBlocks.keep(params, told, answer.result, clock.now());
    view.serve(told);
    return answer;
  }
  const head = view.head ?? told;
  view.serve(head);
  return head === told ? answer : { kind: 'result', result: Buffer.from(`"0x${head.toString(16)}"`) };
}

/**
 * What is to be said of an answer because of the head that it tells; undefined if nothing. A number alone is not
 * judged, unless nobody knows another: `holdHead` corrects it.
 */
export function judgeHead(call: Call, answer: NodeAnswer, view: HeadView): Verdict | undefined {
  const told = toldHead(call, answer)?.number;
  if (told === undefined) return undefined;
  const isNumber = newestBlockParams(call) === undefined;
  if (view.head === undefined || told > view.head)
    return isNumber && view.head !== undefined ? undefined : 'unbelieved';
  return told < view.served && !isNumber ? 'stale' : undefined;
}
