import type { RawCall, RawTraces, RawTransaction } from '../decode/raw-block.ts';
import type { UntracedBlock } from './assemble-block.ts';
import { BatchSize } from './batch-size.ts';
import { callInBatches } from './call-in-batches.ts';
import { ShapeError } from './json-shape.ts';
import { NodeError, nodeErrorOf, traceGapReason } from './node-error.ts';
import { parseCall } from './parse-trace.ts';
import type { PatientNode } from './patient-node.ts';
import { quantityOf } from './quantity.ts';
import type { BatchOptions, NodeAnswer, NodeCall } from './send-batch.ts';

const START_BATCH_BLOCKS = 8;
const MAX_BATCH_BLOCKS = 32;
/** Time that the node may take to trace one block. */
const NODE_TIMEOUT = '30s';
/** Gas of a transaction that runs no code. */
const PLAIN_TRANSFER_GAS = 21_000n;
/** Type of the transaction by which ArbOS begins each block. */
const INTERNAL_TYPE = 106;
const EMPTY_DATA = '0x';

/** Reads traces of blocks, which is the most that a node is asked for: what can be told without it is not asked. */
export interface TraceReader {
  /** Traces of each block, in their order. A block that cannot be traced is a gap. @throws {NodeError} */
  read(blocks: readonly UntracedBlock[], options: BatchOptions): Promise<RawTraces[]>;
}

/** Once the node has said that it does not trace, it is not asked again by the same reader. */
export function createTraceReader(node: PatientNode): TraceReader {
  const size = new BatchSize(START_BATCH_BLOCKS, MAX_BATCH_BLOCKS);
  let unsupported: RawTraces | undefined;
  return {
    async read(blocks, options) {
      const asked = unsupported === undefined ? blocks.filter((block) => !runsNoCode(block)) : [];
      const answers = await callInBatches(node, asked.map(traceCall), size, options);
      const byBlock = new Map(asked.map((block, index) => [block, answers[index] as NodeAnswer]));
      return blocks.map((block) => {
        if (runsNoCode(block)) return { kind: 'traced', calls: block.transactions.map(topCallOf) };
        const answer = byBlock.get(block);
        const traces = answer === undefined ? unsupported : parseTraces(block, answer);
        if (traces?.kind === 'gap' && traces.reason === 'unsupported') unsupported = traces;
        return traces ?? { kind: 'gap', reason: 'unsupported', message: 'not asked' };
      });
    },
  };
}

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
