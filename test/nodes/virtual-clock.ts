import type { Clock } from '../../lambdas/shared/runtime/clock.ts';
import type { Sleep } from '../../lambdas/shared/runtime/sleep.ts';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly fire: () => void;
}

/** Milliseconds since the epoch at which virtual time starts. */
const START = 1_000_000_000_000;
/** Milliseconds of the host in which nothing may happen. */
const MAX_IDLE_TURNS = 2_000;

/** A clock that goes on only when everything waits for it: no test depends on the machine, and hours take seconds. */
export class VirtualClock implements Clock {
  #now = START;
  #order = 0;
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  readonly wait: Sleep = (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const fire = () => {
        this.#timers.delete(timer);
        signal?.removeEventListener('abort', fire);
        resolve();
      };
      const timer: Timer = { at: this.#now + Math.max(0, ms), order: this.#order++, fire };
      this.#timers.add(timer);
      signal?.addEventListener('abort', fire);
    });

  /** Lets time pass until something is done. */
  async until<T>(promise: Promise<T>): Promise<T> {
    let done = false;
    const settled = promise.finally(() => {
      done = true;
    });
    settled.catch(() => {});
    for (let idle = 0; ; idle += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (done) return settled;
      const next = this.#next();
      if (next === undefined) {
        // A thread of the host can be at work, such as one that compresses.
        if (idle >= MAX_IDLE_TURNS) throw new Error('nothing is left to wait for');
        await new Promise((resolve) => setTimeout(resolve, 1));
        continue;
      }
      idle = 0;
      this.#now = Math.max(this.#now, next.at);
      next.fire();
    }
  }

  /** Lets a time pass. */
  pass(ms: number): Promise<void> {
    return this.until(this.wait(ms));
  }

  #next(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (
        first === undefined ||
        timer.at < first.at ||
        (timer.at === first.at && timer.order < first.order)
      ) {
        first = timer;
      }
    }
    return first;
  }
}
