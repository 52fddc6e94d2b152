import { CALL_GAS } from '../../shared/jsonrpc/contract-call.ts';
import { NodeError } from './node-error.ts';
import type { RetryingClient } from './retrying-client.ts';
import type { BatchOptions, NodeCall, NodeResponse } from './send-batch.ts';

/** Batches in a row that must go well before the size grows; more each time that it grew too far, up to a most. */
const CLEAN_BATCHES_TO_GROW = 3;
const TOO_FAR_FACTOR = 4;
const MAX_CLEAN_BATCHES_TO_GROW = 192;
/** Questions to contracts of a batch. */
const START_BATCH_CALLS = 40;
const MAX_BATCH_CALLS = 200;

/** How much is asked for at once: halved when it was too much, doubled again after some that went well. */
export class BatchSize {
  readonly #max: number;
  #current: number;
  #clean = 0;
  #cleanToGrow = CLEAN_BATCHES_TO_GROW;
  #hasGrown = false;

  /** Starts at `start` and never passes `max`. */
  constructor(start: number, max: number) {
    this.#current = start;
    this.#max = max;
  }

  get current(): number {
    return this.#current;
  }

  /** `tried`: the size that was too much; what was sent before an earlier halving says nothing new. */
  shrink(tried: number): void {
    if (this.#hasGrown)
      this.#cleanToGrow = Math.min(MAX_CLEAN_BATCHES_TO_GROW, this.#cleanToGrow * TOO_FAR_FACTOR);
    this.#hasGrown = false;
    this.#clean = 0;
    this.#current = Math.max(1, Math.min(this.#current, Math.floor(tried / 2)));
  }

  /** One at a time from now on: it is not known which of several was too much. */
  shrinkToOne(): void {
    this.shrink(1);
  }

  grow(): void {
    this.#clean += 1;
    if (this.#clean < this.#cleanToGrow) return;
    this.#clean = 0;
    if (this.#hasGrown) this.#cleanToGrow = CLEAN_BATCHES_TO_GROW;
    this.#hasGrown = this.#current < this.#max;
    this.#current = Math.min(this.#max, this.#current * 2);
  }
}

/** The size of batches of questions to contracts. */
export function contractBatches(): BatchSize {
  return new BatchSize(START_BATCH_CALLS, MAX_BATCH_CALLS);
}

/** A block at which contracts are asked: `latest`, a number in hex, or its hash. */
export type CalledBlock = string | { readonly blockHash: string };

/** A question to a contract. */
export function contractCall(
  to: string,
  data: string,
  block: CalledBlock = 'latest',
  gas = CALL_GAS,
): NodeCall {
  return { method: 'eth_call', params: [{ to, data, gas }, block] };
}

/**
 * Answers to any number of calls, in their order, in batches of the size that the node takes, one after the other. A call
 * that is too large or too slow by itself has that as its answer.
 * @throws {NodeError} where the node cannot be asked
 */
export async function callInBatches(
  node: RetryingClient,
  calls: readonly NodeCall[],
  size: BatchSize,
  options: BatchOptions,
): Promise<NodeResponse[]> {
  const answers: NodeResponse[] = [];
  while (answers.length < calls.length) {
    answers.push(...(await callSome(node, calls.slice(answers.length), size, options)));
  }
  return answers;
}

/**
 * Answers to the first of some calls: to as many as the node takes at once, but at least one.
 * @throws {NodeError} where the node cannot be asked
 */
export async function callSome(
  node: RetryingClient,
  calls: readonly NodeCall[],
  size: BatchSize,
  options: BatchOptions,
): Promise<readonly NodeResponse[]> {
  for (;;) {
    const batch = calls.slice(0, size.current);
    try {
      const { responses } = await node.send(batch, options);
      if (batch.length === 1 || !responses.some((one) => 'error' in one && one.error.kind === 'too_large')) {
        size.grow();
        return responses;
      }
    } catch (error) {
      if (!(error instanceof NodeError) || !isTooMuch(error)) throw error;
      if (batch.length === 1) {
        if (error.kind === 'rate_limited') throw error;
        return [{ error }];
      }
    }
    size.shrink(batch.length);
  }
}

/** Whether fewer calls at once might be answered. */
export function isTooMuch({ kind }: NodeError): boolean {
  return kind === 'too_large' || kind === 'timeout' || kind === 'rate_limited';
}
