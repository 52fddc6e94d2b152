import { loadavg } from 'node:os';
import { type Sleep, sleep } from '../../lambdas/shared/runtime/sleep.ts';

/** Length of the windows in which a process has to have worked. A busy machine is slow, but lets all of them work. */
const STALL_WINDOW_MS = 600_000;
/** Least processor time of such a window: less than a hundredth of one core, more than refusing probes takes. */
const LEAST_WORK_MS = 5_000;
/** Time between two looks, and the processor time below which a process has done nothing in it: timers of its own take that. */
const LOOK_MS = 60_000;
const NOTHING_MS = 50;

/** How little a process may do before it counts as hung. */
export interface StallBound {
  readonly windowMs: number;
  readonly leastWorkMs: number;
}

const STALL_BOUND: StallBound = { windowMs: STALL_WINDOW_MS, leastWorkMs: LEAST_WORK_MS };

interface StallWatch {
  /** Name of the process, for people. */
  readonly name: string;
  /** Processor time used so far, in milliseconds; undefined: unknown, which counts as none, and names nothing as stuck. */
  readonly work: () => number | undefined;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  /** @default ten minutes with less than five seconds of processor time */
  readonly bound?: StallBound | undefined;
  /** Takes a line for each minute in which the process did nothing. @default standard error */
  readonly tell?: (line: string) => void;
  /** @default by the timers of this process */
  readonly pause?: Sleep;
}

/**
 * Waits until a process has hung: it counts how much the process has worked, not how long it takes on a busy machine.
 * @returns what it did, for people; undefined when the signal has ended the watch
 */
export async function untilStalled(watch: StallWatch): Promise<string | undefined> {
  const { name, work, signal, bound = STALL_BOUND, tell = sayStuck, pause = sleep } = watch;
  const lookMs = Math.min(LOOK_MS, bound.windowMs);
  let [atWindow, atLook, windowMs, idleMs] = [work() ?? 0, work(), 0, 0];
  while (!signal.aborted) {
    await pause(lookMs, signal);
    if (signal.aborted) break;
    windowMs += lookMs;
    const now = work();
    idleMs = now !== undefined && now - (atLook ?? 0) < NOTHING_MS ? idleMs + lookMs : 0;
    atLook = now;
    if (windowMs >= bound.windowMs) {
      const used = (now ?? 0) - atWindow;
      if (used < bound.leastWorkMs)
        return `it hung: it used ${used} ms of processor time in ${windowMs / 1_000} s, at a load of ${loadavg()[0]?.toFixed(1)}; end what else keeps the machine busy, and start again`;
      [atWindow, windowMs] = [now ?? 0, 0];
    }
    if (idleMs > 0)
      tell(
        `${name} is stuck: it used no processor time for ${idleMs / 1_000} s; after ${bound.windowMs / 60_000} minutes it is ended`,
      );
  }
  return undefined;
}

function sayStuck(line: string): void {
  process.stderr.write(`${line}\n`);
}
