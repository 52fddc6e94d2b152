import type { Clock } from '../../shared/runtime/clock.ts';
import type { Sleep } from '../../shared/runtime/sleep.ts';
import { NodeError } from './node-error.ts';
import {
  type BatchAnswers,
  type BatchOptions,
  type NodeCall,
  type NodePost,
  type NodeResponse,
  sendBatch,
} from './send-batch.ts';

/** Time for one request, in milliseconds: well below a slot, so that one that hangs is no end of the slot. */
const REQUEST_TIMEOUT_MS = 15_000;
/** Times that a request is sent while the node wants fewer of them: of one call, and of more, which can be made fewer. */
const MAX_RATE_LIMITED_ATTEMPTS = 10;
const MAX_RATE_LIMITED_BATCH_ATTEMPTS = 2;
/** Times that a request is sent while nothing usable comes back. */
const MAX_UNAVAILABLE_ATTEMPTS = 3;
const FIRST_WAIT_MS = 250;
/** Longest wait, whatever the node wants. */
const MAX_WAIT_MS = 15_000;

/**
 * Answers to calls of contracts as two operators give them, or as they are where no other says anything: the only one of a chain,
 * one that is down, or that does not have the contract yet. One of which no two say the same is the error `contradicted`.
 */
export type ConfirmWords = (
  calls: readonly NodeCall[],
  answers: readonly NodeResponse[],
  options: BatchOptions,
) => Promise<readonly NodeResponse[]>;

/** Sends batches and waits where the node wants it. */
export type RetryingClient = ReturnType<typeof createRetryingClient> & {
  /** Asks another node for words that no root holds. @default none is asked */
  readonly confirm?: ConfirmWords;
};

/**
 * A node that is asked again, after longer and longer waits, while it is overloaded or cannot be reached. One call of a
 * batch that was refused for its rate has the whole batch sent again: the answers of a batch belong together.
 * @param wait waits, or less if the signal says so; never rejects
 * @param onRateLimit is told when a batch is to be made smaller because the node wants fewer requests
 */
export function createRetryingClient(node: NodePost, clock: Clock, wait: Sleep, onRateLimit?: () => void) {
  const attempt = async (calls: readonly NodeCall[], options: BatchOptions): Promise<BatchAnswers> => {
    const deadline = Math.min(options.deadline, clock.now() + (options.limitMs ?? REQUEST_TIMEOUT_MS));
    const batch = await sendBatch(node, calls, { ...options, deadline });
    const refused = batch.responses.find((answer) => 'error' in answer && maxAttempts(answer.error, 1) > 1);
    if (refused !== undefined && 'error' in refused) throw refused.error;
    return batch;
  };
  return {
    /**
     * @throws {NodeError} that waiting does not help against; `unavailable` when the deadline has passed; `rate_limited`,
     * after a wait, for a batch that is to be made smaller
     */
    async send(calls: readonly NodeCall[], options: BatchOptions): Promise<BatchAnswers> {
      const giveUpAt = clock.now() + (options.limitMs ?? Infinity);
      for (let attempts = 1; ; attempts += 1) {
        try {
          return await attempt(calls, options);
        } catch (error) {
          if (!(error instanceof NodeError)) throw error;
          if (clock.now() >= options.deadline) throw new NodeError('unavailable', 'out of time');
          const waitMs = waitAfter(error, attempts);
          const isLast = attempts >= maxAttempts(error, calls.length) || clock.now() + waitMs > giveUpAt;
          const canShrink = error.kind === 'rate_limited' && calls.length > 1;
          if (isLast && !canShrink) throw error;
          if (options.signal?.aborted || clock.now() + waitMs >= options.deadline)
            throw new NodeError('unavailable', error.message);
          await wait(waitMs, options.signal);
          if (!isLast) continue;
          onRateLimit?.();
          throw error;
        }
      }
    },
  };
}

function waitAfter({ retryAfterMs = 0 }: NodeError, attempts: number): number {
  return Math.min(MAX_WAIT_MS, Math.max(retryAfterMs, FIRST_WAIT_MS * 2 ** (attempts - 1)));
}

function maxAttempts({ kind }: NodeError, calls: number): number {
  if (kind === 'rate_limited')
    return calls === 1 ? MAX_RATE_LIMITED_ATTEMPTS : MAX_RATE_LIMITED_BATCH_ATTEMPTS;
  return kind === 'unavailable' ? MAX_UNAVAILABLE_ATTEMPTS : 1;
}
