import type { Clock } from '../../lambdas/shared/runtime/clock.ts';
import type { Sleep } from '../../lambdas/shared/runtime/sleep.ts';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly fire: () => void;
  /** Whether it has fired, or was abandoned. */
  isOver: boolean;
}

/** Milliseconds since the epoch at which virtual time starts. */
const START = 1_000_000_000_000;
/** Milliseconds of the host in which nothing may happen. */
const MAX_IDLE_TURNS = 2_000;

/** A clock that continues only when everything waits for it: no test depends on the machine, and hours take seconds. */
export class VirtualClock implements Clock {
  #now = START;
  #order = 0;
  readonly #timers = new TimerHeap();

  now(): number {
    return this.#now;
  }

  readonly wait: Sleep = (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const fire = () => {
        timer.isOver = true;
        signal?.removeEventListener('abort', fire);
        resolve();
      };
      const timer: Timer = { at: this.#now + Math.max(0, ms), order: this.#order++, fire, isOver: false };
      this.#timers.push(timer);
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
      const next = this.#timers.pop();
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
}

/** Timers by their time, then by when they were set; thousands of them cost little. */
class TimerHeap {
  readonly #timers: Timer[] = [];

  push(timer: Timer): void {
    let place = this.#timers.push(timer) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!this.#isBefore(place, parent)) return;
      this.#swap(place, parent);
      place = parent;
    }
  }

  /** Takes the first that is not over. */
  pop(): Timer | undefined {
    for (;;) {
      const first = this.#timers[0];
      const last = this.#timers.pop();
      if (first === undefined || last === undefined) return undefined;
      if (first !== last) {
        this.#timers[0] = last;
        this.#sink();
      }
      if (!first.isOver) return first;
    }
  }

  #sink(): void {
    let place = 0;
    for (;;) {
      let least = place;
      for (const child of [2 * place + 1, 2 * place + 2]) if (this.#isBefore(child, least)) least = child;
      if (least === place) return;
      this.#swap(place, least);
      place = least;
    }
  }

  #isBefore(place: number, other: number): boolean {
    const [one, two] = [this.#timers[place], this.#timers[other]];
    if (one === undefined || two === undefined) return false;
    return one.at < two.at || (one.at === two.at && one.order < two.order);
  }

  #swap(place: number, other: number): void {
    const [one, two] = [this.#timers[place], this.#timers[other]];
    if (one === undefined || two === undefined) return;
    this.#timers[place] = two;
    this.#timers[other] = one;
  }
}
