import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 50;

/**
 * Waits until no process has an argument any more, such as that of a file which it writes as it ends: a part outlives a run
 * that was killed by the time that this takes. Resolves after the given time at the latest.
 */
export async function earlierWriterEnded(argument: string, milliseconds: number): Promise<void> {
  const until = performance.now() + milliseconds;
  while (isRunning(argument) && performance.now() < until) await sleep(POLL_MS);
}

function isRunning(argument: string): boolean {
  return readdirSync('/proc').some((entry) => {
    if (!/^\d+$/.test(entry)) return false;
    try {
      return readFileSync(`/proc/${entry}/cmdline`, 'utf8').split('\0').includes(argument);
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });
}
