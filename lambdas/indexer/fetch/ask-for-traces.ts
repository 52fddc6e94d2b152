import type { Clock } from '../../shared/runtime/clock.ts';
import type { UntracedBlock } from '../blocks/assemble-block.ts';
import { BatchSize, callInBatches, callSome } from './call-in-batches.ts';
import { NodeError } from './node-error.ts';
import type { RetryingClient } from './retrying-client.ts';
import type { BatchOptions, NodeResponse, PageOptions } from './send-batch.ts';
import { TRACE_WAYS, type TraceWay } from './trace-ways.ts';

/**
 * Time for one request for traces, in milliseconds: so short that a batch which hangs has become a block which hangs, and
 * that a gap, before a slot ends.
 */
const REQUEST_MS = 10_000;
/** Transactions of a request that are traced one by one. */
const START_TRANSACTIONS = 8;
const MAX_TRANSACTIONS = 32;
/** For how long a node is asked by another way than the first before that is tried again, in milliseconds. */
const WAY_MS = 6 * 60 * 60_000;

/**
 * Makes what asks a node for the traces of the first of some blocks, of as many as are traced at once, but at least one. The way
 * by which the node traces is found by trying one after the other.
 * @param size blocks of a request
 * @returns answers are as those to `debug_traceBlockByNumber`, whatever the way. Rejects with {@link NodeError} where the node
 * does not answer, which the block that is `gapOf` has as its answer
 */
export function createTraceQuestion(node: RetryingClient, clock: Clock, size: BatchSize) {
  const transactions = new BatchSize(START_TRANSACTIONS, MAX_TRANSACTIONS);
  let way = 0;
  let until = Infinity;

  /** By blocks as many as go into a request; by transactions those of the first block. */
  const askBy = async (
    { calls, join }: TraceWay,
    blocks: readonly UntracedBlock[],
    options: BatchOptions,
  ): Promise<readonly NodeResponse[]> => {
    const [first] = blocks as [UntracedBlock];
    const ofBlocks = blocks.map(calls);
    if (ofBlocks.some(({ length }) => length !== 1))
      return [join(first, await callInBatches(node, calls(first), transactions, options))];
    const answers = await callSome(node, ofBlocks.flat(), size, options);
    return answers.map((answer, index) => join(blocks[index] as UntracedBlock, [answer]));
  };

  const askInWays = async (blocks: readonly UntracedBlock[], options: BatchOptions) => {
    if (clock.now() >= until) way = 0;
    // Others may be trying at the same time: each goes through all of them by itself.
    let mine = way;
    for (let tried = 1; ; tried += 1) {
      const answers = await askBy(TRACE_WAYS[mine] ?? TRACE_WAYS[0], blocks, options);
      const [first] = answers;
      if (first === undefined || !('error' in first) || first.error.kind !== 'unsupported') {
        if (mine !== way) until = clock.now() + WAY_MS;
        way = mine;
        return answers;
      }
      if (tried === TRACE_WAYS.length) return answers;
      mine = (mine + 1) % TRACE_WAYS.length;
    }
  };

  return async (
    blocks: readonly UntracedBlock[],
    { gapOf, ...options }: PageOptions,
  ): Promise<readonly NodeResponse[]> => {
    const [first] = blocks;
    if (first === undefined) return [];
    const isGap = first.number === gapOf;
    try {
      return await askInWays(isGap ? [first] : blocks, { ...options, limitMs: REQUEST_MS });
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      const isInTime = options.signal?.aborted !== true && clock.now() < options.deadline;
      // One block that a node does not want to trace now holds up no other.
      if (error.kind === 'rate_limited' || (isGap && isInTime)) return [{ error }];
      // It is not known at which of them the node broke off.
      size.shrinkToOne();
      throw error;
    }
  };
}
