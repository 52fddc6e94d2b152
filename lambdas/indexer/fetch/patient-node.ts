import type { Clock } from '../../clock.ts';
import { NodeError } from './node-error.ts';
import {
  type BatchAnswers,
  type BatchOptions,
  type NodeCall,
  type NodePost,
  sendBatch,
} from './send-batch.ts';

/** Time for one request, in milliseconds. */
const REQUEST_TIMEOUT_MS = 60_000;
/** Times that a request is sent while the node wants fewer of them. */
const MAX_RATE_LIMITED_ATTEMPTS = 10;
/** Times that a request is sent while nothing usable comes back. */
const MAX_UNAVAILABLE_ATTEMPTS = 3;
const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 15_000;

/** Sends batches and waits where the node wants it. */
export interface PatientNode {
  /** @throws {NodeError} that waiting does not help against; `unavailable` when the deadline has passed */
  send(calls: readonly NodeCall[], options: BatchOptions): Promise<BatchAnswers>;
}

export interface PatientNodeOptions {
  readonly node: NodePost;
  readonly clock: Clock;
  /** Waits, or less if the signal says so; never rejects. */
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/**
 * A node that is asked again, after longer and longer waits, while it is overloaded or cannot be reached. One call of a
 * batch that was refused for its rate has the whole batch sent again: the answers of a batch belong together.
 */
export function createPatientNode({ node, clock, wait }: PatientNodeOptions): PatientNode {
  const attempt = async (calls: readonly NodeCall[], options: BatchOptions): Promise<BatchAnswers> => {
    const deadline = Math.min(options.deadline, clock.now() + REQUEST_TIMEOUT_MS);
    const batch = await sendBatch(node, calls, { ...options, deadline });
    const refused = batch.answers.find((answer) => 'error' in answer && maxAttempts(answer.error) > 1);
    if (refused !== undefined && 'error' in refused) throw refused.error;
    return batch;
  };
  return {
    async send(calls, options) {
      for (let attempts = 1; ; attempts += 1) {
        try {
          return await attempt(calls, options);
        } catch (error) {
          if (!(error instanceof NodeError)) throw error;
          if (clock.now() >= options.deadline) throw new NodeError('unavailable', 'out of time');
          if (attempts >= maxAttempts(error)) throw error;
          const waitMs = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempts - 1));
          if (options.signal?.aborted || clock.now() + waitMs >= options.deadline) throw error;
          await wait(waitMs, options.signal);
        }
      }
    },
  };
}

function maxAttempts({ kind }: NodeError): number {
  if (kind === 'rate_limited') return MAX_RATE_LIMITED_ATTEMPTS;
  return kind === 'unavailable' ? MAX_UNAVAILABLE_ATTEMPTS : 1;
}
