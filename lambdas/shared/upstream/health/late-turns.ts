import type { Clock } from '../../runtime/clock.ts';
import type { Sleep } from '../../runtime/sleep.ts';

interface Turn {
  /** When it is late, in milliseconds since the epoch. */
  readonly at: number;
  readonly onLate: () => void;
}

/** How time passes. */
interface PassingTime {
  readonly clock: Clock;
  readonly wait: Sleep;
}

/**
 * Tells of turns that last for longer than a time. One timer is for all, and goes on when none is left: the next turn is
 * there before it is over, and to begin and to end one for each would take more than the turn itself.
 */
export class LateTurns {
  readonly #time: PassingTime;
  readonly #turns = new Set<Turn>();
  /** When the timer is over, in milliseconds since the epoch; undefined: there is none. */
  #wakesAt: number | undefined;

  constructor(time: PassingTime) {
    this.#time = time;
  }

  /** Begins a turn that is late at a time, in milliseconds since the epoch. Returns what ends it. */
  begin(at: number, onLate: () => void): () => void {
    const turn = { at, onLate };
    this.#turns.add(turn);
    if (this.#wakesAt === undefined || at < this.#wakesAt) this.#wakeAt(at);
    return () => {
      this.#turns.delete(turn);
    };
  }

  #wakeAt(at: number): void {
    const { clock, wait } = this.#time;
    this.#wakesAt = at;
    wait(Math.max(0, at - clock.now())).then(() => {
      if (this.#wakesAt === at) this.#tell();
    });
  }

  #tell(): void {
    this.#wakesAt = undefined;
    const now = this.#time.clock.now();
    const late = [...this.#turns].filter(({ at }) => at <= now);
    for (const turn of late) this.#turns.delete(turn);
    for (const { onLate } of late) onLate();
    const next = Math.min(...[...this.#turns].map(({ at }) => at));
    if (this.#turns.size > 0 && this.#wakesAt === undefined) this.#wakeAt(next);
  }
}
