import type { NodeError } from './node-error.ts';

/** Blocks that are remembered, the latest: more than are traced at a time. */
const MAX_BLOCKS = 64;

/**
 * Blocks that were asked for in vain since the last report, and how often. What is remembered is of the block and not
 * of a node: one that makes each node crash would else be asked of them in turn, for ever.
 */
export class UnansweredBlocks {
  readonly #blocks = new Map<number, { readonly times: number; readonly failure: NodeError }>();

  times(number: number): number {
    return this.#blocks.get(number)?.times ?? 0;
  }

  /** What the last attempt failed with; undefined for a block that was not asked for in vain. */
  failureOf(number: number): NodeError | undefined {
    return this.#blocks.get(number)?.failure;
  }

  /** Counts one attempt more. */
  add(number: number, failure: NodeError): void {
    const times = this.times(number) + 1;
    this.#blocks.delete(number);
    this.#blocks.set(number, { times, failure });
    const [oldest] = this.#blocks.keys();
    if (this.#blocks.size > MAX_BLOCKS && oldest !== undefined) this.#blocks.delete(oldest);
  }

  forget(number: number): void {
    this.#blocks.delete(number);
  }
}
