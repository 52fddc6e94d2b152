/** Waits for a number of milliseconds, or less if the signal says so; passed in, so that a simulation decides how time passes. */
export type Sleep = (durationMs: number, signal?: AbortSignal) => Promise<void>;

/** Waits by the timers of this process. A signal ends it without an error, which would cost more than the wait. */
export const sleep: Sleep = (durationMs, signal) =>
  new Promise((resolve) => {
    const timer = setTimeout(end, durationMs);
    function end(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    }
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end);
  });

/** What comes of something within a time, in milliseconds; undefined if it takes longer. */
export async function within<T>(ms: number, awaited: Promise<T>, wait = sleep): Promise<T | undefined> {
  const stop = new AbortController();
  try {
    return await Promise.race([awaited, wait(ms, stop.signal).then(() => undefined)]);
  } finally {
    stop.abort('there');
  }
}
