import type { Clock } from '../../shared/runtime/clock.ts';
import type { UntracedBlock } from '../blocks/assemble-block.ts';
import { BatchSize, callInBatches, callSome } from './call-in-batches.ts';
import { NodeError } from './node-error.ts';
import type { RetryingClient } from './retrying-client.ts';
import { type BatchOptions, blockCall, type NodeResponse } from './send-batch.ts';
import { TRACE_WAYS, type TraceWay } from './trace-ways.ts';
import type { UnansweredBlocks } from './unanswered-blocks.ts';

/**
 * Time for one request for traces, in milliseconds: so short that a batch which hangs has become a block which hangs, and
 * that a gap, before a slot ends.
 */
const REQUEST_MS = 10_000;
/**
 * Times that a block is asked for in vain before that is its answer: more than the reads of a block that fail before
 * another upstream is read, so that where there is another, a node that crashes was not the only one that was asked.
 */
const MAX_UNANSWERED = 4;
/** Transactions of a request that are traced one by one. */
const START_TRANSACTIONS = 8;
const MAX_TRANSACTIONS = 32;
/** Time for the question whether the node is there, in milliseconds. */
const UP_MS = 5_000;

/** What asking for traces works with: the node, the size of requests, and the blocks that were asked for in vain. */
interface TraceSource {
  readonly node: RetryingClient;
  readonly clock: Clock;
  /** Blocks of a request. */
  readonly size: BatchSize;
  /** Transactions of a request that are traced one by one. */
  readonly transactions: BatchSize;
  readonly unanswered: UnansweredBlocks;
}

/** How they are asked for, and until when. */
interface TraceRequest extends BatchOptions {
  readonly way: TraceWay;
}

/**
 * Asks a node for traces. A block for which it closes the connection, or crashes, while it answers before and after, is
 * asked for a few times; then that is the answer, and no reason to stop. A node that is down is one.
 * @param size blocks of a request
 * @returns what asks for the traces of the first of some blocks, of as many as are traced at once, but at least one; answers are
 * as those to `debug_traceBlockByNumber`, whatever the way. Rejects with {@link NodeError} where the node cannot be asked
 */
export function createTraceQuestion(
  node: RetryingClient,
  clock: Clock,
  size: BatchSize,
  unanswered: UnansweredBlocks,
) {
  let turn: Promise<unknown> = Promise.resolve();
  const transactions = new BatchSize(START_TRANSACTIONS, MAX_TRANSACTIONS);
  const source = { node, clock, size, transactions, unanswered };

  return async (
    blocks: readonly UntracedBlock[],
    options: BatchOptions,
    way: TraceWay = TRACE_WAYS[0],
  ): Promise<readonly NodeResponse[]> => {
    const [first] = blocks;
    if (first === undefined) return [];
    const request = { ...options, way };
    let failure = unanswered.failureOf(first.number);
    if (failure === undefined) {
      const answers = await ask(source, blocks, request);
      if (!(answers instanceof NodeError)) return answers;
      failure = answers;
      size.shrinkToOne();
      unanswered.add(first.number, failure);
    }
    // One after the other: the node that one block makes crash answers for no other, which is no fault of those.
    const error = failure;
    const answers = turn.then(() => askAlone(source, first, error, request));
    turn = answers.catch(() => undefined);
    return answers;
  };
}

/** Answers, or the error of a request that got none. */
async function ask(
  source: TraceSource,
  blocks: readonly UntracedBlock[],
  { way, ...options }: TraceRequest,
): Promise<readonly NodeResponse[] | NodeError> {
  try {
    const answers = await askBy(source, way, blocks, { ...options, limitMs: REQUEST_MS });
    for (const { number } of blocks.slice(0, answers.length)) source.unanswered.forget(number);
    return answers;
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    // One block that a node does not want to trace now holds up no other.
    if (error.kind === 'rate_limited') return [{ error }];
    const isGivenUp = options.signal?.aborted === true || source.clock.now() >= options.deadline;
    if (error.kind !== 'unavailable' || isGivenUp) throw error;
    return error;
  }
}

/** Asks for a block by itself that was asked for in vain, until it is answered, or asked for often enough. */
async function askAlone(
  source: TraceSource,
  block: UntracedBlock,
  failure: NodeError,
  request: TraceRequest,
): Promise<readonly NodeResponse[]> {
  const { node, clock, unanswered } = source;
  const { number } = block;
  for (let error = failure; ; ) {
    if (!(await isUp(node, clock, number, request))) throw error;
    if (unanswered.times(number) >= MAX_UNANSWERED) {
      unanswered.forget(number);
      return [{ error }];
    }
    const answers = await ask(source, [block], request);
    if (!(answers instanceof NodeError)) return answers;
    error = answers;
    unanswered.add(number, error);
  }
}

/** By blocks as many as go into a request; by transactions those of the first block. */
async function askBy(
  { node, size, transactions }: TraceSource,
  way: TraceWay,
  blocks: readonly UntracedBlock[],
  options: BatchOptions,
): Promise<NodeResponse[]> {
  const [first] = blocks;
  const calls = blocks.map((block) => way.calls(block));
  if (first === undefined || calls.every((ofBlock) => ofBlock.length === 1)) {
    const answers = await callSome(node, calls.flat(), size, options);
    return answers.map((answer, index) => way.join(blocks[index] as UntracedBlock, [answer]));
  }
  return [way.join(first, await callInBatches(node, way.calls(first), transactions, options))];
}

/** Whether the node answers a small question about a block that it does not trace. */
async function isUp(
  node: RetryingClient,
  clock: Clock,
  number: number,
  { deadline, signal }: BatchOptions,
): Promise<boolean> {
  const until = Math.min(deadline, clock.now() + UP_MS);
  try {
    const { responses } = await node.send([blockCall(number)], {
      deadline: until,
      ...(signal && { signal }),
    });
    return responses.every((answer) => 'result' in answer && answer.result !== null);
  } catch (error) {
    if (error instanceof NodeError) return false;
    throw error;
  }
}
