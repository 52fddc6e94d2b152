import type { MetricLine } from '../../runtime/metrics.ts';

/**
 * Calls that a process has made for the nodes of its chains, a batch of ten as ten: what providers bill by. Counted are also
 * the gateway's own, such as for the head of a chain, and those that are made again or abandoned.
 */
export class NodeCalls {
  #counts = new Map<string, number>();
  #total = 0;

  /** All that were ever counted. */
  get total(): number {
    return this.#total;
  }

  /** Counts calls for a chain. */
  add(chain: string, calls: number): void {
    this.#total += calls;
    this.#counts.set(chain, (this.#counts.get(chain) ?? 0) + calls);
  }

  /** The calls for each chain since this was last asked, in a map that is the caller's. */
  take(): Map<string, number> {
    const taken = this.#counts;
    this.#counts = new Map();
    return taken;
  }
}

/** Metrics of the calls that the index has made since it was last asked, a line for each chain. */
export function indexCallLines(calls: NodeCalls): MetricLine[] {
  return [...calls.take()].map(([Chain, IndexNodeCalls]) => ({
    values: { IndexNodeCalls },
    dimensions: { Chain },
  }));
}
