import type { Clock } from '../../clock.ts';
import type { RawCall, RawTraces, RawTransaction } from '../decode/raw-block.ts';
import type { UntracedBlock } from './assemble-block.ts';
import { BatchSize } from './batch-size.ts';
import { callSome } from './call-in-batches.ts';
import { ShapeError } from './json-shape.ts';
import { NodeError, nodeErrorOf, traceGapReason } from './node-error.ts';
import { parseCall } from './parse-trace.ts';
import type { PatientNode } from './patient-node.ts';
import { quantityOf } from './quantity.ts';
import type { BatchOptions, NodeAnswer, NodeCall } from './send-batch.ts';

const START_BATCH_BLOCKS = 8;
/** What is traced is looked at for its size after so many blocks. */
const MAX_BATCH_BLOCKS = 8;
/**
 * Time for one request for traces, in milliseconds: so short that a batch which hangs has become a block which hangs, and
 * that a gap, before a slot ends.
 */
const REQUEST_MS = 10_000;
/** Time that the node may take for a transaction, so that it rather than the request ends. */
const NODE_TIMEOUT = '8s';
/** Blocks in a row that could not be traced in time, before the node is not asked for a while. */
const TIMEOUTS_TO_REST = 2;
/** For how long a node is not asked that traces too slowly, or not at all, in milliseconds. */
const TIMEOUT_REST_MS = 60_000;
const UNSUPPORTED_REST_MS = 10 * 60_000;
/** Gas of a transaction that runs no code. */
const PLAIN_TRANSFER_GAS = 21_000n;
/** Type of the transaction by which ArbOS begins each block. */
const INTERNAL_TYPE = 106;
const EMPTY_DATA = '0x';

/** Reads traces of blocks, which is the most that a node is asked for: what can be told without it is not asked. */
export interface TraceReader {
  /**
   * Traces of the first of some blocks, in their order: of as many as are traced at once, but at least one. A block that
   * cannot be traced is a gap.
   * @throws {NodeError}
   */
  read(blocks: readonly UntracedBlock[], options: BatchOptions): Promise<RawTraces[]>;
  /** Whether the node traces; undefined as long as that is not known. */
  canTrace(): boolean | undefined;
}

/** A time in which the node is not asked, and what is said of the blocks instead. */
interface Rest {
  readonly until: number;
  readonly gap: RawTraces;
}

/** A node that does not trace, or hangs when it is asked to, is left alone for a while. Made anew for another node. */
export function createTraceReader(node: PatientNode, clock: Clock): TraceReader {
  const size = new BatchSize(START_BATCH_BLOCKS, MAX_BATCH_BLOCKS);
  let rest: Rest | undefined;
  let timeouts = 0;
  let hasTraced = false;

  const learn = (traces: RawTraces): void => {
    if (traces.kind === 'traced') {
      timeouts = 0;
      hasTraced = true;
      rest = undefined;
    } else if (traces.reason === 'unsupported') {
      rest = { until: clock.now() + UNSUPPORTED_REST_MS, gap: traces };
    } else if (traces.reason === 'timeout') {
      timeouts += 1;
      if (timeouts >= TIMEOUTS_TO_REST) rest = { until: clock.now() + TIMEOUT_REST_MS, gap: TOO_SLOW };
    }
  };
  const resting = () => (rest !== undefined && clock.now() < rest.until ? rest : undefined);

  const askFor = async (blocks: readonly UntracedBlock[], options: BatchOptions) => {
    try {
      return await callSome(node, blocks.map(traceCall), size, { ...options, limitMs: REQUEST_MS });
    } catch (error) {
      // One block that a node does not want to trace now holds up no other.
      if (error instanceof NodeError && error.kind === 'rate_limited') return [{ error }];
      throw error;
    }
  };

  return {
    async read(blocks, options) {
      const some = blocks.slice(0, size.current);
      const gap = resting()?.gap;
      const asked = gap === undefined ? some.filter((block) => !runsNoCode(block)) : [];
      const answers = asked.length === 0 ? [] : await askFor(asked, options);
      const read: RawTraces[] = [];
      let used = 0;
      for (const block of some) {
        if (runsNoCode(block)) {
          read.push({ kind: 'traced', calls: block.transactions.map(topCallOf) });
          continue;
        }
        const answer = answers[used++];
        const traces = gap ?? (answer === undefined ? undefined : parseTraces(block, answer));
        if (traces === undefined) break;
        if (gap === undefined) learn(traces);
        read.push(traces);
      }
      return read;
    },
    canTrace() {
      if (resting() !== undefined) return false;
      return hasTraced ? true : undefined;
    },
  };
}

const TOO_SLOW: RawTraces = { kind: 'gap', reason: 'timeout', message: 'not asked: the node is too slow' };

function traceCall(block: UntracedBlock): NodeCall {
  const config = { tracer: 'callTracer', tracerConfig: { onlyTopCall: false }, timeout: NODE_TIMEOUT };
  return { method: 'debug_traceBlockByNumber', params: [quantityOf(block.number), config] };
}

/** Whether no transaction of a block can have called anything, so that its receipts say it all. */
function runsNoCode(block: UntracedBlock): boolean {
  return block.transactions.every(({ type, to, receipt }) => {
    if (type === INTERNAL_TYPE) return true;
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
 * Reads the traces of a block out of the node's answer, which must have all of its transactions: with one of them
 * missing nobody could tell the rest from the whole.
 */
export function parseTraces(block: UntracedBlock, answer: NodeAnswer): RawTraces {
  if ('error' in answer) return gapOf(answer.error);
  const { result } = answer;
  if (!Array.isArray(result) || result.length !== block.transactions.length)
    return { kind: 'gap', reason: 'rpc_error', message: 'not one trace for each transaction' };
  try {
    const calls = block.transactions.map((transaction, index) =>
      parseTransactionTrace(transaction, result[index]),
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
