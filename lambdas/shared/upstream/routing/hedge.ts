import { RESERVED_FOR_FAILURES } from '../health/refused-words.ts';
import type { Load } from '../health/upstream-health.ts';
import type { Upstream } from '../upstream.ts';
import { type AttemptTime, attempt, loadOf } from './attempt.ts';
import type { ChainClient } from './chain-client.ts';
import type { PendingCall } from './pending-call.ts';

/** A signal that is aborted with another one, or by itself. */
interface LinkedAbort {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** To be called when nothing is left to abort. */
  readonly unlink: () => void;
}

/** Bounds of the time after which a second upstream is asked, in milliseconds; `usual` while the p95 is not known. */
const HEDGE_DELAY_MS: Readonly<
  Record<Load, { readonly min: number; readonly usual: number; readonly max: number }>
> = {
  light: { min: 10, usual: 250, max: 2_000 },
  heavy: { min: 100, usual: 2_000, max: 6_000 },
};

/** Calls that are sent together. */
export interface Group {
  readonly upstream: Upstream;
  readonly calls: readonly PendingCall[];
  /** Chooses another upstream that would do for all the calls; undefined if there is none. */
  readonly chooseSpare: () => Upstream | undefined;
}

/** Whether calls may go to a second upstream while the first is still at work. */
export function mayBeHedged({ upstreams }: ChainClient, { calls }: Group): boolean {
  return upstreams.length > 1 && calls.every(({ idempotent }) => idempotent);
}

/**
 * Sends calls to an upstream, and to a second one too if the first takes longer than 95 of 100 of its recent responses
 * took. The upstream that first answers every call well ends the other attempt. Not for
 * a call that acts, which is never sent twice.
 */
export async function attemptHedged(node: ChainClient, group: Group, patience: AttemptTime): Promise<void> {
  const { upstream, calls } = group;
  const startedAt = node.clock.now();
  const giveUp = linkedAbort(patience.signal);
  const first = attempt(node, { upstream, calls, ...patience, signal: giveUp.signal }).finally(giveUp.unlink);
  if (await answersWithin(node, first, hedgeDelayMs(upstream, loadOf(calls)))) return;
  const spare = group.chooseSpare();
  if (spare === undefined || !node.budget.take(calls.length, RESERVED_FOR_FAILURES)) {
    await first;
    return;
  }
  const giveUpSpare = linkedAbort(patience.signal);
  const second = attempt(node, { upstream: spare, calls, ...patience, signal: giveUpSpare.signal }).finally(
    giveUpSpare.unlink,
  );
  await Promise.race([first, second]);
  if (calls.every(({ settled, crowdedAt }) => settled || crowdedAt !== undefined)) {
    giveUp.abort('overtaken');
    giveUpSpare.abort('overtaken');
  }
  const [answered] = await Promise.all([first, second]);
  if (!answered && !patience.signal.aborted)
    upstream.health.overtaken(node.clock.now() - startedAt, loadOf(calls));
}

async function answersWithin(node: ChainClient, sent: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const end = node.lateGroups.begin(node.clock.now() + ms, () => resolve(false));
  sent.then(() => resolve(true), reject);
  try {
    return await promise;
  } finally {
    end();
  }
}

function hedgeDelayMs({ health }: Upstream, load: Load): number {
  const { min, usual, max } = HEDGE_DELAY_MS[load];
  return Math.min(max, Math.max(min, health.p95Ms(load) ?? usual));
}

/** Makes one. `AbortSignal.any` does the same for as long as anything refers to it, at several times the cost. */
export function linkedAbort(parent: AbortSignal): LinkedAbort {
  const own = new AbortController();
  const follow = () => own.abort(parent.reason);
  if (parent.aborted) follow();
  else parent.addEventListener('abort', follow);
  return {
    signal: own.signal,
    abort: (reason) => own.abort(reason),
    unlink: () => parent.removeEventListener('abort', follow),
  };
}
