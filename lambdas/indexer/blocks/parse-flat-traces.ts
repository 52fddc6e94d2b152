import { type JsonObject, readArray, readHash, readObject, ShapeError } from './json-shape.ts';

/** A call as `callTracer` shows it, in JSON. */
interface Frame extends Record<string, unknown> {
  readonly calls: Frame[];
}

/** One transaction of the answer to `debug_traceBlockByNumber`. */
interface TracedTransaction {
  readonly txHash: string;
  readonly result: Frame;
}

const REVERTED = 'Reverted';

/**
 * Turns the flat list of `trace_block`, which names the place of each call, into what `callTracer` shows: a tree for each
 * transaction, in the order of the list. Rewards, which are of no transaction, are left out.
 * @throws {ShapeError} where a call is missing
 */
export function treesOf(result: unknown): readonly TracedTransaction[] {
  const trees: TracedTransaction[] = [];
  /** All frames with how many calls each made, as the node says; and those of the last tree, by their places. */
  const counted: (readonly [frame: Frame, subtraces: unknown])[] = [];
  let frames = new Map<string, Frame>();
  for (const item of readArray(result, 'traces')) {
    const trace = readObject(item, 'trace');
    if (trace.type === 'reward') continue;
    const txHash = readHash(trace.transactionHash, 'trace.transactionHash');
    const place = readArray(trace.traceAddress, 'trace.traceAddress');
    const frame = frameOf(trace);
    counted.push([frame, trace.subtraces]);
    if (place.length === 0) {
      trees.push({ txHash, result: frame });
      frames = new Map([['', frame]]);
      continue;
    }
    const parent = trees.at(-1)?.txHash === txHash ? frames.get(place.slice(0, -1).join()) : undefined;
    if (parent?.calls.length !== place.at(-1)) throw new ShapeError('trace.traceAddress');
    parent?.calls.push(frame);
    frames.set(place.join(), frame);
  }
  for (const [{ calls }, subtraces] of counted)
    if (calls.length !== Number(subtraces)) throw new ShapeError('trace.subtraces');
  return trees;
}

function frameOf(trace: JsonObject): Frame {
  const action = readObject(trace.action, 'trace.action');
  const result = readObject(trace.result ?? {}, 'trace.result');
  const error = trace.error === REVERTED ? 'execution reverted' : trace.error;
  const shared = { gas: action.gas, gasUsed: result.gasUsed, error, calls: [] };
  switch (trace.type) {
    case 'call':
      return {
        ...shared,
        ...{ type: upper(action.callType, 'CALL'), from: action.from, to: action.to, value: action.value },
        ...{ input: action.input, output: result.output },
      };
    case 'create':
      return {
        ...shared,
        ...{ type: upper(action.creationMethod, 'CREATE'), from: action.from, to: result.address },
        ...{ value: action.value, input: action.init, output: result.code },
      };
    case 'suicide':
    case 'selfdestruct':
      return {
        ...shared,
        ...{ type: 'SELFDESTRUCT', from: action.address, to: action.refundAddress, value: action.balance },
      };
    default:
      throw new ShapeError('trace.type');
  }
}

function upper(value: unknown, absent: string): string {
  return typeof value === 'string' ? value.toUpperCase() : absent;
}
