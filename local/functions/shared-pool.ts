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
export function createSharedPool<Of extends SharedEnvironment, Work, Result>({
  maxEnvironments = Number.POSITIVE_INFINITY,
  start,
  serve,
  refused,
  waitsWhenFull,
}: SharedPoolOptions<Of, Work, Result>): SharedPool<Work, Result> {
  const limit = Math.min(maxEnvironments, MAX_ENVIRONMENTS_PER_FUNCTION);
  /** In the order of their starts. */
  const environments = new Set<Of>();
  const waiting: Waiting<Work, Result>[] = [];
  let closed = false;

  const isStarting = () => [...environments].some(({ isReady }) => !isReady);

  function grow(): void {
    if (closed || isStarting() || environments.size >= limit) return;
    environments.add(start({ onIdle, onExit }));
  }

  function onIdle(environment: Of): void {
    while (environment.hasRoom && waiting.length > 0) serveNext(environment);
    if (waiting.length === 0) return;
    grow();
    if (!waitsWhenFull && !isStarting()) for (const one of waiting.splice(0)) refuse(one);
  }

  /** Work that waited for an environment that could not start gets the reason. */
  function onExit(environment: Of): void {
    environments.delete(environment);
    if (!environment.isReady) while (waiting.length > 0) serveNext(environment);
    if (waiting.length > 0) grow();
  }

  function serveNext(environment: Of): void {
    const next = waiting.shift();
    if (next === undefined) return;
    clearTimeout(next.timer);
    next.settle(serve(environment, next.work));
  }

  function refuse({ timer, settle }: Waiting<Work, Result>): void {
    clearTimeout(timer);
    settle(refused());
  }

  function wait(work: Work): Promise<Result> {
    return new Promise((settle) => {
      const giveUp = () => {
        waiting.splice(waiting.indexOf(entry), 1);
        settle(refused());
      };
      const entry: Waiting<Work, Result> = { timer: setTimeout(giveUp, MAX_WAIT_MS), work, settle };
      waiting.push(entry);
      grow();
    });
  }

  /** Whether a request that no environment takes now may get a place in one. */
  const mayWait = () =>
    waiting.length < MAX_WAITING_INVOCATIONS && (waitsWhenFull || environments.size < limit || isStarting());

  return {
    async take(work) {
      const roomy = [...environments].find(({ isReady, hasRoom }) => isReady && hasRoom);
      if (closed || (roomy === undefined && !mayWait())) return refused();
      return roomy === undefined ? wait(work) : serve(roomy, work);
    },
    async close() {
      closed = true;
      for (const one of waiting.splice(0)) refuse(one);
      await Promise.all([...environments].map((environment) => environment.close()));
    },
  };
}
