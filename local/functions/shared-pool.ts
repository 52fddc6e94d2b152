import { MAX_ENVIRONMENTS_PER_FUNCTION, MAX_WAIT_MS, MAX_WAITING_INVOCATIONS } from './pool.ts';

/** An environment that takes many requests at a time. */
interface SharedEnvironment {
  /** Whether its process has started, and its code is loaded. */
  readonly isReady: boolean;
  /** Whether it can take one more request. */
  readonly hasRoom: boolean;
  close(): Promise<void>;
}

/** Events that an environment sends to its pool. */
interface SharedEnvironmentEvents<Of> {
  /** It can take another request. */
  onIdle(environment: Of): void;
  /** Its process has ended; nothing else will come. */
  onExit(environment: Of): void;
}

interface SharedPoolOptions<Of extends SharedEnvironment, Work, Result> {
  /** @default as many as this machine has room for */
  readonly maxEnvironments: number | undefined;
  start(events: SharedEnvironmentEvents<Of>): Of;
  serve(environment: Of, work: Work): Promise<Result>;
  /** Result of work that no environment takes. */
  refused(): Result;
  /** Whether work waits where all environments are full, and no other may be started. */
  readonly waitsWhenFull: boolean;
}

interface SharedPool<Work, Result> {
  take(work: Work): Promise<Result>;
  /** Ends every process; what is under way fails. */
  close(): Promise<void>;
}

interface Waiting<Work, Result> {
  readonly timer: NodeJS.Timeout;
  readonly work: Work;
  readonly settle: (result: Result | Promise<Result>) => void;
}

/**
 * Makes a pool of environments that take many requests each: the oldest that has room gets the next. When all are full
 * another is started, one at a time, and what came meanwhile waits for any of them. On instances Lambda has some started
 * before, and refuses what they cannot take.
 */
export function createSharedPool<Of extends SharedEnvironment, Work, Result>(
  options: SharedPoolOptions<Of, Work, Result>,
): SharedPool<Work, Result> {
  return new SharedEnvironments(options);
}

class SharedEnvironments<Of extends SharedEnvironment, Work, Result> implements SharedPool<Work, Result> {
  readonly #options: SharedPoolOptions<Of, Work, Result>;
  readonly #limit: number;
  /** In the order of their starts. */
  readonly #environments = new Set<Of>();
  readonly #waiting: Waiting<Work, Result>[] = [];
  #closed = false;

  constructor(options: SharedPoolOptions<Of, Work, Result>) {
    this.#options = options;
    this.#limit = Math.min(
      options.maxEnvironments ?? Number.POSITIVE_INFINITY,
      MAX_ENVIRONMENTS_PER_FUNCTION,
    );
  }

  async take(work: Work): Promise<Result> {
    const roomy = [...this.#environments].find(({ isReady, hasRoom }) => isReady && hasRoom);
    if (this.#closed || (roomy === undefined && !this.#mayWait())) return this.#options.refused();
    return roomy === undefined ? this.#wait(work) : this.#options.serve(roomy, work);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const one of this.#waiting.splice(0)) this.#refuse(one);
    await Promise.all([...this.#environments].map((environment) => environment.close()));
  }

  #isStarting(): boolean {
    return [...this.#environments].some(({ isReady }) => !isReady);
  }

  #grow(): void {
    if (this.#closed || this.#isStarting() || this.#environments.size >= this.#limit) return;
    this.#environments.add(
      this.#options.start({ onIdle: (one) => this.#onIdle(one), onExit: (one) => this.#onExit(one) }),
    );
  }

  #onIdle(environment: Of): void {
    while (environment.hasRoom && this.#waiting.length > 0) this.#serveNext(environment);
    if (this.#waiting.length === 0) return;
    this.#grow();
    if (!this.#options.waitsWhenFull && !this.#isStarting())
      for (const one of this.#waiting.splice(0)) this.#refuse(one);
  }

  /** Work that waited for an environment that could not start gets the reason. */
  #onExit(environment: Of): void {
    this.#environments.delete(environment);
    if (!environment.isReady) while (this.#waiting.length > 0) this.#serveNext(environment);
    if (this.#waiting.length > 0) this.#grow();
  }

  #serveNext(environment: Of): void {
    const next = this.#waiting.shift();
    if (next === undefined) return;
    clearTimeout(next.timer);
    next.settle(this.#options.serve(environment, next.work));
  }

  #refuse({ timer, settle }: Waiting<Work, Result>): void {
    clearTimeout(timer);
    settle(this.#options.refused());
  }

  #wait(work: Work): Promise<Result> {
    return new Promise((settle) => {
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(entry), 1);
        settle(this.#options.refused());
      };
      const entry: Waiting<Work, Result> = { timer: setTimeout(giveUp, MAX_WAIT_MS), work, settle };
      this.#waiting.push(entry);
      this.#grow();
    });
  }

  /** Whether a request that no environment takes now may get a place in one. */
  #mayWait(): boolean {
    if (this.#waiting.length >= MAX_WAITING_INVOCATIONS) return false;
    return this.#options.waitsWhenFull || this.#environments.size < this.#limit || this.#isStarting();
  }
}
