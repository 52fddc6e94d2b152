/** Events between two turns of the real event loop, which timers and messages of the host need. */
const EVENTS_PER_TURN = 5_000;
const HASH_PRIME = 16_777_619;

interface ScheduledEvent {
  readonly timeMs: number;
  /** Events of one moment happen in the order in which they were planned. */
  readonly order: number;
  readonly happen: () => void;
}

/** Time that passes from event to event: the only source of time and of order in a simulation. */
export class VirtualTime {
  #nowMs: number;
  #order = 0;
  #eventCount = 0;
  #stopped = false;
  #trace = 0;
  readonly #heap: ScheduledEvent[] = [];

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  /** Milliseconds since the epoch. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Events that happened. */
  get eventCount(): number {
    return this.#eventCount;
  }

  /** Digest of all that happened and of all that was noted, in its order. */
  get trace(): number {
    return this.#trace >>> 0;
  }

  /** Lets something happen at a time; at once if that has passed. */
  at(timeMs: number, happen: () => void): void {
    this.#order += 1;
    this.#push({ timeMs: Math.max(Math.ceil(timeMs), this.#nowMs), order: this.#order, happen });
  }

  after(durationMs: number, happen: () => void): void {
    this.at(this.#nowMs + durationMs, happen);
  }

  /** Waits, as long as {@link run} lets time pass. */
  readonly pause = (durationMs: number): Promise<void> =>
    new Promise((resolve) => this.after(durationMs, resolve));

  /** The time as a clock tells it. */
  readonly now = (): number => this.#nowMs;

  /** Adds a fact to the trace. */
  note(fact: number): void {
    this.#trace = Math.imul(this.#trace ^ fact, HASH_PRIME);
  }

  /** No further event happens. */
  stop(): void {
    this.#stopped = true;
  }

  /** Lets everything happen that is planned, until nothing is. All promises settle between two events. */
  run(): Promise<void> {
    return new Promise((resolve, reject) => {
      let untilTurn = EVENTS_PER_TURN;
      const next = () => {
        const event = this.#stopped ? undefined : this.#pop();
        if (event === undefined) return resolve();
        this.#nowMs = event.timeMs;
        this.#eventCount += 1;
        this.note(event.timeMs ^ event.order);
        try {
          event.happen();
        } catch (error) {
          return reject(error);
        }
        untilTurn -= 1;
        if (untilTurn > 0) return queueMicrotask(() => process.nextTick(next));
        untilTurn = EVENTS_PER_TURN;
        setImmediate(next);
      };
      // Node empties the queue of microtasks between two ticks: a tick that is planned in a microtask is after it.
      process.nextTick(next);
    });
  }

  #push(event: ScheduledEvent): void {
    const heap = this.#heap;
    let place = heap.push(event) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = heap[parent] as ScheduledEvent;
      if (!isBefore(event, above)) break;
      heap[place] = above;
      place = parent;
    }
    heap[place] = event;
  }

  #pop(): ScheduledEvent | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last !== undefined && last !== first) this.#sink(last);
    return first;
  }

  /** Puts an event in at the top and lets it down to its place. */
  #sink(event: ScheduledEvent): void {
    const heap = this.#heap;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      const right = heap[child + 1];
      if (right !== undefined && isBefore(right, heap[child] as ScheduledEvent)) child += 1;
      const below = heap[child] as ScheduledEvent;
      if (!isBefore(below, event)) break;
      heap[place] = below;
      place = child;
    }
    heap[place] = event;
  }
}

function isBefore(one: ScheduledEvent, other: ScheduledEvent): boolean {
  return one.timeMs < other.timeMs || (one.timeMs === other.timeMs && one.order < other.order);
}
