import type { RawCall, RawTraces, RawTransaction } from '../../chain-data/decode/raw-block.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { UntracedBlock } from '../blocks/assemble-block.ts';
import { ShapeError } from '../blocks/json-shape.ts';
import { isOutside } from '../blocks/outside-transactions.ts';
import { parseCall } from '../blocks/parse-trace.ts';
import { createTraceQuestion } from './ask-for-traces.ts';
import { BatchSize } from './call-in-batches.ts';
import { NodeError, nodeErrorOf, traceGapReason } from './node-error.ts';
import type { RetryingClient } from './retrying-client.ts';
import type { NodeResponse, PageOptions } from './send-batch.ts';

const START_BATCH_BLOCKS = 8;
/** What is traced is looked at for its size after so many blocks. */
const MAX_BATCH_BLOCKS = 8;
/** Blocks in a row of which there was no answer, or none in time, before the node is not asked for a while. */
const FAILURES_TO_REST = 2;
/** For how long a node is not asked that traces too slowly or breaks off, or that does not trace, in milliseconds. */
const FAILURE_REST_MS = 60_000;
const UNSUPPORTED_REST_MS = 10 * 60_000;
/** Gas of a transaction that runs no code. */
const PLAIN_TRANSFER_GAS = 21_000n;
/** Type of the transaction by which ArbOS begins each block. */
const INTERNAL_TYPE = 106;
const EMPTY_DATA = '0x';

/** Reads traces of blocks, which is the most that a node is asked for: what can be told without it is not asked. */
export type TraceReader = ReturnType<typeof createTraceReader>;

const TOO_SLOW: RawTraces = { kind: 'gap', reason: 'timeout', message: 'not asked: the node is too slow' };
const BROKEN_OFF: RawTraces = {
  kind: 'gap',
  reason: 'rpc_error',
  message: 'not asked: the node breaks off when it is asked for traces',
};

/**
 * A node that does not trace, or hangs or breaks off when it is asked to, is left alone for a while.
 */
export function createTraceReader(node: RetryingClient, clock: Clock) {
  const size = new BatchSize(START_BATCH_BLOCKS, MAX_BATCH_BLOCKS);
  const ask = createTraceQuestion(node, clock, size);
  const standing = createStanding(clock);
  return {
    /**
     * Traces of the first of some blocks, in their order: of as many as are traced at once, but at least one. A block that
     * cannot be traced is a gap.
     * @throws {NodeError}
     */
    async read(blocks: readonly UntracedBlock[], options: PageOptions): Promise<RawTraces[]> {
      const some = blocks.slice(0, size.current);
      const gap = standing.gap();
      const asked = gap === undefined ? some.filter((block) => !runsNoCode(block)) : [];
      const answers = await ask(asked, options);
      const read: RawTraces[] = [];
      let used = 0;
      for (const block of some) {
        if (runsNoCode(block)) {
          read.push({ kind: 'traced', calls: block.transactions.map(topCallOf) });
          continue;
        }
        if (gap !== undefined) {
          read.push(gap);
          continue;
        }
        const answer = answers[used++];
        if (answer === undefined) break;
        const traces = parseTraces(block, answer);
        standing.learn(traces, answer);
        read.push(traces);
      }
      return read;
    },
    canTrace: standing.canTrace,
  };
}

/** What is known of a node's tracing by what it answered. */
function createStanding(clock: Clock) {
  let restUntil = -Infinity;
  /** What is said of blocks in that time. */
  let said = TOO_SLOW;
  let failures = 0;
  let hasTraced = false;
  /** What is said of blocks while the node is left alone; undefined: it is asked. */
  const gap = () => (clock.now() < restUntil ? said : undefined);
  return {
    gap,
    learn(traces: RawTraces, answer: NodeResponse) {
      const isUnanswered = 'error' in answer && answer.error.kind === 'unavailable';
      if (traces.kind === 'traced') {
        failures = 0;
        hasTraced = true;
        restUntil = -Infinity;
      } else if (traces.reason === 'unsupported') {
        restUntil = clock.now() + UNSUPPORTED_REST_MS;
        said = traces;
      } else if (traces.reason === 'timeout' || isUnanswered) {
        failures += 1;
        if (failures < FAILURES_TO_REST) return;
        restUntil = clock.now() + FAILURE_REST_MS;
        said = isUnanswered ? BROKEN_OFF : TOO_SLOW;
      }
    },
    /** Whether the node traces; undefined as long as that is not known. */
    canTrace() {
      if (gap() !== undefined) return false;
      return hasTraced || undefined;
    },
  };
}

/** Whether no transaction of a block can have called anything, so that its receipts say it all. */
function runsNoCode(block: UntracedBlock): boolean {
  return block.transactions.every((transaction) => {
    const { type, to, receipt } = transaction;
    if (type === INTERNAL_TYPE || isOutside(transaction)) return true;
    return (
      to !== null &&
      receipt.status === 1 &&
      receipt.gasUsed - (receipt.gasUsedForL1 ?? 0n) === PLAIN_TRANSFER_GAS
    );
  });
}

/** The only call of a transaction that runs no code. */
function topCallOf({ from, to, value, gas, input, receipt }: RawTransaction): RawCall {
  const { gasUsed } = receipt;
  return {
    type: 'CALL',
    from,
    to,
    value,
    gas,
    gasUsed,
    input,
    output: EMPTY_DATA,
    error: null,
    revertReason: null,
    calls: [],
  };
}

/**
 * Reads the traces of a block out of the node's answer, which must have all of its transactions: a part of them would
 * look like the whole.
 */
function parseTraces(block: UntracedBlock, answer: NodeResponse): RawTraces {
  if ('error' in answer) return gapOf(answer.error);
  const { result } = answer;
  const { transactions } = block;
  // Nodes trace what the consensus adds, or leave it out: it stands at the end, and calls nothing of its own.
  const inside = transactions.filter((transaction) => !isOutside(transaction)).length;
  if (!Array.isArray(result) || (result.length !== transactions.length && result.length !== inside))
    return { kind: 'gap', reason: 'rpc_error', message: 'not one trace for each transaction' };
  try {
    const calls = transactions.map((transaction, index) =>
      index >= result.length ? topCallOf(transaction) : parseTransactionTrace(transaction, result[index]),
    );
    return { kind: 'traced', calls };
  } catch (error) {
    if (error instanceof NodeError) return gapOf(error);
    if (error instanceof ShapeError) return { kind: 'gap', reason: 'rpc_error', message: error.message };
    throw error;
  }
}

function parseTransactionTrace(transaction: RawTransaction, trace: unknown): RawCall {
  const { txHash, result, error } = (trace ?? {}) as Record<string, unknown>;
  if (typeof error === 'string') throw nodeErrorOf(0, error);
  if (txHash !== undefined && txHash !== transaction.hash) throw new ShapeError('trace.txHash');
  const call = parseCall(result);
  if (txHash === undefined && call.from !== transaction.from) throw new ShapeError('trace.from');
  return call;
}

function gapOf({ kind, message }: NodeError): RawTraces {
  return { kind: 'gap', reason: traceGapReason(kind), message };
}
