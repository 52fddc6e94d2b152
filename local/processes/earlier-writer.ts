import { setTimeout as sleep } from 'node:timers/promises';
import { processIds } from './machine.ts';

const POLL_MS = 50;

interface EarlierWriterOptions {
  /** Longest wait, in milliseconds. What has not ended then hangs, and is killed: two must not write one file. */
  readonly mostMs: number;
  /** Called once, if there is something to wait for. */
  readonly onWait: () => void;
}

/**
 * Waits until no process has an argument any more, such as that of a file which it writes as it ends: a part outlives a run
 * that was killed by the time that this takes.
 */
export async function earlierWriterEnded(
  argument: string,
  { mostMs, onWait }: EarlierWriterOptions,
): Promise<void> {
  if (writersWith(argument).length === 0) return;
  onWait();
  const until = performance.now() + mostMs;
  while (writersWith(argument).length > 0 && performance.now() < until) await sleep(POLL_MS);
  for (const id of writersWith(argument)) process.kill(id, 'SIGKILL');
}

/** Ids of the processes with an argument. */
function writersWith(argument: string): readonly number[] {
  return processIds('cmdline', (told) => told.split('\0').includes(argument));
}
