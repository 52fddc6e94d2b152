import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Runs an operation that may be repeated, up to `attempts` times with a pause before each further one; rejects with the
 * last failure.
 */
export async function repeat<Result>(
  work: () => Promise<Result>,
  { attempts, pauseMs }: { readonly attempts: number; readonly pauseMs: number },
): Promise<Result> {
  for (let attempt = 1; attempt < attempts; attempt += 1) {
    try {
      return await work();
    } catch {
      await sleep(pauseMs);
    }
  }
  return work();
}
