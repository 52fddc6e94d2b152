import type { NodePost } from '../../../lambdas/indexer/fetch/send-batch.ts';
import { createFakeNode, type ReceivedCall } from '../fetch/fake-node.ts';
import { answersOf, makeChain } from '../fetch/node-chain.ts';

/** Blocks that are there at the beginning. */
const PAST_BLOCKS = 20;
/** Time that a node takes for an answer, in milliseconds. */
export const NODE_MS = 20;
const GENESIS_SECONDS = 1_700_000_000;

/**
 * A chain of so many blocks a second until a time, in milliseconds, and its node: time passes by what is waited for alone, and
 * the calls of the node are counted.
 */
export function pacedChain(blocksPerSecond: number, endMs: number) {
  let now = 0;
  let calls = 0;
  const chain = makeChain(PAST_BLOCKS + Math.ceil((blocksPerSecond * endMs) / 1_000) + 1, 1);
  const secondsOf = (number: number) =>
    blocksPerSecond === 0 ? number : (number - PAST_BLOCKS) / blocksPerSecond;
  for (const [number, { block }] of chain.entries())
    block.timestamp = `0x${(GENESIS_SECONDS + Math.floor(secondsOf(number))).toString(16)}`;
  const head = () => PAST_BLOCKS + Math.floor((now * blocksPerSecond) / 1_000);
  const usual = answersOf(chain);
  const fake = createFakeNode((call) => {
    // No contract says anything of itself.
    if (call.method === 'eth_call') return { result: '0x' };
    return call.params[0] === 'latest' ? { result: chain[head()]?.block } : usual(call);
  });
  const pass = async (ms: number) => {
    now += ms;
  };
  const node: NodePost = {
    ...fake,
    post: async (request) => {
      const sent = JSON.parse(Buffer.from(request.body).toString()) as ReceivedCall[] | ReceivedCall;
      calls += Array.isArray(sent) ? sent.length : 1;
      await pass(NODE_MS);
      return fake.post(request);
    },
  };
  return {
    node,
    clock: { now: () => now },
    /** Waits, which nothing ends before its time. */
    pass,
    /** Calls of the node so far. */
    calls: () => calls,
    /** For how long a block has been there, in milliseconds. */
    ageOf: (number: number) => now - (number - PAST_BLOCKS) * (1_000 / blocksPerSecond),
    genesis: { timestamp: GENESIS_SECONDS },
  };
}
