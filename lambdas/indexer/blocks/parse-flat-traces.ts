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
  const trees: (TracedTransaction & { readonly frames: Map<string, Placed> })[] = [];
  for (const item of readArray(result, 'traces')) {
    const trace = readObject(item, 'trace');
    if (trace.type === 'reward') continue;
    const txHash = readHash(trace.transactionHash, 'trace.transactionHash');
    const place = readArray(trace.traceAddress, 'trace.traceAddress');
    const frame = frameOf(trace);
    const placed: Placed = { frame, subtraces: Number(trace.subtraces) };
    if (place.length === 0) {
      trees.push({ txHash, result: frame, frames: new Map([['', placed]]) });
      continue;
    }
    const tree = trees.at(-1);
    const parent = tree?.txHash === txHash ? tree.frames.get(place.slice(0, -1).join()) : undefined;
    if (parent === undefined || parent.frame.calls.length !== place.at(-1))
      throw new ShapeError('trace.traceAddress');
    parent.frame.calls.push(frame);
    tree?.frames.set(place.join(), placed);
  }
  for (const { frames } of trees)
    for (const { frame, subtraces } of frames.values())
      if (frame.calls.length !== subtraces) throw new ShapeError('trace.subtraces');
  return trees.map(({ txHash, result: root }) => ({ txHash, result: root }));
}

interface Placed {
  readonly frame: Frame;
  /** How many calls it made, as the node says. */
  readonly subtraces: number;
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
