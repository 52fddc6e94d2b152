import { readdirSync, readFileSync } from 'node:fs';
import { type Sleep, sleep } from '../../lambdas/shared/runtime/sleep.ts';

/** Length of the windows in which a process has to have worked. A busy machine is slow, but lets all of them work. */
const STALL_WINDOW_MS = 600_000;
/** Least processor time of such a window: less than a hundredth of one core, more than refusing probes takes. */
const LEAST_WORK_MS = 5_000;
/** Of the clock in which Linux counts the time of processes, whatever the machine. */
const MS_PER_TICK = 10;

/** How little a process may do before it counts as hung. */
export interface StallBound {
  readonly windowMs: number;
  readonly leastWorkMs: number;
}

const STALL_BOUND: StallBound = { windowMs: STALL_WINDOW_MS, leastWorkMs: LEAST_WORK_MS };

interface StallWatch {
  /** Processor time used so far, in milliseconds; undefined: unknown, which counts as none. */
  readonly work: () => number | undefined;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  /** @default ten minutes with less than five seconds of processor time */
  readonly bound?: StallBound | undefined;
  /** @default by the timers of this process */
  readonly pause?: Sleep;
}

/**
 * Waits until a process has hung: it counts how much the process has worked, not how long it takes on a busy machine.
 * @returns what it did, for people; undefined when the signal has ended the watch
 */
export async function untilStalled(watch: StallWatch): Promise<string | undefined> {
  const { work, signal, bound = STALL_BOUND, pause = sleep } = watch;
  let before = work() ?? 0;
  while (!signal.aborted) {
    await pause(bound.windowMs, signal);
    const now = work() ?? 0;
    if (!signal.aborted && now - before < bound.leastWorkMs)
      return `it hung: it used ${now - before} ms of processor time in ${bound.windowMs / 1_000} s`;
    before = now;
  }
  return undefined;
}

/**
 * Processor time that the processes of a group have used, in milliseconds, with that of their children that have ended.
 * Linux only; elsewhere undefined.
 */
export function groupWork(group: number): number | undefined {
  try {
    const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return ids.reduce((sum, id) => sum + ticksOf(id, group), 0) * MS_PER_TICK;
  } catch {
    return undefined;
  }
}

function ticksOf(id: string, group: number): number {
  try {
    // What follows the name, which may have spaces: state, parent, group, ...; see proc(5).
    const fields = readFileSync(`/proc/${id}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
    if (Number(fields[2]) !== group) return 0;
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
  } catch {
    // It has ended.
    return 0;
  }
}
