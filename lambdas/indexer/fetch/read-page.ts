import type { BlockProof, RawBlock, RawCall, RawTraces } from '../../chain-data/decode/raw-block.ts';
import { hexNumber } from '../../shared/jsonrpc/json-values.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { blockInCommonForm, receiptsInCommonForm } from '../../shared/verify/node-forms.ts';
import { admitBlock } from '../blocks/admit-block.ts';
import { assembleBlock, readNodeBlock, type UntracedBlock } from '../blocks/assemble-block.ts';
import { BlockError, type IsRelaxed } from '../blocks/block-error.ts';
import type { NodeBlock } from '../blocks/parse-block.ts';
import { BatchSize, callInBatches, isTooMuch } from './call-in-batches.ts';
import { NodeError } from './node-error.ts';
import type { TraceReader } from './read-traces.ts';
import type { RetryingClient } from './retrying-client.ts';
import {
  type BatchOptions,
  blockCall,
  type NodeCall,
  type NodeResponse,
  type PageOptions,
} from './send-batch.ts';

/** A response above this size makes the next pages smaller, so that what is held at once stays small. */
const COMFORTABLE_RESPONSE_BYTES = 8 * 1024 * 1024;
/** Traced calls after which a page ends. */
const COMFORTABLE_CALLS = 100_000;
/** For how long a node without `eth_getBlockReceipts` is not asked for it, in milliseconds. */
const UNSUPPORTED_MS = 10 * 60_000;
/** What is asked for, in the words of errors. */
const BLOCKS = 'blocks and receipts';
const RECEIPTS = 'receipts';
const TRACES = 'traces';

/** What a node sent of a block, and what was read of it. */
interface SentBlock {
  readonly block: unknown;
  readonly receipts: unknown;
  readonly read: UntracedBlock;
}

/**
 * @returns what of the block is proven; undefined below the first block that is verified
 * @throws {BlockError} `wrong_answer` for a block that is not to be stored
 */
export type VerifyBlock = (sent: SentBlock, options: BatchOptions) => Promise<BlockProof | undefined>;

/** How pages are read, and what has been learnt of the node on the way. */
export interface PageSource {
  readonly node: RetryingClient;
  /** Blocks of a page, and pages that are read at a time. */
  readonly size: BatchSize;
  readonly pages: BatchSize;
  /** Receipts of a request that are asked for one by one. */
  readonly receipts: BatchSize;
  /** What blocks of the chain need not be. */
  readonly isRelaxed: IsRelaxed;
  readonly name: string | undefined;
  /** Verifies a block before anything is made of it. Undefined where blocks are taken as the node tells them. */
  readonly verify: VerifyBlock | undefined;
  /** Undefined if no traces are wanted. */
  readonly traces: TraceReader | undefined;
  readonly clock: Clock;
  /** When the node is asked for `eth_getBlockReceipts` again, in milliseconds since the epoch: it has said that it has it not. */
  blockReceiptsAt: number;
  /** The newest block, where it came whole with the question for the head: it is used once, and whatever fails asks anew. */
  newest: { readonly number: number; readonly answer: NodeResponse } | undefined;
}

/**
 * Reads blocks from `from` to at most `to`: as many as the node gives and memory holds at once, but at least one. The rest
 * is left to another page. The blocks follow each other.
 * @throws {BlockError} if block `from` cannot be read
 */
export async function readPage(
  source: PageSource,
  from: number,
  to: number,
  options: PageOptions,
): Promise<RawBlock[]> {
  const { name: readBy } = source;
  const answers = await askForBlocks(source, from, to, options);
  const blocks: UntracedBlock[] = [];
  try {
    for (const [index, answer] of answers.blocks.entries()) {
      const sent = blockInCommonForm(resultOf(answer, from + index, BLOCKS));
      const block = readNodeBlock(from + index, sent, source.isRelaxed);
      const told = await receiptsOf(source, block, answers.receipts[index], options);
      const receipts = receiptsInCommonForm(told);
      const arrival = { ...assembleBlock(block, receipts, source.isRelaxed), parent: blocks.at(-1)?.hash };
      const verify = async () => source.verify?.({ block: sent, receipts, read: arrival.block }, options);
      const admitted = await admitBlock(arrival, source.isRelaxed, verify);
      blocks.push(readBy === undefined ? admitted : { ...admitted, readBy });
    }
  } catch (error) {
    // What came before is whole; the next page begins with what is not.
    if (blocks.length === 0 || !(error instanceof BlockError)) throw blockErrorOf(error, from, RECEIPTS);
  }
  return addTraces(source, blocks, options);
}

/**
 * Asks for blocks from `from` on, for fewer and fewer until the node gives them.
 * @returns answers for blocks and for their receipts, of which there are none if the node does not have them by block
 */
async function askForBlocks(source: PageSource, from: number, to: number, options: BatchOptions) {
  // The size may have become smaller since the page was begun.
  const first = Math.min(to, from + source.size.current - 1);
  const { newest } = source;
  if (newest?.number === first) source.newest = undefined;
  for (let last = first; ; last = from + Math.ceil((last - from + 1) / 2) - 1) {
    const known = newest?.number === last ? [newest.answer] : [];
    const count = last - from + 1;
    const asked = count - known.length;
    const calls = pageCalls(source, from, count, asked);
    const split = (answers: readonly NodeResponse[]) => ({
      blocks: [...answers.slice(0, asked), ...known],
      receipts: answers.slice(asked),
    });
    try {
      if (count === 1) {
        // Its parts may still be more than one response holds.
        const size = new BatchSize(calls.length, calls.length);
        const answers = await callInBatches(source.node, calls, size, options);
        source.size.grow();
        return split(answers);
      }
      const { responses, bytes } = await source.node.send(calls, options);
      if (!responses.some((answer) => 'error' in answer && isTooMuch(answer.error))) {
        if (bytes > COMFORTABLE_RESPONSE_BYTES) source.size.shrink(count);
        else source.size.grow();
        return split(responses);
      }
    } catch (error) {
      if (!(error instanceof NodeError) || !isTooMuch(error) || count === 1) {
        // If it is one block that the node breaks off at, those before it are stored, and it is named.
        if (error instanceof NodeError && error.kind === 'unavailable') source.size.shrinkToOne();
        throw blockErrorOf(error, from, BLOCKS);
      }
    }
    source.size.shrink(count);
  }
}

/** @param blocks how many of the page's are asked for, without their receipts */
function pageCalls(source: PageSource, from: number, count: number, blocks: number): NodeCall[] {
  const numbers = Array.from({ length: count }, (_, index) => from + index);
  const calls = numbers.slice(0, blocks).map((number) => blockCall(number, true));
  if (source.clock.now() < source.blockReceiptsAt) return calls;
  return [
    ...calls,
    ...numbers.map((number) => ({ method: 'eth_getBlockReceipts', params: [hexNumber(number)] })),
  ];
}

async function receiptsOf(
  source: PageSource,
  block: NodeBlock,
  answer: NodeResponse | undefined,
  options: BatchOptions,
): Promise<unknown> {
  if (answer !== undefined && 'result' in answer) {
    const { result } = answer;
    // Some nodes leave the receipts of system transactions out of the list, and give them singly.
    if (!Array.isArray(result) || result.length >= block.transactions.length) return result;
  } else if (answer?.error.kind === 'unsupported')
    source.blockReceiptsAt = source.clock.now() + UNSUPPORTED_MS;
  else if (answer !== undefined && !isTooMuch(answer.error))
    throw blockErrorOf(answer.error, block.number, RECEIPTS);
  return readReceipts(source.node, block, source.receipts, options);
}

/** Adds the traces, of fewer blocks if they are many or if the node does not answer for more. */
async function addTraces(
  source: PageSource,
  blocks: readonly UntracedBlock[],
  options: PageOptions,
): Promise<RawBlock[]> {
  const { traces: reader } = source;
  if (reader === undefined) return blocks.map((block) => ({ ...block, traces: NOT_WANTED }));
  const traced: RawBlock[] = [];
  let calls = 0;
  while (traced.length < blocks.length && calls < COMFORTABLE_CALLS) {
    const rest = blocks.slice(traced.length);
    const read = await reader.read(rest, options).catch((error: unknown) => {
      const failure = blockErrorOf(error, rest[0]?.number ?? 0, TRACES);
      // What breaks the node off at one block has it answer for no other page.
      source.pages.shrinkToOne();
      if (traced.length === 0 || !(failure instanceof BlockError)) throw failure;
      return [];
    });
    if (read.length === 0) return traced;
    for (const [index, traces] of read.entries()) {
      traced.push({ ...(rest[index] as UntracedBlock), traces });
      if (traces.kind === 'traced') calls += countCalls(traces.calls);
    }
  }
  return traced;
}

const NOT_WANTED: RawTraces = { kind: 'gap', reason: 'not_started', message: 'traces are not read' };

function resultOf(answer: NodeResponse, number: number, asked: string): unknown {
  if ('result' in answer) return answer.result;
  throw blockErrorOf(answer.error, number, asked);
}

/** The error of a block whose node failed, with what it was asked for; any other error stays what it is. */
function blockErrorOf(error: unknown, number: number, asked: string): unknown {
  if (!(error instanceof NodeError)) return error;
  const failed = asked === TRACES ? 'untraced' : 'unavailable';
  const kind = error.kind === 'too_large' ? 'too_large' : failed;
  return new BlockError(kind, number, `${asked}: ${error.message}`);
}

function countCalls(calls: readonly RawCall[]): number {
  return calls.reduce((sum, call) => sum + 1 + countCalls(call.calls), 0);
}

/**
 * The receipts of one block's transactions, one call each: for nodes without `eth_getBlockReceipts`, and for blocks
 * whose receipts are more than one response holds.
 * @throws {BlockError} if a receipt is not there
 * @throws {NodeError} where the node cannot be asked
 */
async function readReceipts(
  node: RetryingClient,
  block: NodeBlock,
  size: BatchSize,
  options: BatchOptions,
): Promise<unknown[]> {
  const calls = block.transactions.map(({ hash }) => ({
    method: 'eth_getTransactionReceipt',
    params: [hash],
  }));
  const answers = await callInBatches(node, calls, size, options);
  return answers.map((answer) => resultOf(answer, block.number, RECEIPTS));
}
