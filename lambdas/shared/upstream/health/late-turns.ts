import type { Clock } from '../../runtime/clock.ts';
import type { Sleep } from '../../runtime/sleep.ts';
import type { UpstreamHealth } from './upstream-health.ts';

/** A timer that is over so much later than it should be says that this process was busy, or stood still, in milliseconds. */
export const OWN_LATE_MS = 250;
/** Time in which a process that was late reads what has come meanwhile, in milliseconds. */
const READING_MS = 50;
/** How often a process looks how late it is, in milliseconds. */
const LOOK_MS = 250;

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
 * Tells of turns that last for longer than a time. One shared timer keeps running when idle: hardly any turn lasts
 * for so long, and to begin a timer costs more than to find nothing when it is over.
 */
export class LateTurns {
  readonly #time: PassingTime;
  readonly #turns = new Set<Turn>();
  /** The timer, and when it is over, in milliseconds since the epoch. */
  #timer: { readonly at: number; readonly stop: AbortController } | undefined;

  constructor(time: PassingTime) {
    this.#time = time;
  }

  /** Begins a turn that is late at a time, in milliseconds since the epoch. Returns what ends it. */
  begin(at: number, onLate: () => void): () => void {
    const turn = { at, onLate };
    this.#turns.add(turn);
    if (this.#timer === undefined || at < this.#timer.at) this.#wakeAt(at);
    return () => {
      this.#turns.delete(turn);
    };
  }

  #wakeAt(at: number): void {
    const { clock, wait } = this.#time;
    this.#timer?.stop.abort('earlier');
    const timer = { at, stop: new AbortController() };
    this.#timer = timer;
    wait(Math.max(0, at - clock.now()), timer.stop.signal).then(() => {
      if (this.#timer !== timer) return;
      const isOwn = clock.now() - at >= OWN_LATE_MS;
      // What has come is read only after all timers: a turn is not late because nobody looked.
      if (isOwn) this.#wakeAt(clock.now() + READING_MS);
      else this.#tell();
    });
  }

  #tell(): void {
    this.#timer = undefined;
    const now = this.#time.clock.now();
    const late = [...this.#turns].filter(({ at }) => at <= now);
    for (const turn of late) this.#turns.delete(turn);
    for (const { onLate } of late) onLate();
    const next = Math.min(...[...this.#turns].map(({ at }) => at));
    if (this.#turns.size > 0 && this.#timer === undefined) this.#wakeAt(next);
  }
}

/** The most by which this process was late for a timer of its own, in milliseconds, until a time or the signal. */
export async function ownLateness(
  { clock, wait }: PassingTime,
  until: number,
  signal: AbortSignal,
): Promise<number> {
  let most = 0;
  while (!signal.aborted && clock.now() < until) {
    const due = Math.min(until, clock.now() + LOOK_MS);
    await wait(due - clock.now(), signal);
    most = Math.max(most, clock.now() - due);
  }
  return most;
}

/** How many times the usual a request takes that takes far longer; and how long at least and at most, in milliseconds. */
const TIMES = 4;
const MIN_MS = 150;
const MAX_MS = 500;
/** The same where it is not known what is usual. */
const UNKNOWN_MS = 200;

/** Time after which a light request takes far longer than a chain's nodes usually do, in milliseconds: 500 at most. */
export function farLongerMs(
  upstreams: readonly { readonly health: Pick<UpstreamHealth, 'p50Ms'> }[],
): number {
  const usual = upstreams.flatMap(({ health }) => health.p50Ms ?? []);
  return usual.length === 0 ? UNKNOWN_MS : Math.min(MAX_MS, Math.max(MIN_MS, TIMES * Math.max(...usual)));
}
