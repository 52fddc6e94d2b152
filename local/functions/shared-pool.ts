import type { Environment, Reply } from './environment.ts';
import {
  type FunctionPool,
  MAX_ENVIRONMENTS_PER_FUNCTION,
  MAX_EVENT_BYTES,
  MAX_WAIT_MS,
  MAX_WAITING_INVOCATIONS,
  type StartEnvironment,
} from './pool.ts';

interface Waiting {
  readonly timer: NodeJS.Timeout;
  readonly payload: Buffer;
  readonly settle: (reply: Reply | Promise<Reply>) => void;
}

const THROTTLED: Reply = { kind: 'throttled' };

/**
 * The environments of a function on instances, each of which takes many invocations: the oldest that has room gets the
 * next. When all are full another is started, one at a time, and what came meanwhile waits for any of them. Lambda has
 * some started before, and refuses what they cannot take.
 */
export class SharedEnvironments implements FunctionPool {
  readonly #startOne: StartEnvironment;
  readonly #limit: number;
  /** In the order of their starts. */
  readonly #environments = new Set<Environment>();
  readonly #waiting: Waiting[] = [];
  #closed = false;

  /** @param maxEnvironments undefined: as many as this machine has room for */
  constructor(maxEnvironments: number | undefined, startOne: StartEnvironment) {
    this.#startOne = startOne;
    this.#limit = Math.min(maxEnvironments ?? MAX_ENVIRONMENTS_PER_FUNCTION, MAX_ENVIRONMENTS_PER_FUNCTION);
  }

  async invoke(event: unknown): Promise<Reply> {
    const payload = Buffer.from(JSON.stringify(event));
    if (payload.length > MAX_EVENT_BYTES) return { kind: 'request-too-large' };
    if (this.#closed) return THROTTLED;
    const roomy = [...this.#environments].find(({ isReady, hasRoom }) => isReady && hasRoom);
    if (roomy !== undefined) return roomy.invoke(payload);
    return this.#waiting.length < MAX_WAITING_INVOCATIONS ? this.#wait(payload) : THROTTLED;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { timer, settle } of this.#waiting.splice(0)) {
      clearTimeout(timer);
      settle(THROTTLED);
    }
    await Promise.all([...this.#environments].map((environment) => environment.close()));
  }

  #grow(): void {
    const isStarting = [...this.#environments].some(({ isReady }) => !isReady);
    if (this.#closed || isStarting || this.#environments.size >= this.#limit) return;
    this.#environments.add(
      this.#startOne({ onIdle: (one) => this.#onIdle(one), onExit: (one) => this.#onExit(one) }),
    );
  }

  #onIdle(environment: Environment): void {
    while (environment.hasRoom && this.#waiting.length > 0) this.#serveNext(environment);
    if (this.#waiting.length > 0) this.#grow();
  }

  /** What waited for an environment that could not start gets the reason. */
  #onExit(environment: Environment): void {
    this.#environments.delete(environment);
    if (!environment.isReady) while (this.#waiting.length > 0) this.#serveNext(environment);
    if (this.#waiting.length > 0) this.#grow();
  }

  #serveNext(environment: Environment): void {
    const next = this.#waiting.shift();
    if (next === undefined) return;
    clearTimeout(next.timer);
    next.settle(environment.invoke(next.payload));
  }

  #wait(payload: Buffer): Promise<Reply> {
    return new Promise((settle) => {
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(entry), 1);
        settle(THROTTLED);
      };
      const entry: Waiting = { timer: setTimeout(giveUp, MAX_WAIT_MS), payload, settle };
      this.#waiting.push(entry);
      this.#grow();
    });
  }
}
