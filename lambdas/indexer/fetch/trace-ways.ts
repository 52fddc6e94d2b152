import { hexNumber } from '../../shared/jsonrpc/json-values.ts';
import type { UntracedBlock } from '../blocks/assemble-block.ts';
import { ShapeError } from '../blocks/json-shape.ts';
import { treesOf } from '../blocks/parse-flat-traces.ts';
import { NodeError } from './node-error.ts';
import { NO_ANSWER, type NodeCall, type NodeResponse } from './send-batch.ts';

/** Time that the node may take for a transaction, so that it rather than the request ends. */
const NODE_TIMEOUT = '8s';
const TRACER = { tracer: 'callTracer', tracerConfig: { onlyTopCall: false }, timeout: NODE_TIMEOUT };

/** How a node is asked for the traces of a block. */
export interface TraceWay {
  /** The calls that it takes: one for the block, or one for each transaction. */
  calls(block: UntracedBlock): readonly NodeCall[];
  /** Their answers as the one to `debug_traceBlockByNumber`. */
  join(block: UntracedBlock, answers: readonly NodeResponse[]): NodeResponse;
}

/** The ways, the cheapest for a node first. */
export const TRACE_WAYS: readonly [TraceWay, ...TraceWay[]] = [
  {
    calls: ({ number }) => [{ method: 'debug_traceBlockByNumber', params: [hexNumber(number), TRACER] }],
    join: (_, [answer]) => answer ?? NO_ANSWER,
  },
  {
    calls: ({ number }) => [{ method: 'trace_block', params: [hexNumber(number)] }],
    join(_, [answer = NO_ANSWER]: readonly NodeResponse[]) {
      if ('error' in answer) return answer;
      try {
        return { result: treesOf(answer.result) };
      } catch (error) {
        if (error instanceof ShapeError) return { error: new NodeError('refused', error.message) };
        throw error;
      }
    },
  },
  {
    calls: ({ transactions }) =>
      transactions.map(({ hash }) => ({ method: 'debug_traceTransaction', params: [hash, TRACER] })),
    join({ transactions }, answers) {
      const failed = answers.find((answer) => 'error' in answer);
      if (failed !== undefined) return failed;
      const results = answers.flatMap((answer) => ('result' in answer ? [answer.result] : []));
      return { result: results.map((result, index) => ({ txHash: transactions[index]?.hash, result })) };
    },
  },
];
