/** Waits for a number of milliseconds; passed in, so that a simulation decides how time passes. */
export type Pause = (durationMs: number) => Promise<void>;

/** Source of random bytes, passed in so that a simulation can repeat itself. */
export type RandomBytes = (count: number) => Uint8Array;
